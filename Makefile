# `make demo` and `make test` do their own set-up: they need Python 3.11+ and a C++ compiler.
PYTHON ?= python3
VENV   := .venv
RUN    := $(VENV)/bin
# Byte code is made when a module is first imported, and most modules never are.
PIP    := $(RUN)/python -m pip install -qq --no-compile --disable-pip-version-check -c constraints.txt
CORE   := CMakeLists.txt pyproject.toml $(wildcard cpp/* cpp/*/*)

.DEFAULT_GOAL := help
.PHONY: help demo test test-browser lint bench core sanitize clean

help:  ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

demo: $(VENV)/base  ## plan a day of the bundled example; leave the plan and pictures in demo/
	@mkdir -p demo
	$(RUN)/hcvrp solve examples/stops.csv --fleet examples/vans.csv --time-limit 2 --out demo/plan.csv --plot demo/plan.png
	$(RUN)/hcvrp plot examples/stops.csv demo/plan.csv --fleet examples/vans.csv --out demo/plan.html
	@echo "Open demo/plan.html in a browser and demo/plan.csv in a spreadsheet."

test: $(VENV)/dev lint  ## lint, then every test that is not slow
	$(RUN)/python -m pytest -q --cov=hcvrp --cov-report=term:skip-covered

CHROMIUM ?= /usr/bin/chromium
test-browser: $(VENV)/browser  ## the page in a real browser
	@test -x $(CHROMIUM) || (apt-get update -qq && apt-get install -y -qq chromium >/dev/null)
	CHROMIUM=$(CHROMIUM) $(RUN)/python -m pytest -q tests/browser -m browser

lint: $(VENV)/dev  ## ruff, mypy --strict, import contracts
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .
	$(RUN)/mypy
	$(RUN)/lint-imports

bench: $(VENV)/dev  ## speed, as ratios within one run; UPDATE=1 records them
	$(RUN)/python -m pytest -q benchmarks --benchmark-columns=median,ops --benchmark-sort=name $(if $(UPDATE),--update-ratios)

core:  ## build the compiled core into src/, for `PYTHONPATH=src python3 -m hcvrp…`
	cmake -S . -B build/core -DPython_EXECUTABLE="$$(command -v $(PYTHON))" >/dev/null
	cmake --build build/core --parallel "$$(getconf _NPROCESSORS_ONLN)"
	cmake --install build/core --prefix src >/dev/null

# A second copy of the package with a core that watches itself. The editable install puts a finder
# before every path, so the tests are started without it; and libasan finds the C++ exceptions of
# the core only if the C++ library comes with it. Without precompiled headers every file proves that
# it includes what it uses.
SANITIZED := build/sanitize/package
sanitize: $(VENV)/dev  ## the search tests under AddressSanitizer and UBSan
	$(RUN)/cmake -S . -B build/sanitize -DHCVRP_SANITIZE=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DPython_EXECUTABLE="$$(realpath -s $(RUN)/python)" >/dev/null
	$(RUN)/cmake --build build/sanitize --parallel "$$(getconf _NPROCESSORS_ONLN)"
	rm -rf $(SANITIZED) && mkdir -p $(SANITIZED) && cp -r src/hcvrp $(SANITIZED)
	rm -f $(SANITIZED)/hcvrp/_core*.so && $(RUN)/cmake --install build/sanitize --prefix $(SANITIZED) >/dev/null
	LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 \
	UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 PYTHONPATH=$(SANITIZED) \
	$(RUN)/python -c "import sys; sys.meta_path = [f for f in sys.meta_path if 'ScikitBuild' not in type(f).__name__]; \
	import hcvrp._core as c; assert 'sanitize' in c.__file__, c.__file__; \
	import pytest; sys.exit(pytest.main(['-q', 'tests/search']))"

clean:  ## remove the virtual environment and everything built
	rm -rf $(VENV) build demo src/hcvrp/_core*.so

# The environment grows in steps: build tools, then the package, then what tests need.
$(VENV)/tools: constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(PIP) scikit-build-core nanobind cmake ninja
	@touch $@

$(VENV)/base: $(VENV)/tools $(CORE)
	$(PIP) --no-build-isolation --editable .
	@touch $@

# torch comes first and alone, so that no looser requirement picks a larger build.
$(VENV)/dev: $(VENV)/base
	$(PIP) torch==2.13.0
	$(PIP) --no-build-isolation --editable '.[dev,learn,serve]'
	@touch $@

$(VENV)/browser: $(VENV)/dev
	$(PIP) --no-build-isolation --editable '.[browser]'
	@touch $@
