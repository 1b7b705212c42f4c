package main

import (
	"context"
	"sort"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	runtimecache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// journal records the calls of event handlers on other goroutines, in order.
type journal struct {
	lock  sync.Mutex
	lines []string
}

func (j *journal) add(words ...string) {
	j.lock.Lock()
	defer j.lock.Unlock()
	j.lines = append(j.lines, strings.Join(words, " "))
}

func (j *journal) await(count int) {
	await("calls of event handlers", func() bool {
		j.lock.Lock()
		defer j.lock.Unlock()
		return len(j.lines) >= count
	})
}

func (j *journal) handler() cache.ResourceEventHandler {
	describe := func(object any) string {
		held, ok := object.(client.Object)
		if !ok {
			return "something else"
		}
		if config, ok := held.(*corev1.ConfigMap); ok {
			return held.GetName() + " at " + config.Data["at"]
		}
		return held.GetName()
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { j.add("add", describe(object)) },
		UpdateFunc: func(old, object any) { j.add("update", describe(old), "to", describe(object)) },
		DeleteFunc: func(object any) { j.add("delete", describe(object)) },
	}
}

// useInformers watches ConfigMaps with a label through client-go's shared informers while they change.
func useInformers(ctx context.Context, _ *rest.Config, clients *kubernetes.Clientset) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	maps := clients.CoreV1().ConfigMaps(namespace)
	write := func(name, at string, watched string) {
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"watched": watched}}, Data: map[string]string{"at": at}}
		if _, err := maps.Update(ctx, object, metav1.UpdateOptions{}); err != nil {
			_, err = maps.Create(ctx, object, metav1.CreateOptions{})
			must(err)
		}
	}
	write("early", "0", "yes")
	write("unseen", "0", "no")
	factory := informers.NewSharedInformerFactoryWithOptions(clients, 0, informers.WithNamespace(namespace),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) { options.LabelSelector = "watched=yes" }))
	informer := factory.Core().V1().ConfigMaps()
	events := &journal{}
	_, err := informer.Informer().AddEventHandler(events.handler())
	must(err)
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	events.await(1)
	write("late", "1", "yes")
	events.await(2)
	write("early", "2", "yes")
	events.await(3)
	write("late", "3", "no")
	events.await(4)
	must(maps.Delete(ctx, "early", metav1.DeleteOptions{}))
	events.await(5)
	note("informer", events.lines)
	held, err := informer.Lister().ConfigMaps(namespace).List(labels.Everything())
	must(err)
	note("held at last", len(held))
	must(maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "watched"}))
}

// useCache reads and watches a custom kind through controller-runtime's cache, with an index.
func useCache(ctx context.Context, config *rest.Config, _ *kubernetes.Clientset) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	access, err := client.New(config, client.Options{})
	must(err)
	cached, err := runtimecache.New(config, runtimecache.Options{DefaultNamespaces: map[string]runtimecache.Config{namespace: {}}})
	must(err)
	must(cached.IndexField(ctx, gadget("", nil), "spec.color", func(object client.Object) []string {
		color, _, _ := unstructured.NestedString(object.(*unstructured.Unstructured).Object, "spec", "color")
		return []string{color}
	}))
	informer, err := cached.GetInformer(ctx, gadget("", nil))
	must(err)
	events := &journal{}
	_, err = informer.AddEventHandler(events.handler())
	must(err)
	must(access.Create(ctx, gadget("before", map[string]any{})))
	go func() { must(cached.Start(ctx)) }()
	if !cached.WaitForCacheSync(ctx) {
		note("cache", "never in step")
	}
	events.await(1)
	red := gadget("red", map[string]any{"color": "red"})
	must(access.Create(ctx, red))
	events.await(2)
	base := red.DeepCopy()
	must(unstructured.SetNestedField(red.Object, true, "status", "ready"))
	must(access.Status().Patch(ctx, red, client.MergeFrom(base)))
	events.await(3)
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(gadgets)
	must(cached.List(ctx, list, client.MatchingFields{"spec.color": "red"}))
	note("red ones", list.Items)
	red.SetFinalizers([]string{"example.com/kept"})
	must(access.Update(ctx, red))
	events.await(4)
	must(access.Delete(ctx, red))
	events.await(5)
	must(access.Get(ctx, client.ObjectKeyFromObject(red), red))
	red.SetFinalizers(nil)
	must(access.Update(ctx, red))
	events.await(6)
	note("cache", events.lines)
}

// elect runs two candidates for one Lease; the first releases it and the second acquires it.
func elect(ctx context.Context, _ *rest.Config, clients *kubernetes.Clientset) {
	events := &journal{}
	var running sync.WaitGroup
	candidate := func(name string) context.CancelFunc {
		ctx, stop := context.WithCancel(ctx)
		running.Add(1)
		go func() {
			defer running.Done()
			leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
				Lock: &resourcelock.LeaseLock{
					LeaseMeta: metav1.ObjectMeta{Name: "lead", Namespace: namespace}, Client: clients.CoordinationV1(), LockConfig: resourcelock.ResourceLockConfig{Identity: name},
				},
				LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 200 * time.Millisecond, ReleaseOnCancel: true,
				Callbacks: leaderelection.LeaderCallbacks{
					OnStartedLeading: func(context.Context) { events.add(name, "leads") },
					OnStoppedLeading: func() { events.add(name, "stopped") },
				},
			})
		}()
		return stop
	}
	stopFirst := candidate("first")
	events.await(1)
	stopSecond := candidate("second")
	stopFirst()
	events.await(3)
	lease, err := clients.CoordinationV1().Leases(namespace).Get(ctx, "lead", metav1.GetOptions{})
	must(err)
	note("holder", []any{*lease.Spec.HolderIdentity, *lease.Spec.LeaseDurationSeconds, *lease.Spec.LeaseTransitions})
	stopSecond()
	running.Wait()
	sort.Strings(events.lines)
	note("elections", events.lines)
}
