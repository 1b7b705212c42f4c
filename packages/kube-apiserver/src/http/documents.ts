import { plainForm, valueResponse } from './response/response.js';
import type { Exchange } from './exchange.js';
import { unsupportedMediaTypes, unsupportedForm } from './response/lists.js';
import { type AcceptClause, admits, negotiate, readAccept } from './response/negotiate.js';
import { AGGREGATED_TYPE, aggregatedCore, aggregatedGroups } from '../discovery/aggregated.js';
import { digestOf } from '../discovery/group.js';
import { apiVersions, apiGroup, apiGroupList, apiResourceList } from '../discovery/unaggregated.js';
import { openApiDocument, openApiIndex } from '../discovery/openapi.js';
import { swaggerDocument, type SwaggerDocument } from '../discovery/swagger.js';
import { openApiProtobuf } from './protobuf/openapi.js';
import { wrongMethod } from './route.js';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { Registry } from '../resource.js';
import type { ApiRequest, ApiResponse } from '../request.js';
import { noSuchResource } from '../status.js';

interface DocumentDeps {
  readonly registry: () => Registry;
  /** `host:port` of the server. */
  readonly address: () => string;
  readonly now: () => number;
}

/** Responds to discovery and OpenAPI paths, in all forms; undefined for other paths. */
export function createDocuments(deps: DocumentDeps): (exchange: Exchange) => ApiResponse | undefined {
  const tags = new WeakMap<JsonObject, string>();
  const cached = cachedByGeneration(deps.registry);
  const v2Document = createV2Document(deps.registry);
  const tagOf = (value: JsonObject): string => {
    const tag = tags.get(value) ?? digestOf(value);
    tags.set(value, tag);
    return tag;
  };
  return (exchange) => {
    const { path } = exchange.info;
    if (path === '/openapi/v2') return v2Document(exchange);
    if (path === '/openapi/v3' || path.startsWith('/openapi/v3/')) return openApi(deps, exchange) ?? NOTHING;
    const [prefix, group = '', version, ...more] = trimmed(path).split('/').slice(1);
    if (more.length > 0 || (prefix !== 'api' && prefix !== 'apis')) return undefined;
    const core = prefix === 'api';
    if (exchange.request.method !== 'GET' && isOnlyRead(deps.registry(), { core, group, version })) throw wrongMethod();
    if (group === '' && (version !== undefined || path === '/apis//')) return undefined;
    if (group === '') {
      if (core) requireAdmitted(exchange);
      if (wantsAggregated(exchange))
        return aggregated(exchange, cached(core ? 'core' : 'groups', core ? aggregatedCore : aggregatedGroups), tagOf);
      return plain(exchange, core ? apiVersions(deps.address()) : apiGroupList(deps.registry()), !core);
    }
    return oneGroup(deps.registry(), exchange, core ? { group: '', version: group } : { group, version });
  };
}

interface DocumentPath {
  readonly core: boolean;
  /** The core group has its version at this position. */
  readonly group: string;
  readonly version: string | undefined;
}

/** One handler for all groups accepts any method where the group exists, and none where it does not. */
function isOnlyRead(registry: Registry, { core, group, version = '' }: DocumentPath): boolean {
  if (core) return group === '' || apiResourceList(registry, '', group) !== undefined;
  return version !== '' && registry.isBuiltinGroup(group) && apiResourceList(registry, group, version) !== undefined;
}

function trimmed(path: string): string {
  return path.replace(/\/+$/, '');
}

function oneGroup(
  registry: Registry,
  exchange: Exchange,
  { group, version }: { readonly group: string; readonly version: string | undefined },
): ApiResponse | undefined {
  const found = version === undefined ? apiGroup(registry, group) : apiResourceList(registry, group, version);
  const builtin = registry.isBuiltinGroup(group);
  // In kube-apiserver the aggregator serves groups and the apiextensions server serves custom resources; both negotiate
  // only when they write the response.
  if (found !== undefined) return plain(exchange, found, version === undefined || !builtin);
  if (builtin) throw noSuchResource();
  return undefined;
}

function plain(exchange: Exchange, value: Json, gathered = false): ApiResponse {
  const { accept } = exchange.requester;
  if (!gathered) requireAdmitted(exchange);
  if (negotiate(accept, { transforms: false }) === undefined) throw unsupportedForm('object');
  return valueResponse(200, value, plainForm(exchange.requester));
}

function requireAdmitted({ requester: { accept } }: Exchange): void {
  if (!admits(accept)) throw unsupportedMediaTypes('object');
}

const PLAIN = ['application/json', 'application/yaml', 'application/*', '*/*'];

/** The first clause that can be satisfied decides: `as=APIGroupDiscoveryList` in v2, or the plain list. */
function wantsAggregated(exchange: Exchange): boolean {
  const { accept } = exchange.requester;
  if (accept === undefined || accept === '') return false;
  for (const clause of readAccept(accept)) {
    if (isAggregated(clause)) return true;
    if (!['as', 'g', 'v'].some((name) => clause.parameters.has(name)) && PLAIN.includes(clause.media)) return false;
  }
  throw unsupportedForm('object');
}

function isAggregated({ media, parameters }: AcceptClause): boolean {
  const known = media === 'application/json' || media === 'application/*' || media === '*/*';
  return (
    known &&
    parameters.get('g') === 'apidiscovery.k8s.io' &&
    parameters.get('v') === 'v2' &&
    parameters.get('as') === 'APIGroupDiscoveryList'
  );
}

