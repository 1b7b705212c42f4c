package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

var gadgets = schema.GroupVersionKind{Group: group, Version: "v1", Kind: "Gadget"}

func gadget(name string, spec map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	object.SetGroupVersionKind(gadgets)
	object.SetNamespace(namespace)
	object.SetName(name)
	return object
}

// install creates the CustomResourceDefinition of Gadget and waits until it is served.
func install(ctx context.Context, access client.Client) {
	definition := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "gadgets." + group},
		"spec": map[string]any{
			"group": group, "scope": "Namespaced", "names": map[string]any{"plural": "gadgets", "kind": "Gadget"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true, "subresources": map[string]any{"status": map[string]any{}},
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type": "object",
					"properties": map[string]any{
						"spec": map[string]any{"type": "object", "properties": map[string]any{
							"size":  map[string]any{"type": "integer", "minimum": 1},
							"color": map[string]any{"type": "string", "default": "blue"},
						}},
						"status": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true},
					},
				}},
			}},
		},
	}}
	must(access.Create(ctx, definition))
	await("gadgets to be served", func() bool {
		list := &unstructured.UnstructuredList{}
		list.SetGroupVersionKind(gadgets)
		return access.List(ctx, list) == nil
	})
}

// useRuntimeClient writes and reads custom resources through the client of controller-runtime.
func useRuntimeClient(ctx context.Context, config *rest.Config, _ *kubernetes.Clientset) {
	access, err := client.New(config, client.Options{})
	must(err)
	install(ctx, access)
	owned := client.FieldOwner("tester")
	_, err = access.RESTMapper().RESTMapping(schema.GroupKind{Group: group, Kind: "Unheard"})
	note("unknown kind", map[string]bool{"no match": meta.IsNoMatchError(err)})

	first := gadget("first", map[string]any{"size": int64(1)})
	must(access.Create(ctx, first, owned))
	note("created", first)
	refused("invalid", access.Create(ctx, gadget("wrong", map[string]any{"size": int64(0)})))
	base := first.DeepCopy()
	must(unstructured.SetNestedField(first.Object, int64(2), "spec", "size"))
	must(access.Patch(ctx, first, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{}), owned))
	note("patched", first)
	late := base.DeepCopy()
	must(unstructured.SetNestedField(late.Object, "red", "spec", "color"))
	refused("patched from an old one", access.Patch(ctx, late, client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{})))

	base = first.DeepCopy()
	must(unstructured.SetNestedField(first.Object, true, "status", "ready"))
	must(unstructured.SetNestedField(first.Object, int64(9), "spec", "size"))
	must(access.Status().Patch(ctx, first, client.MergeFrom(base), owned))
	note("status patched", first)
	must(access.Apply(ctx, client.ApplyConfigurationFromUnstructured(gadget("applied", map[string]any{"size": int64(3)})), client.FieldOwner("applier")))
	again := gadget("applied", map[string]any{"size": int64(4)})
	refused("applied by another", access.Apply(ctx, client.ApplyConfigurationFromUnstructured(again), client.FieldOwner("other")))
	must(access.Apply(ctx, client.ApplyConfigurationFromUnstructured(again), client.FieldOwner("other"), client.ForceOwnership))
	status := gadget("applied", nil)
	delete(status.Object, "spec")
	must(unstructured.SetNestedField(status.Object, "yes", "status", "seen"))
	must(access.Status().Apply(ctx, client.ApplyConfigurationFromUnstructured(status), client.FieldOwner("other")))
	read := gadget("applied", nil)
	must(access.Get(ctx, client.ObjectKeyFromObject(read), read))
	note("applied", read)

	child := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "child", Namespace: namespace}}
	for range 2 {
		result, err := controllerutil.CreateOrUpdate(ctx, access, child, func() error {
			child.Data = map[string]string{"of": read.GetName()}
			return controllerutil.SetControllerReference(read, child, access.Scheme())
		})
		must(err)
		note("child", string(result))
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(gadgets)
	must(access.List(ctx, list, client.InNamespace(namespace), client.Limit(1)))
	note("page", []any{len(list.Items), list.GetContinue() != ""})
	metadata := &metav1.PartialObjectMetadataList{}
	metadata.SetGroupVersionKind(gadgets)
	must(access.List(ctx, metadata, client.InNamespace(namespace)))
	note("metadata", metadata)
	must(access.DeleteAllOf(ctx, gadget("", nil), client.InNamespace(namespace)))
	refused("read after it", access.Get(ctx, client.ObjectKeyFromObject(read), read))
	must(access.Delete(ctx, child))
}
