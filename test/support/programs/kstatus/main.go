// kstatus reads a JSON array of Kubernetes objects from standard input and prints a JSON array with what the kstatus
// library computes of each: Current, InProgress, Failed, Terminating, NotFound or Unknown.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "kstatus:", err)
		os.Exit(1)
	}
}

func run() error {
	var objects []json.RawMessage
	if err := json.NewDecoder(os.Stdin).Decode(&objects); err != nil {
		return err
	}
	computed := make([]string, 0, len(objects))
	for index, object := range objects {
		var one unstructured.Unstructured
		if err := one.UnmarshalJSON(object); err != nil {
			return fmt.Errorf("object %d: %w", index, err)
		}
		result, err := status.Compute(&one)
		if err != nil {
			return fmt.Errorf("object %d: %w", index, err)
		}
		computed = append(computed, result.Status.String())
	}
	return json.NewEncoder(os.Stdout).Encode(computed)
}
