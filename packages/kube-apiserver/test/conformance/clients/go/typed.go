package main

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
)

// useTyped creates, reads, changes and applies built-in kinds; the typed clients send these as protobuf.
func useTyped(ctx context.Context, config *rest.Config, clients *kubernetes.Clientset) {
	core := clients.CoreV1()
	made, err := core.ConfigMaps(namespace).Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "typed", Labels: map[string]string{"app": "a"}}, Data: map[string]string{"a": "1"}, BinaryData: map[string][]byte{"b": {0, 255}},
	}, metav1.CreateOptions{FieldManager: "tester"})
	must(err)
	note("configmap", made)
	secret, err := core.Secrets(namespace).Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "typed"}, StringData: map[string]string{"a": "b"}}, metav1.CreateOptions{})
	must(err)
	note("secret", secret)
	service, err := core.Services(namespace).Create(ctx, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "typed"},
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Name: "http", Port: 80, TargetPort: intstr.FromString("web")}}},
	}, metav1.CreateOptions{})
	must(err)
	note("service", service)
	labels := map[string]string{"app": "typed"}
	deployment, err := clients.AppsV1().Deployments(namespace).Create(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "typed"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web:1", Ports: []corev1.ContainerPort{{ContainerPort: 80}}}}},
			},
		},
	}, metav1.CreateOptions{FieldManager: "tester"})
	must(err)
	note("deployment", deployment)
	deployment.Status = appsv1.DeploymentStatus{ObservedGeneration: 1, Replicas: 1}
	deployment, err = clients.AppsV1().Deployments(namespace).UpdateStatus(ctx, deployment, metav1.UpdateOptions{})
	must(err)
	note("deployment status", deployment.Status)
	holder, seconds, now := "me", int32(15), metav1.NewMicroTime(time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC))
	lease, err := clients.CoordinationV1().Leases(namespace).Create(ctx, &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: "typed"}, Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds, RenewTime: &now},
	}, metav1.CreateOptions{})
	must(err)
	note("lease", lease)
	_, err = clients.RbacV1().Roles(namespace).Create(ctx, &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "typed"}, Rules: []rbacv1.PolicyRule{{Verbs: []string{"get"}}}}, metav1.CreateOptions{})
	refused("role without resources", err)
	change(ctx, clients)
}

// change writes one ConfigMap by every kind of request of client-go.
func change(ctx context.Context, clients *kubernetes.Clientset) {
	maps := clients.CoreV1().ConfigMaps(namespace)
	stale, err := maps.Get(ctx, "typed", metav1.GetOptions{})
	must(err)
	must(retry.RetryOnConflict(retry.DefaultRetry, func() error {
		current, err := maps.Get(ctx, "typed", metav1.GetOptions{})
		must(err)
		current.Data["a"] = "2"
		_, err = maps.Update(ctx, current, metav1.UpdateOptions{FieldManager: "tester"})
		return err
	}))
	stale.Data["a"] = "3"
	_, err = maps.Update(ctx, stale, metav1.UpdateOptions{})
	refused("stale update", err)
	for _, patch := range []struct {
		kind types.PatchType
		body string
	}{
		{types.JSONPatchType, `[{"op":"add","path":"/data/json","value":"yes"}]`},
		{types.MergePatchType, `{"data":{"json":null,"merge":"yes"}}`},
		{types.StrategicMergePatchType, `{"metadata":{"labels":{"strategic":"yes"}}}`},
	} {
		patched, err := maps.Patch(ctx, "typed", patch.kind, []byte(patch.body), metav1.PatchOptions{FieldManager: "tester"})
		must(err)
		note(string(patch.kind), patched)
	}
	_, err = maps.Patch(ctx, "typed", types.JSONPatchType, []byte(`[{"op":"test","path":"/data/a","value":"9"}]`), metav1.PatchOptions{})
	refused("patch whose test fails", err)
	applied, err := maps.Apply(ctx, applycorev1.ConfigMap("typed", namespace).WithData(map[string]string{"applied": "1"}), metav1.ApplyOptions{FieldManager: "applier"})
	must(err)
	note("applied", applied)
	_, err = maps.Apply(ctx, applycorev1.ConfigMap("typed", namespace).WithData(map[string]string{"a": "9"}), metav1.ApplyOptions{FieldManager: "applier"})
	refused("applied over another", err)
	mine, err := applycorev1.ExtractConfigMap(applied, "applier")
	must(err)
	note("mine", mine)
	_, err = maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "typed"}}, metav1.CreateOptions{})
	refused("created twice", err)
	wrong := types.UID("00000000-0000-0000-0000-000000000000")
	refused("deleted by a wrong uid", maps.Delete(ctx, "typed", metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &wrong}}))
	must(maps.Delete(ctx, "typed", *metav1.NewPreconditionDeleteOptions(string(applied.UID))))
	_, err = maps.Get(ctx, "typed", metav1.GetOptions{})
	refused("read after it", err)
}
