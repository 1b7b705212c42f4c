import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Registry, Resource } from '../resource.js';
import { StatusError } from '../status.js';
import { MASTERS } from '../user.js';
import type { Body } from '../schema/body/body.js';
import type { Caller, PatchType, Target, Verbs } from '../verbs/verbs.js';

const PAGE = '500';

export type Propagation = 'Background' | 'Foreground' | 'Orphan';

/** Writes objects as a ServiceAccount of kube-controller-manager. Every write passes admission and validation like a request. */
export class Client {
  readonly #verbs: Verbs;
  readonly #caller: Caller;

  /** @param account name of the ServiceAccount in kube-system */
  constructor(verbs: Verbs, account: string) {
    this.#verbs = verbs;
    const groups = [MASTERS, 'system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'];
    this.#caller = {
      user: { name: `system:serviceaccount:kube-system:${account}`, groups },
      agent: 'kube-controller-manager',
      warn: () => undefined,
      signal: new AbortController().signal,
    };
  }

  async create(target: Target, object: JsonObject): Promise<void> {
    await this.#verbs.create({ ...target, name: '' }, bodyOf(object), {}, this.#caller);
  }

  async update(target: Target, object: KubeObject): Promise<void> {
    await this.#verbs.update(target, bodyOf(object), {}, this.#caller);
  }

  /** Merges a change into metadata. The observed uid and resourceVersion are preconditions. */
  async patchMeta(
    target: Target,
    { metadata: { uid = '', resourceVersion = '' } }: KubeObject,
    change: JsonObject,
  ): Promise<void> {
    await this.#patch(target, { type: 'merge', value: { metadata: { uid, resourceVersion, ...change } } });
  }

  async apply(target: Target, manager: string, object: JsonObject): Promise<void> {
    await this.#patch(target, { type: 'apply', value: object }, manager);
  }

  /** Deletes an object. The observed uid and resourceVersion are preconditions. */
  async delete(
    target: Target,
    { metadata: { uid = '', resourceVersion = '' } }: KubeObject,
    propagationPolicy: Propagation,
  ): Promise<void> {
    const options = {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      preconditions: { uid, resourceVersion },
      propagationPolicy,
    };
    await this.#verbs.delete(target, bodyOf(options), {}, this.#caller);
  }

  /** Deletes all objects of a resource in a namespace, in pages, so that the event loop is not blocked. */
  async deleteCollection(resource: Resource, namespace: string): Promise<void> {
    const options = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
    const target = { resource, namespace, name: '', subresource: '' };
    let next: string | undefined;
    do {
      const query = { limit: PAGE, ...(next === undefined ? {} : { continue: next }) };
      next = (await this.#verbs.deleteCollection(target, bodyOf(options), query, this.#caller)).continue;
    } while (next !== undefined && next !== '');
  }

  async #patch(
    target: Target,
    patch: { readonly type: PatchType; readonly value: Json },
    fieldManager?: string,
  ): Promise<void> {
    const query = fieldManager === undefined ? {} : { fieldManager, force: 'true' };
    await this.#verbs.patch(target, { type: patch.type, body: bodyOf(patch.value) }, query, this.#caller);
  }
}

function bodyOf(value: Json): Body {
  return { value, duplicates: [] };
}

/** The target of a request to a built-in resource. */
export function targetOf(
  registry: Registry,
  path: { group: string; plural: string; namespace: string; name: string; subresource?: string },
): Target {
  const { group, plural, namespace, name, subresource = '' } = path;
  const resource = registry.find(group, 'v1', plural);
  if (resource === undefined) throw new Error(`${plural}.${group} is not served`);
  return { resource, namespace, name, subresource };
}

/** Ignores status errors of the given codes: 404 where the object may be gone, 409 where it may have changed. */
export async function ignoreCodes(codes: readonly number[], work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof StatusError) || !codes.includes(error.code)) throw error;
  }
}
