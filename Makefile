# make run    opens the window          make test   runs the tests
# make check  everything CI checks      make bench  measures speed, as ratios      make clean
# PYTHON=…  the Python to build .venv with     ARGS=…  handed on to the window, pytest or the benchmark

BIN := .venv/bin
PINS := pyproject.toml constraints.txt
PIP := $(BIN)/python -m pip install --disable-pip-version-check --constraint constraints.txt
export PYTHON

.PHONY: run test check bench clean

run: .venv/run.stamp
	@$(BIN)/python tools/system_packages.py window
	@$(BIN)/python tools/check_display.py
	@$(BIN)/python -m app $(ARGS)

test: .venv/test.stamp
	@$(BIN)/python tools/system_packages.py tests
	QT_QPA_PLATFORM=offscreen OMP_WAIT_POLICY=PASSIVE $(BIN)/python -m pytest --numprocesses auto $(ARGS)

check: .venv/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	@$(MAKE) --no-print-directory test

bench: .venv/test.stamp
	@$(BIN)/python tools/system_packages.py tests
	QT_QPA_PLATFORM=offscreen OMP_WAIT_POLICY=PASSIVE $(BIN)/python -m benchmarks $(ARGS)

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps are older than the pins exactly when there is something to install. A .venv whose Python
# is gone (moved, upgraded away) counts as that too.
$(BIN)/python: ;

.venv/run.stamp: $(PINS) $(BIN)/python
	@sh tools/create_venv.sh
	@echo "Installing what Trifocal needs into .venv (once; a few minutes)"
	$(PIP) --editable .
	@touch $@

.venv/test.stamp: $(PINS) $(BIN)/python
	@sh tools/create_venv.sh
	@echo "Installing what Trifocal and its tests need into .venv (once; a few minutes)"
	$(PIP) --editable '.[test]'
	@touch .venv/run.stamp $@
