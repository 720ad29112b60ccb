"""`python -m spielwerk_accounts`: runs the accounts service."""

from spielwerk import service
from spielwerk_accounts.app import serving
from spielwerk_accounts.settings import AccountsSettings

if __name__ == "__main__":
    service.run("accounts", serving, AccountsSettings)
