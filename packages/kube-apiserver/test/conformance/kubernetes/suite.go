//go:build tools

// Package suite names Kubernetes' own end-to-end tests, so that their version and all that they need are pinned here.
package suite

import _ "k8s.io/kubernetes/test/e2e"
