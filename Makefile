# The commands of this project. 'make help' lists them; each does all it needs.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help demo build test wheel test-wheel test-gpu test-mpi gpu-pack lint format docs site reference sweep sanitize oracle peers coverage tidy bench setup clean

PY := .venv/bin/python
# One compile job a core, and at most one for each 1.5 GiB of memory.
JOBS ?= $(shell m=$$(awk '/MemTotal/ { print int($$2 / 1572864) }' /proc/meminfo); \
	c=$$(nproc); j=$$((m < c ? m : c)); echo $$((j > 0 ? j : 1)))

##@ First steps

help: ## List these commands
	@echo 'make COMMAND: each does all that it needs, and says what it installs.'
	@awk '/^##@ / { printf "\n%s\n", substr($$0, 5) } \
	  match($$0, /^[a-z-]+:[^#]*## /) { name = $$1; sub(":", "", name); \
	    printf "  make %-9s  %s\n", name, substr($$0, RLENGTH + 1) }' Makefile
	@echo
	@echo 'JOBS=2 sets the number of compile jobs; build/bin has the tools, .venv/bin/python the package.'

demo: build ## Train a classifier of digits, export it, run it from C
	@$(PY) examples/digits/main.py

build: setup ## Build the compiler and the Python package (tools: build/bin, Python: .venv)
	@ninja -C build -j$(JOBS) $(if $(MAKE_TERMOUT),,--quiet)

test: build ## Run all tests; the last line counts them
	@$(PY) test/run.py

wheel: build ## Make wheels in dist/, for pip and machines without LLVM
	@JOBS=$(JOBS) tools/wheel/build.sh

##@ Before a change is merged

test-wheel: wheel ## Install the wheels into clean environments, LLVM hidden, and test them
	@JOBS=$(JOBS) tools/wheel/sdist.sh --build
	@tools/wheel/test.sh

test-gpu: build ## Run the Python tests with what they compute on an emulated GPU
	@bash tools/device/test_gpu.sh

test-mpi: build ## Test ranks with MPICH and with Open MPI, which it installs in build/open-mpi
	@bash tools/setup/test_mpi.sh

gpu-pack: setup ## Pack what tools/device/run.sh needs on a machine with a GPU
	@JOBS=$(JOBS) bash tools/device/pack.sh

lint: setup ## Check formatting, style, types and file sizes
	@ninja -C build -j$(JOBS) $(if $(MAKE_TERMOUT),,--quiet) cellPythonOps # the stubs that mypy reads
	@tools/setup/lint.sh

format: setup ## Format all sources
	@tools/setup/lint.sh --fix

docs: build ## Renew the generated pages of docs/ and what the code in pages prints
	@cp build/dialect/ops.md docs/ops.md
	@$(PY) tools/forms/write_forms.py --pages pyfront/cellgrad build/python/cellgrad/ops/_generated.py docs/functions.md build/docs/reference
	@$(PY) test/oracles/conventions.py
	@$(PY) tools/docs/op_status.py
	@$(PY) tools/docs/op_syntax.py
	@$(PY) tools/docs/api_names.py
	@$(PY) tools/docs/variables.py
	@$(PY) tools/docs/snippets.py --renew

site: build ## Build the site in build/site: all pages, the reference, search
	@test -f build/site-env/made -a build/site-env/made -nt tools/site/requirements.txt || \
	  { echo 'installing Sphinx into build/site-env'; python3 -m venv --clear build/site-env && \
	    build/site-env/bin/python -m pip install -q -r tools/site/requirements.txt && touch build/site-env/made; }
	@build/site-env/bin/python tools/site/build.py

reference: build ## Write a page for each group of functions to build/docs/reference
	@$(PY) tools/forms/write_forms.py --pages pyfront/cellgrad build/python/cellgrad/ops/_generated.py docs/functions.md build/docs/reference

##@ Long checks

sweep: build ## Run the long numerical sweeps and all random programs
	@$(PY) test/run.py --sweep

sanitize: build ## Run compiled code under AddressSanitizer: rule tests and examples
	@$(PY) tools/sanitize/run.py

oracle: build ## Compare thousands of small programs and MindSpore's own examples with MindSpore, which it installs: an hour
	@$(PY) test/oracles/side_by_side.py
	@$(PY) test/oracles/docstrings.py

peers: build ## Compare a hundred functions and whole programs with JAX, PyTorch and MindSpore
	@$(PY) test/oracles/compare.py
	@$(PY) test/oracles/programs.py

coverage: setup ## Count the lines that all tests run, with undefined behaviour as an error
	@cmake --preset checked -DPython_EXECUTABLE="$$PWD/.venv/bin/python" >/dev/null
	@ninja -C build-checked -j$(JOBS) --quiet
	@$(PY) tools/coverage/run.py

tidy: build ## Check the C++ sources for bug-prone code: half an hour
	@tools/setup/tidy.sh

bench: build ## Measure the figures of docs/figures.md
	@$(PY) bench/figures.py

##@ Installation

setup: ## Install what is missing (Debian 12) and make .venv and build; the others call it
	@tools/setup/bootstrap.sh

clean: ## Remove what builds made (.venv stays)
	@rm -rf build build-wheel dist build-release build-asan build-asan-python build-checked build-aarch64 build-device .device
