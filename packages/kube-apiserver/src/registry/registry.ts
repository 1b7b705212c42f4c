import type { KubeObject } from '@multicluster-engine/values/object';
import type { Registry, Resource } from '../resource.js';
import type { Subscription } from '../store/store.js';
import { customResources } from './custom/resource.js';
import type { ObjectReader } from './reader.js';

export const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';

/** The resources that are served now, with notification of changes. */
export interface ServedRegistry extends Registry {
  /** Calls the listener after every change, synchronously. */
  onChange(listener: () => void): Subscription;
}

/**
 * Serves the built-in kinds and those of established CustomResourceDefinitions. A definition takes effect when it is
 * durable; its resources stay the same objects while they do not change.
 */
export function createRegistry(builtins: readonly Resource[], reader: ObjectReader): ServedRegistry {
  const registry = new DefinedRegistry(builtins);
  reader.watch(DEFINITIONS, (definition, type) => registry.define(definition, type));
  return registry;
}

class DefinedRegistry implements ServedRegistry {
  readonly #builtins: readonly Resource[];
  readonly #builtinGroups: ReadonlySet<string>;
  readonly #custom = new Map<string, readonly Resource[]>();
  readonly #listeners = new Set<() => void>();
  #byPlural = new Map<string, Resource>();
  #byKind = new Map<string, Resource>();
  #all: readonly Resource[] = [];
  #generation = 0;

  constructor(builtins: readonly Resource[]) {
    this.#builtins = builtins;
    this.#builtinGroups = new Set(builtins.map(({ group }) => group));
    this.#index();
  }

  get generation(): number {
    return this.#generation;
  }

  define(definition: KubeObject, type: 'put' | 'remove'): void {
    const name = definition.metadata.name ?? '';
    const before = this.#custom.get(name) ?? [];
    const after = type === 'remove' ? [] : customResources(definition, before);
    if (after.length === before.length && after.every((resource, index) => resource === before[index])) return;
    if (after.length === 0) this.#custom.delete(name);
    else this.#custom.set(name, after);
    this.#index();
    for (const listener of this.#listeners) listener();
  }

  find(group: string, version: string, plural: string): Resource | undefined {
    return this.#byPlural.get(`${group}/${version}/${plural}`);
  }

  findKind(group: string, version: string, kind: string): Resource | undefined {
    return this.#byKind.get(`${group}/${version}/${kind}`);
  }

  all(): readonly Resource[] {
    return this.#all;
  }

  isBuiltinGroup(group: string): boolean {
    return this.#builtinGroups.has(group);
  }

  onChange(listener: () => void): Subscription {
    this.#listeners.add(listener);
    return { end: () => void this.#listeners.delete(listener) };
  }

  /** A built-in kind takes precedence over a custom kind of the same name. */
  #index(): void {
    const custom = [...this.#custom.entries()]
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .flatMap(([, resources]) => resources);
    this.#all = [...this.#builtins, ...custom];
    this.#byPlural = new Map();
    this.#byKind = new Map();
    for (const resource of [...this.#all].reverse()) {
      const { group, version, plural, kind } = resource;
      this.#byPlural.set(`${group}/${version}/${plural}`, resource);
      this.#byKind.set(`${group}/${version}/${kind}`, resource);
    }
    this.#generation += 1;
  }
}
