# All of these need nothing but Python 3.11: they make their own environment.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV ?= .venv
BIN := $(VENV)/bin
CONSTRAINTS := launch/constraints.txt
# The rules that `make mutants` changes: of routing, verdicts, splitting and merging.
RULES ?= routing tagging text_splitting planning merging
# An environment of its own inside: LangChain's packages hook themselves into pytest.
BENCH := $(VENV)/bench

# The steps, on one release of Beam: the other tests need packages that the oldest does not allow.
ONE_BEAM := $(VENV)/beam
STEPS_TESTS := tests/transforms/test_*.py tests/transforms/runtime tests/pipeline/test_build.py
STEPS_TESTS_NEED := cryptography hypothesis playwright 'pytest>=9' pytest-timeout pytest-xdist

# Phoenix, MLflow and the libraries of RAG services, which take 1 GB and pin packages of their own.
INTEGRATIONS := $(VENV)/integrations

# Prints only what goes wrong.
INSTALL := $(BIN)/python -m pip --disable-pip-version-check install --quiet --root-user-action ignore \
	--use-pep517 --constraint $(CONSTRAINTS) --editable

.PHONY: demo test explore test-beam lint mutants wheel bench integrations clean

demo: $(VENV)/installed
	$(BIN)/groundwatch demo

# Empty: the many processes of the tests would each compile the same modules.
test: export PYTHONDONTWRITEBYTECODE =
test: $(VENV)/installed-for-tests
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal

# Draws new examples, and more of them; what fails becomes an `@example` of its test.
explore: $(VENV)/installed-for-tests
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal -m hypothesis --hypothesis-profile explore

# `make test-beam BEAM=2.70.0` runs the steps on that release of Beam, without BEAM on the newest.
test-beam:
	rm -rf $(ONE_BEAM)
	$(PYTHON) -m venv $(ONE_BEAM)
	$(ONE_BEAM)/bin/python -m pip install --quiet --use-pep517 --editable . 'apache-beam$(if $(BEAM),==$(BEAM),<3)' $(STEPS_TESTS_NEED)
	$(ONE_BEAM)/bin/python -c 'import apache_beam; print("Apache Beam", apache_beam.__version__)'
	$(ONE_BEAM)/bin/python -m pytest -n auto --maxprocesses 4 $(STEPS_TESTS)

lint: $(VENV)/installed-for-tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

mutants: $(VENV)/installed-for-mutation
	rm -rf mutants
	$(BIN)/mutmut run $(RULES:%='groundwatch.transforms.rules.%.*')
	$(BIN)/mutmut results --all true | $(BIN)/python -m tests.mutation.score

# What an earlier build left would come along.
wheel: $(VENV)/installed
	rm -rf build
	$(BIN)/python -m pip wheel --quiet --use-pep517 --no-deps --wheel-dir dist .

# Writes docs/benchmarks.md; `make bench SMOKE=1` only shows whether everybody works.
bench: $(BENCH)/installed
	$(BENCH)/bin/python -m tests.benchmarks.peers $(if $(SMOKE),--smoke)

# Needs two to five minutes, and draws docs/phoenix.jpg and docs/mlflow.jpg.
integrations: $(VENV)/installed-for-tests $(INTEGRATIONS)/installed
	$(BIN)/python -m tests.integrations $(INTEGRATIONS)/bin

clean:
	rm -rf $(VENV) out build dist mutants src/*.egg-info

$(VENV)/installed: pyproject.toml $(CONSTRAINTS)
	@echo "Installing the libraries into $(VENV): one or two minutes"
	@$(PYTHON) -m venv $(VENV)
	@$(INSTALL) .
	@touch $@

$(VENV)/installed-for-tests: $(VENV)/installed
	@echo "Installing what the tests need into $(VENV): one or two minutes"
	@$(INSTALL) '.[test]'
	@touch $@

$(BENCH)/installed: pyproject.toml $(CONSTRAINTS)
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --use-pep517 --constraint $(CONSTRAINTS) --editable '.[bench]'
	touch $@

$(INTEGRATIONS)/installed: tests/integrations/requirements.txt
	$(PYTHON) -m venv $(INTEGRATIONS)
	$(INTEGRATIONS)/bin/python -m pip install --quiet --no-compile --requirement tests/integrations/requirements.txt
	touch $@

$(VENV)/installed-for-mutation: $(VENV)/installed-for-tests
	@$(INSTALL) '.[mutation]'
	@touch $@
