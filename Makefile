# Sets up its own virtual environment from the pinned, hashed versions in requirements.lock.

PYTHON ?= python3.11
ENVIRONMENT := .venv
BIN := $(ENVIRONMENT)/bin
READY := $(ENVIRONMENT)/ready
unexport PYTHONDONTWRITEBYTECODE # importing would take half as long again, in every process
IN_TWO := --numprocesses 2 --dist loadscope --no-loadscope-reorder

.PHONY: docs wheels demo serve test long full quick lint bench peers lock clean help

help: ## Show what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(READY) ## Watch a private bandit learn: table and plot (10 seconds)
	@echo "4 arms, one better by 0.05: the default, a smaller proved bound, no privacy, and uniform play."
	@$(BIN)/discreet simulate guarded-ucb moved-tsallis-inf tsallis-inf uniform --environment stochastic --arms 4 \
		--rounds 262144 --trials 96 --epsilon 1 --epsilon 0.1 --seed 1 --output demo --overwrite

serve: $(READY) ## Start the decision service with a demonstration run and visitors; open the dashboard
	@$(BIN)/python examples/service_demo.py --forever --port 8000

test: $(READY) lint ## Check everything but what make long and make full check
	@$(BIN)/python -m pytest $(IN_TWO)

long: $(READY) ## Check examples, reproductions, audits and regret by simulation, as before every landing
	@$(BIN)/python -m pytest $(IN_TWO) -m "long and not full" tests

full: $(READY) lint ## Check everything, with the longest statistical checks
	@$(BIN)/python -m pytest $(IN_TWO) -m ""

quick: $(READY) ## Run the tests that are fast, for editing
	@$(BIN)/ruff check .
	@$(BIN)/python -m pytest $(IN_TWO) -m "not slow and not long and not full" tests

lint: $(READY) ## Style, types, import layers
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy --num-workers auto
	@$(BIN)/lint-imports --no-logo

docs: $(READY) ## Make the documentation site in build/docs/html, offline
	@$(BIN)/python docs/site/build.py

wheels: $(READY) ## Build wheel and sdist, and try them in clean environments on three Pythons
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check nox
	@$(BIN)/nox

bench: $(READY) ## Measure the speed beside C and, after make peers, beside other libraries; write docs/speed.md
	@$(BIN)/python benchmarks/run.py --write docs/speed.md

peers: $(READY) ## Install the libraries that make bench compares with (some 2 GB; TensorFlow in an environment of its own)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check river mabwiser vowpalwabbit jax-privacy opendp optuna
	@test -x .venv-tensorflow/bin/python || $(PYTHON) -m venv .venv-tensorflow || python3 -m venv .venv-tensorflow
	@.venv-tensorflow/bin/python -m pip install --quiet --disable-pip-version-check 'tensorflow==2.15.1' 'tensorflow-privacy==0.9.0'

lock: $(READY) ## Pin the newest allowed versions of all dependencies
	@$(BIN)/python -m pip install --quiet uv
	@$(BIN)/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes \
		--no-header --no-annotate --no-emit-index-url --no-emit-find-links --quiet -o requirements.lock

clean: ## Remove the environment and what was made
	rm -rf $(ENVIRONMENT) .venv-tensorflow demo build dist

$(READY): requirements.lock pyproject.toml
	@echo "Setting up $(ENVIRONMENT) (once; a minute or two) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(ENVIRONMENT) || python3 -m venv $(ENVIRONMENT)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	@touch $(READY)
