# Everything works on a clean clone with Python 3.11+ and make: each target sets up .venv first.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
HANDS ?= 4000

.PHONY: setup test test-slow demo lint types tables bench clean
setup: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install -q -c constraints.txt torch==2.13.0
	$(PY) -m pip install -q -c constraints.txt -e '.[dev]'
	touch $@

test: setup  ## unit, property and oracle tests
	$(PY) -m pytest -m "not slow"

test-slow: setup  ## statistical and training tests (minutes to hours)
	$(PY) -m pytest -m slow

demo: setup  ## a round-robin of the ten rule players, in a few minutes
	$(PY) -m ashe.tournament HM CM SL CS LA LP TP TA RG HP --hands $(HANDS) --out runs/demo

lint: setup
	$(PY) -m ruff check src tests benchmarks
	$(PY) -m ruff format --check src tests benchmarks

types: setup
	$(PY) -m mypy

tables: setup  ## build the equity tables now (otherwise at first use)
	$(PY) -m ashe.cards.build tables

bench: setup
	$(PY) benchmarks/bench_cards.py
	$(PY) benchmarks/bench_match.py

clean:
	rm -rf $(VENV) runs .pytest_cache .mypy_cache .ruff_cache
