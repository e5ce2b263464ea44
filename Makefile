# Two commands on a fresh machine: `make demo` and `make test`. Everything else is for developers.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV   := .venv
BIN    := $(VENV)/bin
# A pip that was told of an index of its own knows something uv does not: then pip installs everything.
OWN_INDEX = $$( { $(BIN)/pip config get global.index-url; echo "$${PIP_INDEX_URL:-}"; } 2>/dev/null | tr -d '[:space:]')
INSTALL = if [ -z "$(OWN_INDEX)" ]; then $(BIN)/uv pip install -q --python $(BIN)/python --require-hashes --no-deps -r

export DO_NOT_TRACK := 1
export PREFECT_SERVER_ANALYTICS_ENABLED := false

.PHONY: help demo test check bench format lock clean
help: ## what can be done here
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## / — /'

$(VENV)/.setup: requirements-setup.lock
	@echo "== environment in $(VENV) ($$($(PYTHON) --version))"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --require-hashes -r requirements-setup.lock
	@touch $@

$(VENV)/.runtime: $(VENV)/.setup requirements.lock pyproject.toml
	@echo "== installing what Faturista runs on"
	@$(INSTALL) requirements.lock; else $(BIN)/pip install -q --no-deps --require-hashes -r requirements.lock; fi
	@$(BIN)/pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements-dev.lock
	@echo "== installing what the checks and tests run on"
	@$(INSTALL) requirements-dev.lock; else $(BIN)/pip install -q --no-deps --require-hashes -r requirements-dev.lock; fi
	@touch $@

lock: $(VENV)/.setup ## write the lock files anew from pyproject.toml (versions at least a week old)
	@before=$$(date -u -d '7 days ago' +%F); \
	compile() { $(BIN)/uv pip compile -q --universal --generate-hashes --no-header --python-version 3.11 --exclude-newer $$before "$$@"; }; \
	compile requirements-setup.in -o requirements-setup.lock; \
	compile pyproject.toml --extra postgres -o requirements.lock; \
	compile pyproject.toml --extra postgres --group dev -o requirements-dev.lock

clean: ## remove the environment and everything generated
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache var
