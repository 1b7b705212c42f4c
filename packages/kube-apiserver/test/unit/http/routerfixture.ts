import { createAuthenticator, staticTokens } from '../../../src/auth/authenticator.js';
import type { Authorizer } from '../../../src/auth/authorizer.js';
import { createTableMaker } from '../../../src/http/response/lists.js';
import type { RouterDeps } from '../../../src/http/router.js';
import type { JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Registry, Resource, Strategy } from '../../../src/resource.js';
import type { ApiRequest } from '../../../src/request.js';
import { notFound } from '../../../src/status.js';
import type { Listed, Target, Verbs, WatchEvent } from '../../../src/verbs/verbs.js';

const ALL = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

export const STRATEGY: Strategy = {
  default: (object) => object,
  prepareCreate: (object) => object,
  prepareUpdate: (next) => next,
  validateCreate: () => ({ errors: [], warnings: [] }),
  validateUpdate: () => ({ errors: [], warnings: [] }),
  validateName: () => [],
  unconditionalUpdate: true,
  createOnUpdate: false,
};

export function resource(fields: Partial<Resource> & Pick<Resource, 'kind' | 'plural'>): Resource {
  return {
    group: '',
    version: 'v1',
    listKind: `${fields.kind}List`,
    singular: fields.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: true,
    collection: fields.plural,
    custom: false,
    schema: {},
    verbs: ALL,
    subresources: [],
    strategy: STRATEGY,
    selectable: {},
    columns: [],
    ...fields,
  };
}

const STATUS = { name: 'status', verbs: ['get', 'patch', 'update'] };
export const RESOURCES: readonly Resource[] = [
  resource({ kind: 'ConfigMap', plural: 'configmaps' }),
  resource({
    kind: 'Namespace',
    plural: 'namespaces',
    namespaced: false,
    verbs: ALL.filter((verb) => verb !== 'deletecollection'),
    subresources: [STATUS],
  }),
  resource({ kind: 'Node', plural: 'nodes', namespaced: false }),
  resource({
    kind: 'ServiceAccount',
    plural: 'serviceaccounts',
    subresources: [{ name: 'token', kind: 'TokenRequest', verbs: ['create'] }],
  }),
  resource({ kind: 'Review', plural: 'reviews', group: 'reviews.k8s.io', namespaced: false, verbs: ['create'] }),
  resource({ kind: 'Thing', plural: 'things', group: 'example.com', custom: true, subresources: [STATUS] }),
  resource({
    kind: 'Old',
    plural: 'olds',
    group: 'example.com',
    custom: true,
    deprecation: 'example.com/v1 Old is deprecated',
  }),
  resource({ kind: 'Glob', plural: 'globs', group: 'example.com', custom: true, namespaced: false }),
];

const REGISTRY: Registry = {
  find: (group, version, plural) =>
    RESOURCES.find((one) => one.group === group && one.version === version && one.plural === plural),
  findKind: () => undefined,
  all: () => RESOURCES,
  isBuiltinGroup: (group) => RESOURCES.some((one) => one.group === group && !one.custom),
  generation: 1,
};

/** Verbs that record their calls, and have objects called `a`. */
export class FakeVerbs implements Verbs {
  readonly calls: string[] = [];
  events: AsyncIterable<WatchEvent> = noEvents();

  get(target: Target): KubeObject {
    this.#note('get', target);
    if (target.name !== 'a') throw notFound(target.resource, target.name);
    return objectOf(target);
  }

  list(target: Target): Listed {
    this.#note('list', target);
    return {
      items: [objectOf({ ...target, name: 'a' })],
      resourceVersion: '7',
      continue: target.resource.custom ? '' : undefined,
      remainingItemCount: undefined,
    };
  }

  watch(target: Target): AsyncIterable<WatchEvent> {
    this.#note('watch', target);
    return this.events;
  }

  create: Verbs['create'] = async (target, { value, refusal }, _query, { warn }) => {
    if (refusal !== undefined) throw refusal;
    this.#note(`create ${JSON.stringify(value)}`, target);
    warn('careful "you"');
    return { code: 201, object: objectOf(target) };
  };

  update: Verbs['update'] = async (target, { value }) => {
    this.#note(`update ${JSON.stringify(value)}`, target);
    return { code: 200, object: objectOf(target) };
  };

  patch: Verbs['patch'] = async (target, { type, body }) => {
    this.#note(`patch ${type} ${JSON.stringify(body.value)}`, target);
    return { code: 200, object: objectOf(target) };
  };

  delete: Verbs['delete'] = async (target, body): Promise<JsonObject> => {
    this.#note(`delete ${JSON.stringify(body?.value)}`, target);
    return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };
  };

  deleteCollection: Verbs['deleteCollection'] = async (target) => {
    this.#note('deletecollection', target);
    return { items: [], resourceVersion: '7', continue: undefined, remainingItemCount: undefined };
  };

  #note(verb: string, { resource: { plural }, namespace, name, subresource }: Target): void {
    this.calls.push([verb, `${plural}${subresource === '' ? '' : `/${subresource}`}`, namespace, name].join('|'));
  }
}

export async function* noEvents(): AsyncGenerator<WatchEvent> {}

export function objectOf({ resource: { group, version, kind }, namespace, name }: Target): KubeObject {
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return { apiVersion, kind, metadata: { name, ...(namespace === '' ? {} : { namespace }), resourceVersion: '5' } };
}

const TOKENS = [
  { token: 'root', user: 'root', groups: ['system:masters'] },
  { token: 'bob', user: 'bob' },
];
const AUDIENCES = ['api'];

export const AUTHORIZER: Authorizer = {
  authorize: (wanted) => ({
    allowed: wanted.user.groups.includes('system:masters') || ('path' in wanted && wanted.path === '/open'),
    reason: '',
  }),
};

export function routerDeps(verbs: Verbs, more: Partial<RouterDeps> = {}): RouterDeps {
  return {
    registry: () => REGISTRY,
    verbs,
    authenticator: createAuthenticator([staticTokens(TOKENS, AUDIENCES)], AUDIENCES),
    authorizer: AUTHORIZER,
    paths: ({ info }) =>
      info.path === '/open' ? { code: 200, headers: {}, body: { kind: 'value', value: 'open' } } : undefined,
    table: createTableMaker(() => 0),
    protobuf: (bytes) => ({ value: { protobuf: bytes.length }, duplicates: [] }),
    postHandlers: {
      'serviceaccounts/token': async (target) => ({ code: 201, object: { ...objectOf(target), kind: 'TokenRequest' } }),
    },
    connect: ({ resource, name }) => {
      throw notFound(resource, name);
    },
    ...more,
  };
}

/** Sends `PUT /path body`, as root unless a token is given. */
export function request(line: string, headers: Record<string, string> = {}): ApiRequest {
  const [method = '', target = '', ...body] = line.split(' ');
  const text = body.join(' ');
  return {
    method,
    target,
    headers: { authorization: 'Bearer root', ...headers },
    body: text === '' ? undefined : Buffer.from(text),
    signal: new AbortController().signal,
  };
}
