import { isObject, type Json } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { ObjectReader } from '../../../src/registry/reader.js';

type Listener = (object: KubeObject, type: 'put' | 'remove') => void;

const PLURALS: Readonly<Record<string, string>> = {
  PodDisruptionBudget: 'poddisruptionbudgets',
  NetworkPolicy: 'networkpolicies',
};

/** Objects in memory by collection; listeners are called synchronously. */
export class FakeReader implements ObjectReader {
  readonly #objects = new Map<string, Map<string, KubeObject>>();
  readonly #listeners = new Map<string, Set<Listener>>();

  add(...objects: Json[]): void {
    for (const one of objects) {
      const object = asObject(one);
      this.#of(object).set(keyOf(object), object);
      this.#notify(object, 'put');
    }
  }

  remove(one: Json): void {
    const object = asObject(one);
    this.#of(object).delete(keyOf(object));
    this.#notify(object, 'remove');
  }

  get(collection: string, namespace: string, name: string): KubeObject | undefined {
    return this.#objects.get(collection)?.get(`${namespace}/${name}`);
  }

  list(collection: string, namespace = ''): readonly KubeObject[] {
    const all = [...(this.#objects.get(collection)?.values() ?? [])];
    return all.filter((object) => namespace === '' || object.metadata.namespace === namespace);
  }

  watch(collection: string, listener: Listener): { end: () => void } {
    const listeners = this.#listeners.get(collection) ?? new Set();
    this.#listeners.set(collection, listeners.add(listener));
    for (const object of this.list(collection)) listener(object, 'put');
    return { end: () => void listeners.delete(listener) };
  }

  #of(object: KubeObject): Map<string, KubeObject> {
    const collection = collectionOf(object);
    const objects = this.#objects.get(collection) ?? new Map<string, KubeObject>();
    this.#objects.set(collection, objects);
    return objects;
  }

  #notify(object: KubeObject, type: 'put' | 'remove'): void {
    for (const listener of this.#listeners.get(collectionOf(object)) ?? []) listener(object, type);
  }
}

function collectionOf({ apiVersion, kind }: KubeObject): string {
  const plural = PLURALS[kind] ?? `${kind.toLowerCase()}s`;
  return apiVersion.includes('/') ? `${plural}.${apiVersion.split('/')[0]}` : plural;
}

function keyOf({ metadata: { namespace = '', name = '' } }: KubeObject): string {
  return `${namespace}/${name}`;
}

function asObject(value: Json): KubeObject {
  if (!isObject(value) || !isObject(value['metadata'])) throw new Error('not an object');
  const { apiVersion, kind } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') throw new Error('not an object');
  return { ...value, apiVersion, kind, metadata: value['metadata'] };
}
