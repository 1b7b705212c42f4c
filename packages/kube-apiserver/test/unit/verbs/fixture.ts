import { createChain, guard } from '../../../src/admission/chain.js';
import type { Admission } from '../../../src/admission/admission.js';
import { definitionLifecycle } from '../../../src/admission/definition.js';
import { createNamespaceLifecycle } from '../../../src/admission/namespacelifecycle.js';
import type { Json } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { builtinResources } from '../../../src/registry/builtins/index.js';
import { startDefinitionController } from '../../../src/controllers/customresourcedefinitions.js';
import { createReader } from '../../../src/registry/reader.js';
import { createRegistry } from '../../../src/registry/registry.js';
import { StatusError } from '../../../src/status.js';
import { memoryStore } from '../../../src/store/open.js';
import { contextOf, createVerbs } from '../../../src/verbs/createverbs.js';
import type { Caller, PatchType, Query, Target, Verbs, WatchEvent } from '../../../src/verbs/verbs.js';
import { ManualClock } from '../../../testing/clock.js';

const review = (object: KubeObject): KubeObject => ({ ...object, status: { allowed: true } });

function builtins(): ReturnType<typeof builtinResources> {
  return builtinResources({
    definitions: {
      defaultCrd: withListKind,
      validateCrd: () => [],
      validateCrdUpdate: () => [],
      crdWarnings: () => [],
    },
    policies: { validatePolicy: () => [], validateBinding: () => [] },
    reviews: {
      TokenReview: review,
      SelfSubjectReview: review,
      SubjectAccessReview: review,
      SelfSubjectAccessReview: review,
      LocalSubjectAccessReview: review,
      SelfSubjectRulesReview: review,
    },
  });
}

function withListKind(crd: KubeObject): KubeObject {
  const spec = crd.spec as { names: { kind: string; singular?: string; listKind?: string } };
  const { kind, listKind = `${kind}List`, singular = kind.toLowerCase() } = spec.names;
  return { ...crd, spec: { ...spec, names: { ...spec.names, listKind, singular } } };
}

export interface FixtureOptions {
  readonly validating?: readonly Admission[];
}

/** The verbs over a store in memory, with the built-in kinds and a manual clock, without HTTP. */
export class VerbsFixture {
  readonly clock = new ManualClock(Date.parse('2026-01-02T03:04:05Z'));
  readonly store = memoryStore({ clock: this.clock, frozen: true });
  readonly reader = createReader(this.store);
  readonly registry = createRegistry(builtins(), this.reader);
  readonly verbs: Verbs;
  readonly warnings: string[] = [];
  readonly abort = new AbortController();
  agent = 'test';
  user = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
  allowCreate = true;

  constructor({ validating = [] }: FixtureOptions = {}) {
    const first = [
      guard(definitionLifecycle),
      guard(createNamespaceLifecycle((name) => this.store.newest('namespaces', name)?.object)),
    ];
    let count = 0;
    let step = 0;
    const context = contextOf({
      store: this.store,
      registry: this.registry,
      admission: createChain({ first, last: validating }),
      authorizer: { authorize: () => ({ allowed: this.allowCreate, reason: '' }) },
      clock: this.clock,
      random: () => (step++ % 27) / 27,
      uuid: () => `uid-${++count}`,
    });
    this.verbs = createVerbs(context);
    startDefinitionController(context, this.reader);
  }

  get caller(): Caller {
    return {
      user: this.user,
      agent: this.agent,
      warn: (text) => void this.warnings.push(text),
      signal: this.abort.signal,
    };
  }

  /**
   * Parses `configmaps/ns/name`, `namespaces/name`, `configmaps/ns` with the name '',
   * `things.facts.example.com/v1/ns/name/status`.
   */
  target(path: string): Target {
    const [what = '', ...rest] = path.split('/');
    const [plural = '', ...group] = what.split('.');
    const version = group.length > 0 && /^v\d/.test(rest[0] ?? '') ? (rest.shift() ?? '') : 'v1';
    const resource = this.registry.find(group.join('.'), version, plural);
    if (resource === undefined) throw new Error(`${path} is not served`);
    const namespace = resource.namespaced ? (rest.shift() ?? '') : '';
    return { resource, namespace, name: rest[0] ?? '', subresource: rest[1] ?? '' };
  }

  async create(path: string, value: Json, query: Query = {}): Promise<KubeObject> {
    return (await this.verbs.create(this.target(path), { value, duplicates: [] }, query, this.caller)).object;
  }

  async update(path: string, value: Json, query: Query = {}): Promise<KubeObject> {
    return (await this.verbs.update(this.target(path), { value, duplicates: [] }, query, this.caller)).object;
  }

  async patch(path: string, type: PatchType, value: Json, query: Query = {}): Promise<KubeObject> {
    return (await this.verbs.patch(this.target(path), { type, body: { value, duplicates: [] } }, query, this.caller))
      .object;
  }

  async delete(path: string, body?: Json, query: Query = {}): Promise<Json> {
    return this.verbs.delete(
      this.target(path),
      body === undefined ? undefined : { value: body, duplicates: [] },
      query,
      this.caller,
    );
  }

  get(path: string, query: Query = {}): KubeObject {
    const found = this.verbs.get(this.target(path), query);
    if (found instanceof Promise) throw new Error(`${path} is not there at once`);
    return found;
  }

  async list(path: string, query: Query = {}): ReturnType<Verbs['deleteCollection']> {
    return this.verbs.list(this.target(path), query);
  }

  watch(path: string, query: Query = {}): AsyncIterator<WatchEvent> {
    return this.verbs.watch(this.target(path), query, this.caller)[Symbol.asyncIterator]();
  }

  async namespace(name: string): Promise<void> {
    await this.create('namespaces', { metadata: { name } });
  }

  /** Creates a definition and waits until its kind is served. */
  async define(crd: Json): Promise<KubeObject> {
    const made = await this.create('customresourcedefinitions.apiextensions.k8s.io', crd);
    await this.settle();
    return made;
  }

  /** Runs everything that needs no time to pass. */
  settle(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }
}

/** The thrown error as the Status that a client gets. */
export async function refusedStatus(attempt: () => unknown): Promise<Json> {
  try {
    await attempt();
  } catch (error) {
    if (error instanceof StatusError) return error.toStatus();
    throw error;
  }
  throw new Error('nothing was refused');
}

/** The next events of a watch; `count` of them must come. */
export async function nextEvents(events: AsyncIterator<WatchEvent>, count: number): Promise<WatchEvent[]> {
  const taken: WatchEvent[] = [];
  while (taken.length < count) {
    const { done, value } = await events.next();
    if (done === true) throw new Error(`the watch ended after ${taken.length} events`);
    taken.push(value);
  }
  return taken;
}

export function configMap(name: string, rest: { readonly [key: string]: Json } = {}): Json {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...rest };
}

interface CrdOptions {
  readonly schema?: Json;
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly version?: { readonly [key: string]: Json };
}

/** A definition of the kind Thing of things.facts.example.com. */
export function thingCrd({
  schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  scope = 'Namespaced',
  version = {},
}: CrdOptions = {}): Json {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.facts.example.com' },
    spec: {
      group: 'facts.example.com',
      scope,
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          subresources: { status: {} },
          ...version,
        },
      ],
    },
  };
}
