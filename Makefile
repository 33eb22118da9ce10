# Every target does the set-up it needs first. `make` alone lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help

# debug builds fastest and shares its work with the tests; release runs fastest.
CONFIG ?= debug

.PHONY: help run demo postgres test test-postgres examples release plain landmarks bench docs lint format setup acceptance clean install uninstall

help: ## List what can be made
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

run: ## Build Quakes and serve its page on http://127.0.0.1:8080 (PORT=, FEED=, STORE=, CONFIG=release)
	@CONFIG=$(CONFIG) scripts/run

demo: ## The same on a synthetic feed, without any network
	@CONFIG=$(CONFIG) scripts/demo

postgres: ## Start a PostgreSQL server in .setup for trying out, and print its address for STORE= (DO=stop or status)
	@scripts/postgres $(or $(DO),start)

landmarks: ## Build Landmarks and run its server and the pages of two devices (PORT=, FAULTS=, CONFIG=release)
	@CONFIG=$(CONFIG) scripts/landmarks

test: ## Build and run all tests, those in the browser included (SCALE=10: ten times the rounds of random tests)
	@SCALE=$(SCALE) scripts/test

test-postgres: ## Run the suites that aren't about files with stores on a PostgreSQL server (VERSION=16 or 18)
	@scripts/setup test
	@SCALE=$(SCALE) scripts/test postgres $(VERSION)

examples: ## Build the examples, and run their tests and programs
	@scripts/setup run
	@scripts/examples

release: ## Build the programs and with them the framework, optimised, and see that they start
	@scripts/setup run
	@scripts/build release
	@"$$(swift build --configuration release --show-bin-path)/quakes" --version
	@scripts/build release landmarks
	@"$$(swift build --configuration release --show-bin-path)/landmarks" --version

# scripts/install has PREFIX and DESTDIR from the environment, to which make adds what its command line sets: paths with
# blanks stay whole.
install: ## Build the programs and install them with pages of the manual and completions (PREFIX=/usr/local, DESTDIR=)
	@scripts/install

uninstall: ## Remove what make install installs, but no stores
	@scripts/install uninstall

plain: ## Build without what wins only time (docs/speed-switches.md) and run the Swift tests
	@scripts/plain

bench: ## Time everything against SQLite's C interface (ONLY="W1 W4", ARGS=--help)
	@scripts/setup run
	@scripts/bench $(if $(ONLY),--only $(ONLY)) $(ARGS)

docs: ## Write guides and reference as a site to .build/documentation
	@scripts/document

lint: ## Check style, scripts, layers and documentation (in a build) and what is committed
	@scripts/lint

format: ## Lay the Swift code out as make lint wants it
	@swift format --in-place --recursive --parallel --configuration .swift-format Sources Tests Plugins Package.swift Apps/Sources Apps/Tests Apps/Package.swift Examples

setup: ## Install what run, demo and test need
	@scripts/setup test

acceptance: ## Run acceptance checks (ONLY="apps faults feeds models history package postgres sync speed", SCALE=release, ITEMS="1 3", ARGS=--help)
	@scripts/setup $(if $(filter-out speed,$(or $(ONLY),faults)),test,run)
	@$(if $(filter speed,$(ONLY)),scripts/setup bench)
	@for check in $(or $(ONLY),faults); do scripts/acceptance/run $$check $(if $(SCALE),--scale $(SCALE)) $(if $(ITEMS),--items $(ITEMS)) $(ARGS) || failed=1; done; [[ -z "$$failed" ]]

clean: ## Remove all that the other targets made
	@scripts/postgres stop
	rm -rf .build .setup Benchmarks/.build Apps/.build Examples/.build Examples/*/.build
	rm -f Apps/Sources/LocalApp/Resources/vendor/{maplibre-gl.js,maplibre-gl.css,d3.js}
	rm -rf Apps/Sources/*/Resources/web/bundle
	find Apps/Tests scripts -type d -name __pycache__ -prune -exec rm -rf {} +
