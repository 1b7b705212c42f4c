// The controllers of Kueue that send workloads to the clusters of a MultiKueueConfig, without the rest of its manager:
// kueue NAMESPACE PLUGIN, with KUBECONFIG. PLUGIN finds the credentials of clusters with a ClusterProfile of multicluster-engine.
package main

import (
	"fmt"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	inventory "sigs.k8s.io/cluster-inventory-api/apis/v1alpha1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	configapi "sigs.k8s.io/kueue/apis/config/v1beta2"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/kueue/pkg/controller/admissionchecks/multikueue"
	"sigs.k8s.io/kueue/pkg/features"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: kueue NAMESPACE PLUGIN")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(namespace, plugin string) error {
	ctrl.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	gate := map[string]bool{string(features.MultiKueueClusterProfile): true}
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(gate); err != nil {
		return err
	}
	profiles := &configapi.ClusterProfile{CredentialsProviders: []configapi.ClusterProfileCredentialsProvider{{
		Name: "multicluster-engine",
		ExecConfig: clientcmdapi.ExecConfig{
			APIVersion:         "client.authentication.k8s.io/v1",
			Command:            plugin,
			ProvideClusterInfo: true,
		},
	}}}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, kueue.AddToScheme, inventory.AddToScheme} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	stop := ctrl.SetupSignalHandler()
	if err := multikueue.SetupIndexer(stop, manager.GetFieldIndexer(), namespace); err != nil {
		return err
	}
	if err := multikueue.SetupControllers(
		manager, namespace, multikueue.WithGCInterval(5*time.Second), multikueue.WithClusterProfiles(profiles),
	); err != nil {
		return err
	}
	return manager.Start(stop)
}
