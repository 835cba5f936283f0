# Everything works on a clean clone with Python 3.11+ and make: each target sets up .venv first.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
WORKERS ?= 2
RUNS ?= 5

.PHONY: setup test test-slow demo reproduce-ch4 reproduce-ch5 reproduce-ch6 reproduce-ch7 reproduce-ch8 lint types tables bench clean
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

demo: setup  ## evolve a small agent in about two minutes and show what it learned
	$(PY) -m ashe.demo

# On the shipped champions; TRAIN=1 RUNS=n evolves n champions of its own first (seeds 1..n; finished runs are kept).
reproduce-ch4: setup  ## Tables 4-2 and 4-3, Figure 4-4: ASHE 1.0
ifdef TRAIN
	for seed in $$(seq $(RUNS)); do \
	  if [ -d runs/ch4/$$seed ]; then $(PY) -m ashe.train resume=runs/ch4/$$seed; \
	  else $(PY) -m ashe.train +experiment=ashe1 seed=$$seed run_dir=runs/ch4/$$seed; fi || exit $$?; \
	done
	$(PY) -m ashe.report ch4 --workers $(WORKERS) --out runs/ch4/report --champions $$(seq -f runs/ch4/%g $(RUNS))
else
	$(PY) -m ashe.report ch4 --workers $(WORKERS)
endif

# On the shipped champions; TRAIN=1 evolves a1 to a4 first, which takes hours each (finished runs are kept).
reproduce-ch5: setup  ## Tables 5-4 to 5-7, ablations, learning within a match: ASHE 2.0
ifdef TRAIN
	for agent in a1 a2 a3 a4; do \
	  if [ -d runs/ch5/$$agent ]; then $(PY) -m ashe.train resume=runs/ch5/$$agent; \
	  else $(PY) -m ashe.train +experiment=$$agent seed=1 run_dir=runs/ch5/$$agent; fi || exit $$?; \
	done
	$(PY) -m ashe.report ch5 --workers $(WORKERS) --out runs/ch5/report --champions $$(printf 'runs/ch5/%s ' a1 a2 a3 a4)
else
	$(PY) -m ashe.report ch5 --workers $(WORKERS)
endif

# What TRAIN=1 evolves, VERSION=EXPERIMENT; at these parameters it takes days, e.g. AGENTS_ch6=2.1=ashe21_desktop hours.
AGENTS_ch6 ?= 2.1=ashe21 2.1-A1=ashe21_opponents 2.0=a4
AGENTS_ch7 ?= 2.2=ashe22 2.1=ashe21 2.0=a4
AGENTS_ch8 ?= 2.3=ashe23 2.2=ashe22 2.1=ashe21 2.0=a4 1.0=ashe1_ch8

# On the shipped champions; TRAIN=1 evolves $(AGENTS_ch6) etc. first (finished runs are kept).
reproduce-ch6 reproduce-ch7 reproduce-ch8: reproduce-%: setup  ## Tables 6-2, 7-2, 8-2 and 8-3: ASHE 2.1 to 2.3
ifdef TRAIN
	for agent in $(AGENTS_$*); do \
	  run=runs/$*/$${agent#*=}; \
	  if [ -d $$run ]; then $(PY) -m ashe.train resume=$$run; \
	  else $(PY) -m ashe.train +experiment=$${agent#*=} seed=1 run_dir=$$run; fi || exit $$?; \
	done
	$(PY) -m ashe.report $* --workers $(WORKERS) --out runs/$*/report \
	  --champions $$(for agent in $(AGENTS_$*); do echo $${agent%%=*}=runs/$*/$${agent#*=}; done)
else
	$(PY) -m ashe.report $* --workers $(WORKERS)
endif

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
	$(PY) benchmarks/bench_kernel.py
	$(PY) benchmarks/bench_training.py
	$(PY) benchmarks/bench_solver.py
	$(PY) benchmarks/bench_ashe2.py
	$(PY) benchmarks/bench_session.py
	$(PY) benchmarks/bench_rue.py
	$(PY) benchmarks/bench_rue_presets.py

clean:
	rm -rf $(VENV) runs .pytest_cache .mypy_cache .ruff_cache
