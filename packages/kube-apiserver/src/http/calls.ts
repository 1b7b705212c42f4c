import { valueResponse } from './response/response.js';
import { type ProtobufDecoder, patchType, readDeleteOptions, readObject, readPatch } from './body.js';
import type { Exchange } from './exchange.js';
import { unsupportedMediaTypes, unsupportedForm, shapeOf, type TableMaker } from './response/lists.js';
import { admits, type Form, negotiate, PROTOBUF_TYPE, wantsPretty } from './response/negotiate.js';
import type { Connect } from './pods/connect.js';
import { encodeEvent } from './protobuf/envelope.js';
import type { Route } from './route.js';
import { watchStream } from './response/watchstream.js';
import { isObject, type Json, type JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { checkStoredName } from '../registry/storedname.js';
import { subresourceOf } from '../resource.js';
import type { ApiResponse } from '../request.js';
import { badRequest } from '../status.js';
import { deleteOptions, isTrue } from '../verbs/options.js';
import type { PostHandler, Query, Target, Verbs, Written } from '../verbs/verbs.js';
import { viewOf } from '../verbs/view.js';

export interface CallDeps {
  readonly verbs: Verbs;
  readonly table: TableMaker;
  readonly protobuf: ProtobufDecoder;
  /** By `plural/subresource`. */
  readonly postHandlers: Readonly<Record<string, PostHandler>>;
  readonly connect: Connect;
}

/** A routed request. */
interface Call {
  readonly deps: CallDeps;
  readonly exchange: Exchange;
  readonly route: Route;
  readonly query: Query;
  readonly form: Form;
}

/** Calls the verb of a route and writes its result. */
export async function call(deps: CallDeps, exchange: Exchange, route: Route): Promise<ApiResponse> {
  const { resource, subresource } = route.target;
  if (subresourceOf(resource, subresource)?.connects === true) return deps.connect(route.target, exchange);
  const { custom, review } = resource;
  const { accept, query, agent } = exchange.requester;
  const stream = route.verb === 'watch';
  // The type of a patch is checked first.
  if (route.verb === 'patch') patchType(exchange, resource);
  if (!custom && !admits(accept)) throw unsupportedMediaTypes(stream || route.verb === 'list' ? 'stream' : 'object');
  // Whether events support the form is checked after the watch has started.
  const form = negotiate(accept, {
    transforms: true,
    tables: review === undefined && !lacksTable(route),
    protobuf: !custom,
  });
  if (form === undefined) throw unsupportedForm('object');
  if (route.target.name !== '' && route.verb !== 'update') checkStoredName(route.target.name);
  const pretty = form.pretty || wantsPretty(query, agent);
  const one: Call = {
    deps,
    exchange,
    route,
    query: { ...Object.fromEntries(query), ...dryRun(exchange) },
    form: { ...form, pretty },
  };
  return stream ? watchResponse(one) : responseOf(one);
}

/** The subresources without Tables: the status of a CustomResourceDefinition, and tokens. */
function lacksTable({ target: { resource, subresource } }: Route): boolean {
  return (resource.group === 'apiextensions.k8s.io' && subresource === 'status') || subresource === 'token';
}

async function responseOf(one: Call): Promise<ApiResponse> {
  const { deps, exchange, route, query, form } = one;
  const { target, verb } = route;
  const shape = shapeOf(viewOf(target)?.resource ?? target.resource, form, exchange.target.query, deps.table);
  const write = (code: number, value: Json): ApiResponse => valueResponse(code, value, form);
  if (verb === 'get') {
    checkExport(query);
    return write(200, shape.object(await deps.verbs.get(target, query)));
  }
  if (verb === 'list') return write(200, shape.list(await deps.verbs.list(target, query)));
  if (verb === 'delete') {
    const options = await readDeleteOptions(exchange, deps.protobuf);
    if (options !== undefined) exchange.recordBody(options.value);
    const deleted = await deps.verbs.delete(target, options, query, exchange.caller);
    if (!isObjectOfApi(deleted)) return write(200, deleted);
    return write(
      deleteOptions(options, query).orphanDependents === false && !isGone(deleted) ? 202 : 200,
      shape.object(deleted),
    );
  }
  if (verb === 'deletecollection') {
    const options = await readDeleteOptions(exchange, deps.protobuf);
    return write(200, shape.list(await deps.verbs.deleteCollection(target, options, query, exchange.caller)));
  }
  const written = await writeObject(one);
  return write(written.code, shape.object(written.object));
}

function dryRun({ target }: Exchange): Pick<Query, 'dryRun'> {
  const values = target.all('dryRun');
  return values.length === 0 ? {} : { dryRun: values };
}

function checkExport({ export: exported }: Query & { readonly export?: string }): void {
  if (exported !== undefined && isTrue(exported))
    throw badRequest('the export parameter, deprecated since v1.14, is no longer supported');
}

/** For kinds that respond with the last state: whether the object is deleted, not only marked. */
function isGone({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp === undefined;
}

async function writeObject({ deps, exchange, route, query }: Call): Promise<Written> {
  const { target, verb } = route;
  const { caller } = exchange;
  if (verb === 'patch') {
    const type = patchType(exchange, target.resource);
    checkNamed(target);
    const body = await readPatch(exchange, type);
    exchange.recordBody(body.value);
    return deps.verbs.patch(target, { type, body }, query, caller);
  }
  if (verb === 'update') checkNamed(target);
  const sub = subresourceOf(target.resource, target.subresource);
  const protobuf = target.resource.custom ? undefined : deps.protobuf;
  const body = await readObject(exchange, {
    kind: sub?.kind ?? target.resource.kind,
    protobuf,
    typeFirst: verb !== 'update',
  });
  exchange.recordBody(body.value);
  if (verb === 'update') return deps.verbs.update(target, body, query, caller);
  const post = deps.postHandlers[`${target.resource.plural}/${target.subresource}`];
  if (post === undefined) return deps.verbs.create(target, body, query, caller);
  if (body.refusal !== undefined) throw body.refusal;
  return post(target, body, { query, caller });
}

// Only paths of custom resources can lack a name here.
function checkNamed({ name }: Target): void {
  if (name === '') throw badRequest('name must be provided');
}

/** An API object, as opposed to the Status of a success. */
function isObjectOfApi(value: JsonObject): value is KubeObject {
  return value['kind'] !== 'Status' && isObject(value['metadata']);
}

function watchResponse({ deps, exchange, route, query, form }: Call): ApiResponse {
  const events = deps.verbs.watch(watched(route), withName(query, route.target), exchange.caller);
  if (form.format === 'yaml') {
    void events[Symbol.asyncIterator]().return?.();
    throw unsupportedForm('stream');
  }
  const values = watchStream(events, {
    resource: route.target.resource,
    form,
    query: exchange.target.query,
    table: deps.table,
  });
  if (form.format === 'protobuf')
    return {
      code: 200,
      headers: { 'Content-Type': `${PROTOBUF_TYPE};stream=watch` },
      body: { kind: 'stream', values, encode: encodeEvent },
    };
  return { code: 200, headers: { 'Content-Type': 'application/json' }, body: { kind: 'stream', values } };
}

function watched({ target }: Route): Target {
  return { ...target, name: '' };
}

/** The deprecated path `watch/…/name` watches one object. */
function withName(query: Query, { name }: Target): Query {
  return name === '' ? query : { ...query, fieldSelector: `metadata.name=${name}` };
}
