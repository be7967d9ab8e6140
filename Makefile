# Works with GNU Make 3.81 and any POSIX shell.
# Programs run as `.venv/bin/python -m …`, so that the folder may be moved or have a space in its name.
PYTHON ?= python3
VENV = .venv/bin/python
INSTALL = -m pip install -qq --disable-pip-version-check
PIP = $(VENV) $(INSTALL)
# JupyterLab would ask whether it may fetch news.
NO_NEWS = -m jupyter labextension disable --level=sys_prefix @jupyterlab/apputils-extension:announcements >/dev/null 2>&1 || true
FIRST = notebooks/01_integer_encoding.ipynb
CHAPTER =
REPO =
REF =
PORT ?= 8000
# Tests side by side; tests/conftest.py says which of them stay together.
PARALLEL = -n auto --maxprocesses=4 --dist loadgroup

# Suites share the machine; each of them runs its tests side by side.
.NOTPARALLEL:

.PHONY: help lab lint slides book book-serve hub quick test test-slides test-book test-hub test-platforms test-firefox test-all bench bench-page notebooks figures experiments repo clean broken

help:
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' Makefile

lab: .venv/installed ## open JupyterLab at chapter 1 (the first call installs what it needs)
	@set --; \
	if [ "$$(id -u)" = 0 ]; then set -- "$$@" --allow-root; fi; \
	if [ "$$(uname)" != Darwin ] && [ -z "$$DISPLAY$$WAYLAND_DISPLAY" ]; then set -- "$$@" --no-browser; fi; \
	exec $(VENV) -m jupyterlab --LabApp.default_url=/lab/tree/$(FIRST) "$$@"

slides: .venv/installed-slides ## write the decks to build/slides, or with CHAPTER=04 one of them
	$(VENV) -m slides.export $(CHAPTER)

book: .venv/installed-book .venv/installed-lite ## write the web book, with the decks, to build/book/site
	$(VENV) -m book.bind

book-serve: book ## the same, and show it on this machine: PORT=8000
	$(VENV) -m http.server --bind 127.0.0.1 --directory build/book/site $(PORT)

hub: hub/.venv/installed ## start a JupyterHub on this machine, to try it out: hub/README.md, PORT=8000
	@mkdir -p build/hub && cd build/hub && PORT=$(PORT) exec ../../hub/.venv/bin/python -m jupyterhub -f ../../hub/jupyterhub_config.py

lint: .venv/installed-dev
	$(VENV) -m ruff check
	$(VENV) -m ruff format --check
	.venv/bin/oxlint --deny-warnings

# In one process, as to start more of them takes longer than they save.
quick: lint ## lint, mathematics, wrong input, prose, links: no kernel, no browser
	OPENBLAS_NUM_THREADS=1 $(VENV) -m pytest tests/quick

test: lint ## the same, then every chapter, in a real browser too
	@$(VENV) -m tools.web.browser
	$(VENV) -m pytest $(PARALLEL) tests/quick tests/run tests/pictures

test-slides: .venv/installed-dev .venv/installed-slides ## build the decks and check them in a real browser
	@$(VENV) -m tools.web.browser
	$(VENV) -m slides.export
	$(VENV) -m pytest $(PARALLEL) tests/slides

test-book: .venv/installed-dev .venv/installed-book .venv/installed-lite ## build the book and check its pages in a real browser
	@$(VENV) -m tools.web.browser
	$(VENV) -m book.bind
	$(VENV) -m pytest $(PARALLEL) tests/book

# Playwright brings its own Firefox; below 1.65 it takes that of FIREFOX=/usr/bin/firefox-esr, too.
test-firefox: .venv/installed-dev .venv/installed-slides .venv/installed-book .venv/installed-lite ## decks, book and the kernel in its pages, in Firefox
	@test -n "$$FIREFOX" || $(VENV) -m playwright install firefox
	$(VENV) -m slides.export
	$(VENV) -m book.bind
	$(VENV) -m pytest --browser firefox tests/slides/test_decks.py tests/book

test-hub: .venv/installed-dev hub/.venv/installed ## start the hub, log in, move a slider
	@$(VENV) -m tools.web.browser
	$(VENV) -m pytest tests/hub

test-platforms: .venv/installed-dev ## check old versions, Colab's, and PyTorch, or with SESSION=colab one of them
	@$(VENV) -m tools.web.browser
	$(VENV) -m nox $(if $(SESSION),-s $(SESSION))

test-all: test test-slides test-book test-hub test-platforms ## all of these, one after the other: half an hour

