# Each target is one line to an npm script or a tool; `make help` lists them.
SHELL := /bin/bash
.DEFAULT_GOAL := help
CONTAINER_TOOL ?= docker
KUBECTL ?= kubectl
# The image that was asked for: empty where the overlay's own is to be used.
ASKED := $(IMAGE)
# Nobody can publish an image under this name: it stays on this machine until it is pushed under another one.
IMAGE ?= localhost/multicluster-engine:$(shell bash tools/identity.sh tag)
OVERLAY ?= default
DEPENDENCIES := node_modules/.package-lock.json

.PHONY: help build plugin run hub check test test-all nightly control-plane programs verify generate apiserver-data apiserver-recordings format lint image deploy manifests rehearse clean

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "%-21s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(DEPENDENCIES): package-lock.json
	@echo 'installing the packages of package-lock.json ...'
	@npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier

build: $(DEPENDENCIES) ## Compile to dist/
	@echo 'compiling ...'
	@npm run --silent build

dist/src/main.js:
	@$(MAKE) --no-print-directory build

plugin: dist/src/main.js ## Make `kubectl mce` and `multicluster-engine` of this checkout in dist/bin, for your PATH
	@bash tools/plugin.sh dist/bin
	@echo 'export PATH="$(CURDIR)/dist/bin:$$PATH"'

run: build ## Start the product with an API of its own: needs Node and nothing else; ARGS='--seed-fleet 200' passes flags
	@node dist/src/main.js standalone$(if $(ARGS), $(ARGS))

hub: build control-plane ## Start it on a real control plane, built here once (Ctrl-C ends and removes it)
	@node dist/test/support/hub/run.js

check: build ## Run one test file, or the tests nearest to a source file: T=path[:name]
	@node dist/tools/tests/check.js '$(T)'

test: $(DEPENDENCIES) ## Run the fast tests on the embedded API server: Node and kubectl; the last line is "N passed, N failed"
	@npm run --silent test

test-all: $(DEPENDENCIES) ## Run every test but those of the night, with the coverage gate: needs Go once
	@npm run --silent test:all

nightly: $(DEPENDENCIES) ## Run campaigns, load, 5,000 differential sequences, other clients, Kubernetes' specs, mutants (hours)
	@npm run --silent test:nightly

control-plane: ## Build etcd, kube-apiserver, kubectl and the rest (Go 1.26, minutes, once a machine)
	@bash packages/kube-apiserver/testing/control-plane/build.sh

programs: ## Build helm and kustomize for the tests of the installation (Go 1.26, a minute, once a machine)
	@bash test/support/programs/build.sh

verify: $(DEPENDENCIES) ## Regenerate, lint, type-check, check commit subjects; fail when generated files change
	@bash tools/verify.sh

generate: $(DEPENDENCIES) ## Make what is derived from crds/ and deploy/ (types, reference, Helm chart)
	npm run --silent generate

apiserver-data: build control-plane ## Make the data of packages/kube-apiserver from the real API server and its Go structs (needs Go)
	node packages/kube-apiserver/dist/tools/data.js

apiserver-recordings: build control-plane ## Record what the real API server answers to the variants of built-in kinds (needs Go)
	node packages/kube-apiserver/dist/tools/record.js

format: $(DEPENDENCIES) ## Format the sources
	@npm run --silent format

lint: $(DEPENDENCIES) ## Lint src, test and tools
	npm run --silent lint

image: ## Build the image IMAGE with CONTAINER_TOOL; BASE and BASE_DIGEST select the image that Node is taken from
	$(CONTAINER_TOOL) build -t $(IMAGE) --build-arg VERSION=$(shell bash tools/identity.sh version) --build-arg REVISION=$(shell bash tools/identity.sh commit) --build-arg CREATED=$(shell bash tools/identity.sh date)$(if $(BASE), --build-arg BASE=$(BASE))$(if $(BASE_DIGEST), --build-arg BASE_DIGEST=$(BASE_DIGEST)) .

deploy: manifests ## Install overlay OVERLAY (default, ha, namespaced, openshift) with IMAGE into the current cluster
	$(KUBECTL) apply --server-side -f dist/definitions.yaml -f dist/install.yaml

# As variables of the environment: no shell reads what they hold.
manifests: export KUBECTL := $(KUBECTL)
manifests: export OVERLAY := $(OVERLAY)
manifests: export ASKED := $(ASKED)
manifests: ## Write what `deploy` applies to dist/definitions.yaml and dist/install.yaml
	@bash tools/manifests.sh dist/install.yaml "$$OVERLAY" "$$ASKED"
	@echo dist/definitions.yaml dist/install.yaml

rehearse: ## Rehearse a release in .rehearsal: make it, install it in each way, upgrade to it (Go 1.26, minutes; docs/how-to/release.md)
	@bash tools/release/rehearse.sh .rehearsal $(VERSION)

clean: ## Remove what was built here; the control plane stays in the user's cache
	npm run --silent clean
