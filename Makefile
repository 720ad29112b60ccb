# Every task of the project; `make help` lists them. All of them set up what they need.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DATA ?= data
GAME ?= cribbage
JOBS ?= 2
OVERLAY ?= single
STORE_SUITES := tests/log tests/scoring tests/matchmaking tests/timer
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help

help: ## list all tasks
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

$(VENV)/.installed: pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing into $(VENV) ..."
	@$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[local,dev]'
	@touch $@

install: $(VENV)/.installed ## create the virtual environment and install everything

run: install ## host all, play and verify a demo match (ONCE=1: then stop; GAME=skat DATA=folder)
	@$(BIN)/spielwerk up --data $(DATA) --demo --game $(GAME) $(if $(ONCE),--once)

test: install ## run all tests, with real brokers, from nothing
	@$(BIN)/python -m pytest -q -n $(JOBS) --dist loadgroup -m 'not slow and not docker'

test-slow: install ## whole-space proofs, acceptance tournaments and large loads
	@$(BIN)/python -m pytest -q -n $(JOBS) --dist loadgroup -m 'slow'

test-docker: install ## build the image, try docker-compose.yml; stores in containers (needs a Docker daemon)
	@$(BIN)/python -m pytest -q -m 'docker'
	@$(BIN)/python -m pytest -q -m 'not slow and not docker' --containers $(STORE_SUITES)

$(BIN)/promtool: deploy/prometheus/promtool.sh | $(VENV)/.installed
	@deploy/prometheus/promtool.sh $@

check: install $(BIN)/promtool ## formatting, lint, types, import rules, generated code, protos, alerts, manifests
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy libs services tests
	@PATH="$(CURDIR)/$(BIN):$$PATH" lint-imports
	@PATH="$(CURDIR)/$(BIN):$$PATH" python proto/generate.py --check
	@cd proto && ../$(BIN)/buf lint
	@$(BIN)/python deploy/settings_table.py --check
	@$(BIN)/promtool check config deploy/prometheus/prometheus.yml
	@$(BIN)/promtool test rules deploy/prometheus/alerts.test.yml
	@set -o pipefail; $(BIN)/python deploy/grafana/expressions.py | $(BIN)/promtool check rules /dev/stdin
	@for overlay in single clustered new-log; do \
	  $(MAKE) --no-print-directory manifests OVERLAY=$$overlay >$(VENV)/$$overlay.yaml && \
	  $(BIN)/kubernetes-validate --strict --quiet -k 1.30.0 -k 1.37.0 $(VENV)/$$overlay.yaml || exit 1; done

manifests: install ## print what Kubernetes is to run (OVERLAY=single, clustered or new-log)
	@$(BIN)/kubectl kustomize --load-restrictor LoadRestrictionsNone deploy/kubernetes/overlays/$(OVERLAY)

fix: install ## format and fix what can be fixed
	@$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

proto: install ## generate the Python code of the protos
	@PATH="$(CURDIR)/$(BIN):$$PATH" python proto/generate.py

tournament: install ## bots against each other (GAME=cribbage GAMES=1000)
	@$(BIN)/python -m spielwerk.testing.tournament $(GAME) --games $(or $(GAMES),1000) --processes $(JOBS)

yatzee-table: install ## compute the table of Yatzee's expert anew (half a minute)
	@$(BIN)/python -m spielwerk.testing.yatzee_table

play: install ## play against a bot in this terminal (GAME=cribbage; needs make run elsewhere)
	@$(BIN)/spielwerk play $(GAME)

bench: install ## moves/s, latency, replays, memory, as ratios (SECONDS=1 MATCHES="1 16 64 256")
	@PYTHONPATH=tests $(BIN)/python -m bench.run --seconds $(or $(SECONDS),1) --matches $(or $(MATCHES),1 16 64 256)
	@PYTHONPATH=tests $(BIN)/python -m bench.games
	@PYTHONPATH=tests $(BIN)/python -m bench.guandan_legal
	@PYTHONPATH=tests $(BIN)/python -m bench.audit

bench-quick: install ## the same in less than a minute, less exact
	@PYTHONPATH=tests $(BIN)/python -m bench.run --seconds 0.4 --repeats 1 --matches 1 64 --cached 300

bench-timer: install ## start the timer over a million finished matches (MATCHES=1000000)
	@PYTHONPATH=tests $(BIN)/python -m bench.timer_start $(or $(MATCHES),1000000)

bench-cluster: install ## moves/s over a cluster with three copies beside a single broker (MATCHES=64)
	@PYTHONPATH=tests $(BIN)/python -m bench.replicated --seconds $(or $(SECONDS),1) --matches $(or $(MATCHES),64)

sizes: install ## what a match of each game takes in the log and in memory
	@PYTHONPATH=tests $(BIN)/python -m bench.sizes

settings: install ## write the tables of all settings into OPERATING.md
	@$(BIN)/python deploy/settings_table.py

chaos: install ## faults by chance under load, then everything is checked (MINUTES=10 SEED=1)
	@GRPC_ENABLE_FORK_SUPPORT=0 PYTHONPATH=tests $(BIN)/python -m faults.chaos --minutes $(or $(MINUTES),10) $(if $(SEED),--seed $(SEED))

secrets: install ## keys, tokens and passwords for docker compose, into ./secrets
	@$(BIN)/python deploy/make_secrets.py secrets

clean: ## remove the virtual environment and caches (data stay)
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

.PHONY: help install run test test-slow test-docker check manifests fix proto tournament yatzee-table play bench bench-quick bench-timer bench-cluster sizes settings chaos secrets clean
