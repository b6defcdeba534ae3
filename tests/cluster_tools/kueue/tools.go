//go:build tools

// Package tools names the program that tests/operators/controller.sh builds from
// this module.
package tools

import _ "sigs.k8s.io/kueue/cmd/kueue"