function aggregated(exchange: Exchange, value: JsonObject, tagOf: (value: JsonObject) => string): ApiResponse {
  const tag = `"${tagOf(value)}"`;
  const headers = { 'Content-Type': AGGREGATED_TYPE, ETag: tag, Vary: 'Accept', 'Cache-Control': 'public' };
  if (exchange.request.headers['if-none-match'] === tag)
    return { code: 304, headers, body: { kind: 'bytes', bytes: Buffer.alloc(0) } };
  return { code: 200, headers, body: { kind: 'value', value } };
}

/** Computes a value once per generation of the registry. */
function cachedByGeneration(
  registry: () => Registry,
): (name: string, make: (registry: Registry) => JsonObject) => JsonObject {
  const values = new Map<string, { readonly generation: number; readonly value: JsonObject }>();
  return (name, make) => {
    const now = registry();
    const known = values.get(name);
    if (known?.generation === now.generation) return known.value;
    const value = make(now);
    values.set(name, { generation: now.generation, value });
    return value;
  };
}

const V2_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const V2_FORMS = ['application/json', 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf', V2_TYPE];

/**
 * The OpenAPI v2 document in JSON, and in protobuf for kubectl, which reads it for kinds that it finds in no v3
 * document.
 */
function createV2Document(registry: () => Registry): (exchange: Exchange) => ApiResponse {
  const binary = new WeakMap<SwaggerDocument, Buffer>();
  const protobufOf = (document: SwaggerDocument): Buffer => {
    const bytes = binary.get(document) ?? openApiProtobuf(document.value);
    binary.set(document, bytes);
    return bytes;
  };
  return ({ requester, request }) => {
    const form = v2Form(requester.accept);
    if (form === undefined)
      return { code: 406, headers: { Vary: 'Accept' }, body: { kind: 'bytes', bytes: Buffer.alloc(0) } };
    const document = swaggerDocument(registry());
    const tag = `"${document.hash}"`;
    const headers = { ETag: tag, Vary: 'Accept', 'Cache-Control': 'no-cache, private' };
    if (isNotModified(request, tag)) return { ...NOTHING, code: 304, headers };
    const json = form === 'application/json';
    return {
      code: 200,
      headers: { ...headers, 'Content-Type': json ? form : V2_TYPE },
      body: { kind: 'bytes', bytes: json ? document.bytes : protobufOf(document) },
    };
  };
}

/** The first type that the client accepts, in the client's order. */
function v2Form(accept: string | undefined): string | undefined {
  return firstOf(V2_FORMS, accept);
}

function firstOf(forms: readonly string[], accept: string | undefined): string | undefined {
  const clauses = readAccept(accept === undefined || accept === '' ? '*/*' : accept);
  for (const { media } of clauses) {
    const found = forms.find((form) => media === form || media === '*/*' || media === 'application/*');
    if (found !== undefined) return found;
  }
  return undefined;
}

const NOTHING: ApiResponse = { code: 404, headers: {}, body: { kind: 'bytes', bytes: Buffer.alloc(0) } };
const YEAR_MS = 365 * 24 * 3600 * 1000;

function openApi({ registry, now }: DocumentDeps, exchange: Exchange): ApiResponse | undefined {
  const rest = exchange.info.path.slice('/openapi/v3'.length);
  const { request } = exchange;
  if (rest === '' && isNotModified(request, '')) return { ...NOTHING, code: 304 };
  if (rest === '')
    return {
      code: 200,
      headers: { 'Content-Type': 'text/plain; charset=utf-8' },
      body: { kind: 'bytes', bytes: Buffer.from(JSON.stringify(openApiIndex(registry()))) },
    };
  const [, prefix, ...names] = rest.split('/');
  const [group = '', version = '', ...more] = prefix === 'api' ? ['', ...names] : names;
  const found =
    more.length > 0 || (prefix !== 'api' && prefix !== 'apis')
      ? undefined
      : openApiDocument(registry(), group, version);
  if (found === undefined) return undefined;
  if (firstOf(['application/json'], exchange.requester.accept) === undefined)
    return { ...NOTHING, code: 406, headers: { Vary: 'Accept' } };
  const tag = `"${found.hash}"`;
  const requestedHash = exchange.target.query.get('hash');
  const headers = { ETag: tag, Vary: 'Accept' };
  const lasting = { 'Cache-Control': 'public, immutable', Expires: new Date(now() + YEAR_MS).toUTCString() };
  if (requestedHash !== undefined && requestedHash !== '' && requestedHash !== found.hash) {
    return {
      code: 301,
      headers: { ...headers, 'Content-Type': 'application/json', Location: `/openapi/v3${rest}?hash=${found.hash}` },
      body: { kind: 'bytes', bytes: Buffer.alloc(0) },
    };
  }
  const all = requestedHash === found.hash ? { ...headers, ...lasting } : headers;
  if (isNotModified(request, tag)) return { ...NOTHING, code: 304, headers: all };
  return {
    code: 200,
    headers: { ...all, 'Content-Type': 'application/json' },
    body: { kind: 'value', value: found.value },
  };
}

const ONE_TAG = /^[\s,]*(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/;

/**
 * Whether the client's copy is current (If-None-Match): the header may be `*` or a list, with weak tags. Aggregated
 * discovery compares with one tag exactly.
 */
function isNotModified({ headers }: ApiRequest, tag: string): boolean {
  let rest = headers['if-none-match'] ?? '';
  while (rest !== '') {
    if (/^[\s,]*\*/.test(rest)) return true;
    const [all = '', one] = ONE_TAG.exec(rest) ?? [];
    if (one === undefined || one === tag) return one !== undefined;
    rest = rest.slice(all.length);
  }
  return false;
}
