import { isArray, isObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Resource } from '../../resource.js';
import { timestamp } from '@multicluster-engine/values/time';
import { Client, targetOf, ignoreCodes } from '../client.js';
import type { ControllerOptions } from '../options.js';
import { monitorAll } from '../monitors.js';
import { namespaceConditions, type RemainingContent } from './conditions.js';
import { WorkQueue } from '../workqueue.js';

const NAMESPACES = 'namespaces';
const FINALIZER = 'kubernetes';
const WORKERS = 4;
/** The delay of a reconciliation after a change in a terminating namespace, so that several changes need one. */
const REQUEUE_MS = 20;

/** Deletes the content of terminating namespaces, reports what remains in conditions, and finalizes empty namespaces. */
export function startNamespaceController(options: ControllerOptions): { end(): Promise<void> } {
  const terminating = new Set<string>();
  const deleter = new NamespaceDeleter(options);
  const queue = new WorkQueue({
    clock: options.clock,
    workers: WORKERS,
    reconcile: (name) => deleter.reconcile(name),
    onError: options.onError,
  });
  const namespaces = options.reader.watch(NAMESPACES, ({ metadata: { name = '', deletionTimestamp } }, type) => {
    if (type === 'put' && deletionTimestamp !== undefined) {
      terminating.add(name);
      queue.add(name);
    } else terminating.delete(name);
  });
  const contents = monitorAll(options.store, options.registry, {
    changed: (_collection, { entry: { key } }) => {
      const namespace = key.slice(0, Math.max(key.indexOf('/'), 0));
      if (terminating.has(namespace)) queue.addAfter(namespace, REQUEUE_MS);
    },
  });
  return {
    end() {
      namespaces.end();
      contents.end();
      return queue.end();
    },
  };
}

class NamespaceDeleter {
  readonly #options: ControllerOptions;
  readonly #client: Client;

  constructor(options: ControllerOptions) {
    this.#options = options;
    this.#client = new Client(options.verbs, 'namespace-controller');
  }

  async reconcile(name: string): Promise<void> {
    const namespace = this.#options.reader.get(NAMESPACES, '', name);
    if (
      namespace === undefined ||
      namespace.metadata.deletionTimestamp === undefined ||
      finalizersOf(namespace).length === 0
    )
      return;
    const remaining = await this.#deleteContent(name);
    await ignoreCodes([404], this.#report(namespace, remaining));
    if (remaining.errors.length > 0) throw new Error(remaining.errors.join(', '));
    if (remaining.resources.size === 0) await ignoreCodes([404], this.#finalize(name));
  }

  async #deleteContent(namespace: string): Promise<RemainingContent> {
    const resources = new Map<string, number>();
    const finalizers = new Map<string, number>();
    const errors: string[] = [];
    for (const resource of this.#resources()) {
      const failed = await this.#deleteAll(resource, namespace);
      if (failed !== undefined) errors.push(failed);
      const remainingObjects = this.#options.reader.list(resource.collection, namespace);
      if (remainingObjects.length > 0) resources.set(`${resource.plural}.${resource.group}`, remainingObjects.length);
      for (const finalizer of remainingObjects.flatMap((object) => object.metadata.finalizers ?? []))
        finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
    }
    return { resources, finalizers, errors };
  }

  /** Deletes all objects of a resource; returns the message of an error. */
  async #deleteAll(resource: Resource, namespace: string): Promise<string | undefined> {
    if (this.#options.store.list(resource.collection, `${namespace}/`).length === 0) return undefined;
    try {
      await this.#client.deleteCollection(resource, namespace);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** One version of each namespaced resource that can be listed and deleted. */
  #resources(): readonly Resource[] {
    const found = new Map<string, Resource>();
    for (const resource of this.#options.registry.all()) {
      const name = `${resource.plural}.${resource.group}`;
      if (
        resource.namespaced &&
        resource.verbs.includes('delete') &&
        resource.verbs.includes('list') &&
        !found.has(name)
      )
        found.set(name, resource);
    }
    return [...found.values()];
  }

  async #report(namespace: KubeObject, remaining: RemainingContent): Promise<void> {
    const status = isObject(namespace.status) ? namespace.status : {};
    const conditions = namespaceConditions(status.conditions, remaining, timestamp(this.#options.clock.now()));
    if (conditions === status.conditions && status.phase === 'Terminating') return;
    await this.#client.update(this.#target(namespace.metadata.name ?? '', 'status'), {
      ...namespace,
      status: { ...status, phase: 'Terminating', conditions },
    });
  }

  /** Reads the namespace again, since its conditions may have been written just now. */
  async #finalize(name: string): Promise<void> {
    const namespace = this.#options.reader.get(NAMESPACES, '', name);
    if (namespace === undefined) return;
    const spec = isObject(namespace.spec) ? namespace.spec : {};
    const finalizers = finalizersOf(namespace).filter((one) => one !== FINALIZER);
    await this.#client.update(this.#target(name, 'finalize'), { ...namespace, spec: { ...spec, finalizers } });
  }

  #target(name: string, subresource: string): ReturnType<typeof targetOf> {
    return targetOf(this.#options.registry, { group: '', plural: NAMESPACES, namespace: '', name, subresource });
  }
}

function finalizersOf({ spec }: KubeObject): readonly string[] {
  if (!isObject(spec) || !isArray(spec.finalizers)) return [];
  return spec.finalizers.filter((one) => typeof one === 'string');
}
