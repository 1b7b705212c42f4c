// The placement and the registration controllers of Open Cluster Management on a hub, in one program: ocm, with KUBECONFIG.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"context"
	"github.com/openshift/library-go/pkg/controller/controllercmd"
	"golang.org/x/sync/errgroup"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/tools/clientcmd"
	ocmfeature "open-cluster-management.io/api/feature"
	"open-cluster-management.io/ocm/pkg/features"
	placement "open-cluster-management.io/ocm/pkg/placement/controllers"
	registration "open-cluster-management.io/ocm/pkg/registration/hub"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	utilruntime.Must(features.HubMutableFeatureGate.Add(ocmfeature.DefaultHubRegistrationFeatureGates))
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	stop, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	group, ctx := errgroup.WithContext(stop)
	hub := &controllercmd.ControllerContext{KubeConfig: config, OperatorNamespace: "open-cluster-management-hub"}
	group.Go(func() error { return placement.RunControllerManager(ctx, hub) })
	group.Go(func() error { return registration.NewHubManagerOptions().RunControllerManager(ctx, hub) })
	return group.Wait()
}
