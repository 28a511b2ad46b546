# Everything runs inside .venv, which the targets make themselves; a second run reuses it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
# Not all of tests/cli: typer words its messages and help otherwise before version 0.29.
FLOOR_TESTS := tests/data tests/datasets tests/golden tests/learners tests/models/test_files.py tests/render tests/rules \
	tests/exports/test_sql.py tests/exports/test_databases.py \
	$(addprefix tests/cli/test_,export.py outputs.py predict_in_database.py reading.py terminal.py)
CORE := CMakeLists.txt pyproject.toml $(wildcard cpp/src/*) $(wildcard cpp/bindings/*)

.PHONY: help demo check test thorough lint estimators simulations exports papers papers-quick sanitize golden bench format schema pictures clean engines browser fuzz floors bench-compare side-by-side docs wheel

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# The package, editable, its core compiled; build tools come from PyPI, so only a compiler is needed.
$(VENV)/.installed: $(CORE)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "installing rulewright and compiling its core ..."
	@$(PIP) "scikit-build-core>=0.11" "nanobind>=3.0,<4" cmake ninja
	@$(PIP) --no-build-isolation --editable .
	@touch $@

$(VENV)/.developing: $(VENV)/.installed
	@echo "installing what the tests need ..."
	@$(PIP) --no-build-isolation --editable ".[dev]"
	@touch $@

$(VENV)/.benching: $(VENV)/.developing
	@echo "installing the benchmarks' peers ..."
	@$(PIP) "setuptools>=70.1" # builds the wheel of Weka's jar
	@$(PIP) --no-build-isolation --editable ".[bench]"
	@touch $@

$(VENV)/.databases: $(VENV)/.developing
	@echo "installing the databases that run exports ..."
	@$(PIP) "setuptools>=70.1" # builds the wheel of pyspark
	@$(PIP) --no-build-isolation --editable ".[engines]"
	@touch $@

$(VENV)/.browsing: $(VENV)/.developing
	@echo "installing playwright and axe-core ..."
	@$(PIP) "playwright>=1.50"
	@mkdir -p build/axe
	-@cd build/axe && npm pack --silent axe-core@4 && tar xzf axe-core-*.tgz
	@touch $@

$(VENV)/.packaging: $(VENV)/.developing
	@echo "installing what builds and checks packages ..."
	@$(PIP) --no-build-isolation --editable ".[packaging]"
	@touch $@

$(VENV)/.documenting: $(VENV)/.installed
	@echo "installing what builds the documents ..."
	@$(PIP) --no-build-isolation --editable ".[docs]"
	@! command -v java > /dev/null || $(PIP) "pyspark>=3.5" # one example runs in Spark
	@touch $@

demo: $(VENV)/.installed ## learn, certify and report on a real table, in the folder scratch
	mkdir -p scratch
	RULEWRIGHT_DATA= $(BIN)/rulewright data wdbc --out scratch/wdbc.csv
	$(BIN)/rulewright fit scratch/wdbc.csv --target class --out scratch/model.json --report scratch/report.html
	$(BIN)/rulewright certify scratch/model.json scratch/wdbc.csv
	@echo "\nOpen scratch/report.html in a browser: the rules, their certificate, and plots."

check: $(VENV)/.developing lint ## run the linters and the first case of every test, within 90 seconds
	HYPOTHESIS_PROFILE=quick $(BIN)/python -m pytest -q -n auto --first-cases \
		-m "not slow and not estimators and not simulations and not papers and not exports and not engines and not browser"

test: $(VENV)/.developing lint ## run the linters and all tests but those of the targets below
	$(BIN)/python -m pytest -n auto

lint: $(VENV)/.developing
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/clang-format --dry-run --Werror cpp/src/*pp cpp/bindings/*pp
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

thorough: $(VENV)/.developing ## run all cases of every test, with 200 random examples of each
	HYPOTHESIS_PROFILE=more $(BIN)/python -m pytest -q -n auto --all-cases

fuzz: $(VENV)/.developing ## read thousands of random model files, rules and CSV files, new ones each time
	HYPOTHESIS_PROFILE=thorough $(BIN)/python -m pytest -q -n auto tests/fuzz

# uv trusts the certificates of this machine, as pip does.
floors: export UV_NATIVE_TLS := 1
floors: $(VENV)/.packaging ## test the lowest version of every dependency, on a cross-section of the tests
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python build/floors
	$(BIN)/uv pip compile --quiet pyproject.toml --extra test --resolution lowest-direct --only-binary :all: \
		--no-annotate --no-header --output-file build/floors/requirements.txt
	$(BIN)/uv pip install --quiet --python build/floors --only-binary :all: --requirement build/floors/requirements.txt
	$(PIP:install=wheel) --no-build-isolation --no-deps --wheel-dir build/floors .
	$(BIN)/uv pip install --quiet --python build/floors --no-deps build/floors/*.whl
	HYPOTHESIS_PROFILE=quick build/floors/bin/python -m pytest -q -n auto --first-cases -o filterwarnings=default \
		-m "not slow and not exports and not engines and not estimators and not simulations" $(FLOOR_TESTS)
	build/floors/bin/python -m pytest -q -n auto -o filterwarnings=default -m slow tests/learners/test_scikit_learn.py

sanitize: $(VENV)/.developing ## run the kernel tests under the address and undefined-behaviour sanitizers
	@$(PIP) --no-build-isolation --no-deps --upgrade --target build/sanitized \
		--config-settings=cmake.define.RULEWRIGHT_SANITIZE=ON --config-settings=install.strip=false \
		--config-settings=build-dir=build/sanitizing .
	LD_PRELOAD="$$($${CXX:-c++} -print-file-name=libasan.so) $$($${CXX:-c++} -print-file-name=libstdc++.so)" \
		ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
		$(BIN)/python tests/sanitized.py build/sanitized

estimators: $(VENV)/.developing ## run scikit-learn's checks with more settings of every estimator
	$(BIN)/python -m pytest -q -n auto -m estimators tests/learners

# The lowest and the last version of DuckDB 1; each in a folder that Python searches first.
OLD_DUCKDB := '1.3.0' '1.*'
engines: $(VENV)/.databases ## learn from tables in memory, in DuckDB 1 and 2, Polars, PostgreSQL and Spark, and compare the model files
	@test -n "$$RULEWRIGHT_DATA" || \
		{ echo "RULEWRIGHT_DATA must name the folder with the data sets"; exit 1; }
	$(BIN)/python -m pytest -q -m engines tests/learners # in one process: each engine starts once
	for version in $(OLD_DUCKDB); do \
		$(PIP) --no-deps --upgrade --target build/duckdb "duckdb==$$version" || exit 1; \
		PYTHONPATH=build/duckdb $(BIN)/python -c "import duckdb; print('DuckDB', duckdb.__version__)" && \
		PYTHONPATH=build/duckdb $(BIN)/python -m pytest -q -m engines -k duckdb tests/learners || exit 1; done

simulations: $(VENV)/.developing ## simulate every form of the bound, and print how often it fails
	$(BIN)/python -m pytest -q -s -m simulations tests/bounds tests/papers tests/learners/test_regression_certificate.py \
		tests/experiments tests/evaluation tests/models/test_drift_level.py

exports: $(VENV)/.databases ## run every export on 20,000 hard rows in its engine, and compare the answers
	$(BIN)/python -m pytest -q -n auto --dist loadfile -m exports tests/exports

browser: $(VENV)/.browsing ## work in reports and in the workbench with chromium, and compare with the library
	$(BIN)/python -m pytest -q -s -m browser tests/report tests/workbench

papers: $(VENV)/.developing ## compute the papers' tables and figures again, beside what they published
	@test -n "$$RULEWRIGHT_DATA" || \
		{ echo "RULEWRIGHT_DATA must name the folder with the papers' data sets"; exit 1; }
	for name in dlm-table1 scm-table1 scm-table2 sc-table sc-figures; do \
		$(BIN)/rulewright reproduce $$name || exit 1; done
	$(BIN)/python -m pytest -q -s -m papers tests/papers

papers-quick: $(VENV)/.developing ## run the short form of everything that rulewright reproduce knows
	@test -n "$$RULEWRIGHT_DATA" || \
		{ echo "RULEWRIGHT_DATA must name the folder with the papers' data sets"; exit 1; }
	for name in $$($(BIN)/python -c "from rulewright.experiments import EXPERIMENTS; print(*EXPERIMENTS)"); do \
		$(BIN)/rulewright reproduce $$name --quick || exit 1; done

bench: $(VENV)/.benching ## run the benchmarks against their peers, and print the ratios
	$(BIN)/python benchmarks/small.py
	$(BIN)/python benchmarks/thresholds.py
	$(BIN)/python benchmarks/half_spaces.py
	$(BIN)/python benchmarks/balls.py
	$(BIN)/python benchmarks/trees.py
	$(BIN)/python benchmarks/prediction.py
	$(BIN)/python benchmarks/j48.py
	$(BIN)/python benchmarks/rules.py
	$(BIN)/python benchmarks/classics.py accuracy --quick
	$(BIN)/python benchmarks/classics.py speed --quick
	@test -z "$$RULEWRIGHT_DATA" || $(BIN)/python benchmarks/sc_bound.py
	@test -z "$$RULEWRIGHT_DATA" || $(BIN)/python benchmarks/certificates.py forms --folds 1

bench-compare: $(VENV)/.developing ## compare the times of a few tasks with earlier ones; RECORD=1 keeps them
	$(BIN)/python benchmarks/history.py $(if $(RECORD),--record)

side-by-side: $(VENV)/.benching ## run other packages beside Rulewright on one table, and compare with docs/coming-from.md
	$(BIN)/python benchmarks/side_by_side.py

docs: $(VENV)/.documenting ## build the site of the documents, with its examples; a warning or a broken link is an error
	$(BIN)/python docs/site/build.py build/docs/source
	RULEWRIGHT_DATA= $(BIN)/python -m sphinx -W --keep-going -q build/docs/source build/docs/html
	$(BIN)/python docs/site/links.py build/docs/html build/docs/links.txt
	@echo "Open build/docs/html/index.html in a browser."

# The wheel is built from the sdist alone, with PYTHON. From 3.12 on it serves all later versions.
wheel: $(VENV)/.packaging ## build the sdist and a wheel, and try the wheel without a compiler
	rm -rf dist build/wheel
	$(BIN)/check-sdist --installer pip
	$(BIN)/python tests/free_threaded.py
	$(BIN)/python -m build --sdist --outdir dist
	$(BIN)/python -m pip --python "$$(command -v $(PYTHON))" wheel --no-deps --wheel-dir build/wheel dist/*.tar.gz
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/auditwheel repair --wheel-dir dist build/wheel/*.whl
	$(BIN)/twine check --strict dist/*
	$(PYTHON) tests/installed.py dist/*.whl

format: $(VENV)/.developing ## format the sources
	$(BIN)/ruff format
	$(BIN)/ruff check --fix
	$(BIN)/clang-format -i cpp/src/*pp cpp/bindings/*pp

golden: $(VENV)/.developing ## write golden model files of this version; none is overwritten
	$(BIN)/python tests/golden/make.py

schema: $(VENV)/.installed ## write the published schemas of model files and results
	$(BIN)/python -c "import json; from rulewright.certificates import model_schema; print(json.dumps(model_schema(), indent=1))" > docs/model.schema.json
	$(BIN)/python -c "import json; from rulewright.evaluation import result_schema; print(json.dumps(result_schema(), indent=1))" > docs/results.schema.json

pictures: $(VENV)/.installed ## draw the pictures of the documents
	$(BIN)/python docs/pictures/sc_graph.py > docs/pictures/sc-graph.svg
	RULEWRIGHT_DATA= $(BIN)/python docs/pictures/report.py docs/pictures/report.png
	$(BIN)/python docs/pictures/learners.py docs/pictures/learners

clean: ## remove everything that was made
	rm -rf $(VENV) build scratch .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
