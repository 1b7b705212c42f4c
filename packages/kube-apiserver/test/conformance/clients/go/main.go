// Command client uses client-go and controller-runtime with the API server of KUBECONFIG and prints the results, one per line.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	namespace = "go-client"
	group     = "go.clients.example.com"
	deadline  = 30 * time.Second
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	defer cancel()
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	must(err)
	config.QPS = -1
	clients := kubernetes.NewForConfigOrDie(config)
	_, err = clients.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	must(err)
	for _, part := range []func(context.Context, *rest.Config, *kubernetes.Clientset){useTyped, useRuntimeClient, useInformers, useCache, elect} {
		part(ctx, config, clients)
	}
}

// note prints a result: text unchanged, everything else as JSON with sorted keys, without values that the server sets.
func note(what string, value any) {
	if text, ok := value.(string); ok {
		fmt.Printf("%s: %s\n", what, text)
		return
	}
	encoded, err := json.Marshal(value)
	must(err)
	var plain any
	must(json.Unmarshal(encoded, &plain))
	encoded, err = json.Marshal(stable(plain))
	must(err)
	fmt.Printf("%s: %s\n", what, encoded)
}

var madeUp = map[string]bool{
	"uid": true, "resourceVersion": true, "creationTimestamp": true, "time": true, "lastTransitionTime": true, "continue": true, "clusterIP": true, "clusterIPs": true,
}

func stable(value any) any {
	switch held := value.(type) {
	case map[string]any:
		for key := range held {
			if madeUp[key] {
				delete(held, key)
				continue
			}
			held[key] = stable(held[key])
		}
	case []any:
		for at := range held {
			held[at] = stable(held[at])
		}
	}
	return value
}

var uid = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// refused prints the error of a request that has to fail.
func refused(what string, err error) {
	text := "went through"
	if err != nil {
		text = fmt.Sprintf("%s: %s", apierrors.ReasonForError(err), uid.ReplaceAllString(err.Error(), "UID"))
	}
	note(what, text)
}

// await polls until done returns true. The program ends with an error after a deadline.
func await(what string, done func() bool) {
	for end := time.Now().Add(deadline); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			fmt.Printf("waited in vain for %s\n", what)
			os.Exit(1)
		}
	}
}

func must(err error) {
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
}
