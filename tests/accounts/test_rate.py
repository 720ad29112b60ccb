"""The limit on new guests."""

from __future__ import annotations

import pytest

from spielwerk.errors import ResourceExhausted
from spielwerk_accounts.rate import Rate


def test_a_burst_is_let_through_then_the_rate_counts() -> None:
    now = [0.0]
    rate = Rate(2, 3, lambda: now[0])
    for _ in range(3):
        rate.take("too_many")
    with pytest.raises(ResourceExhausted) as caught:
        rate.take("too_many")
    assert (caught.value.reason, caught.value.retry_after) == ("too_many", 0.5)
    now[0] = 0.5
    rate.take("too_many")
    with pytest.raises(ResourceExhausted):
        rate.take("too_many")


def test_the_reserve_never_grows_beyond_the_burst() -> None:
    now = [0.0]
    rate = Rate(1, 2, lambda: now[0])
    now[0] = 1000
    rate.take("too_many")
    rate.take("too_many")
    with pytest.raises(ResourceExhausted):
        rate.take("too_many")