# QUICK=1 takes a sample, CHAPTER=04 one chapter; KEEP=1 puts all figures into README and book.
bench: bench/.venv/installed ## time sliders and tables beside other libraries: ten minutes; QUICK=1, CHAPTER=04, KEEP=1
	@bench/.venv/bin/python -m tools.web.browser
	@PYTHONPATH=notebooks bench/.venv/bin/python -m bench.measure $(if $(QUICK),--quick) $(if $(KEEP),--keep) $(CHAPTER)

# Firefox and WebKitGTK: apt-get install firefox-esr webkit2gtk-driver xvfb
bench-page: book bench/.venv/installed ## time the kernel in the page in Chromium, Firefox, WebKitGTK: an hour; CHAPTER=04, KEEP=1
	@FIREFOX=$${FIREFOX-/usr/bin/firefox-esr} PYTHONPATH=notebooks xvfb-run -a bench/.venv/bin/python -m bench.in_the_page $(if $(KEEP),--keep) $(CHAPTER)

notebooks: .venv/installed ## run every chapter, or CHAPTER=04, in a clean kernel and save it with its outputs
	$(VENV) -m tools.execute $(CHAPTER)

figures: .venv/installed ## draw what README shows, an explorer of chapter 2
	$(VENV) -m render.animate

# QUICK=1 takes a sample; KEEP=1 puts new rows into notebooks/course/trained.
experiments: experiments/.venv/installed ## train the models of chapters 9 and 10 again, compare: half an hour; QUICK=1, KEEP=1
	@PYTHONPATH=notebooks experiments/.venv/bin/python -m experiments.run $(if $(QUICK),--quick) $(if $(KEEP),--keep)

repo: .venv/installed ## tell Colab and Binder where the course is: REPO=owner/name REF=main
	@$(VENV) -m tools.repo "$(REPO)" "$(REF)"

clean: ## remove what was built and installed here
	rm -rf build .nox .venv */.venv

IS_NEW = -c 'import sys; sys.exit(sys.version_info < (3, 11))'

# A virtual environment whose Python is gone or lacks pip is made anew. The stamp comes
# last, so that an interrupted installation is taken up again.
.venv/installed: requirements.txt $(shell $(VENV) -c 'import pip' 2>/dev/null || echo broken)
	@$(PYTHON) $(IS_NEW) || { \
	  echo "The course needs Python 3.11 or newer. Name yours: make lab PYTHON=/path/to/python3" >&2; exit 1; \
	}
	@echo "Installing JupyterLab and four packages into .venv; this may take a minute …"
	@$(PYTHON) -m venv --clear .venv
	@$(PIP) -r requirements.txt
	@$(VENV) $(NO_NEWS)
	@touch $@

.venv/installed-slides: slides/requirements.txt .venv/installed
	@echo "Installing what a deck carries inside …"
	@$(PIP) --no-deps -r slides/requirements.txt
	@touch $@

# Without it the book is made all the same, and says so.
.venv/installed-lite: lite/requirements.txt lite/wheels.txt lite/pyodide.py lite/compile.mjs .venv/installed-book
	@echo "Fetching the kernel in the page …"
	@$(PIP) -r lite/requirements.txt
	@if $(VENV) -m lite.pyodide; then touch $@; fi

.venv/installed-book: book/requirements.txt .venv/installed-slides
	@echo "Installing what makes pages of notebooks …"
	@$(PIP) -r requirements.txt -r book/requirements.txt
	@touch $@

experiments/.venv/installed bench/.venv/installed: %/.venv/installed: %/requirements.txt .venv/installed
	@echo "Installing PyTorch, and more, into $*/.venv; this may take a minute …"
	@$(VENV) -m venv --clear $*/.venv
	@$*/.venv/bin/python $(INSTALL) -r $*/requirements.txt
	@touch $@

hub/.venv/installed: requirements.txt hub/requirements.txt .venv/installed
	@npm --version >/dev/null 2>&1 || { echo "JupyterHub's proxy needs npm, of Node.js 20 or newer." >&2; exit 1; }
	@echo "Installing JupyterHub into hub/.venv; this takes a minute …"
	@$(VENV) -m venv --clear hub/.venv
	@hub/.venv/bin/python $(INSTALL) -r requirements.txt -r hub/requirements.txt
	@npm install --silent --global --prefix hub/.venv configurable-http-proxy@5.3.0
	@hub/.venv/bin/python $(NO_NEWS)
	@touch $@

.venv/installed-dev: requirements-dev.txt .venv/installed
	@echo "Installing what the tests need; this may take a minute …"
	@$(PIP) -r requirements.txt -r requirements-dev.txt
	@touch $@
