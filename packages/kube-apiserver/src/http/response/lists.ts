import { apiVersionOf } from '../../apiversion.js';
import type { Form, Transform } from './negotiate.js';
import { isArray, isObject, type Json, type JsonObject, withKey } from '@multicluster-engine/values/json';
import { formOf, type KubeObject } from '@multicluster-engine/values/object';
import type { Resource } from '../../resource.js';
import { notAcceptable, StatusError, unknownError } from '../../status.js';
import { type IncludeObject, includeObjectOf, toTable } from '../../table/table.js';
import type { Listed } from '../../verbs/verbs.js';

/** The content of a Table. */
export interface TableRequest {
  readonly resource: Resource;
  readonly items: readonly KubeObject[];
  /** Of the list, or with the resourceVersion of the single object. */
  readonly metadata: JsonObject;
  readonly includeObject: IncludeObject;
  readonly version: Transform['version'];
  /** False after the first event of a watch: then columnDefinitions is null. */
  readonly header: boolean;
}

export type TableMaker = (request: TableRequest) => Json;

/** Creates Tables with ages relative to `now`. */
export function createTableMaker(now: () => number): TableMaker {
  return ({ resource, items, metadata, includeObject, version, header }) => {
    const table = toTable(items, resource, { includeObject, now: now(), headers: header, metadata });
    return version === 'v1' ? table : inVersion(table, `meta.k8s.io/${version}`);
  };
}

/** Converts a Table to an older version, and its partial objects too. */
function inVersion(table: JsonObject, apiVersion: string): JsonObject {
  const rows = isArray(table['rows']) ? table['rows'] : [];
  const inRow = (row: Json): Json => {
    if (!isObject(row) || !isObject(row['object']) || row['object']['kind'] !== 'PartialObjectMetadata') return row;
    return { ...row, object: { ...row['object'], apiVersion } };
  };
  return { ...table, apiVersion, ...(rows.length === 0 ? {} : { rows: rows.map(inRow) }) };
}

/** Writes objects and lists of a resource in the requested form. */
export interface Shape {
  readonly object: (object: KubeObject) => Json;
  readonly list: (list: Listed) => Json;
}

/** Its functions throw 400 for an invalid includeObject. */
export function shapeOf(resource: Resource, form: Form, query: ReadonlyMap<string, string>, table: TableMaker): Shape {
  const { as } = form;
  if (as === undefined) return { object: (object) => object, list: (list) => plainList(resource, list) };
  if (as.kind === 'Table')
    return tableShape(
      resource,
      { include: () => includeObjectOf(query.get('includeObject')), version: as.version },
      table,
    );
  const lists = as.kind === 'PartialObjectMetadataList';
  return {
    object: (object) => (lists ? noList(resource, as.kind) : partial(object, as.version)),
    list: (list) =>
      lists
        ? partialList(list, as)
        : refuse(`you requested ${as.kind}, but the requested object is a list (${goType(resource, 'List')})`),
  };
}

interface TableOptions extends Pick<TableRequest, 'version'> {
  /** Evaluated only when there is something to write. Throws 400. */
  readonly include: () => IncludeObject;
}

function tableShape(resource: Resource, { include, version }: TableOptions, table: TableMaker): Shape {
  const make = (items: readonly KubeObject[], metadata: JsonObject): Json =>
    table({ resource, items, metadata, header: true, version, includeObject: include() });
  return {
    object: (object) => make([object], versionOf(object)),
    list: (list) => make(list.items, listMeta(list)),
  };
}

/** The metadata of a Table of one object. */
export function versionOf(object: KubeObject): JsonObject {
  return { resourceVersion: object.metadata.resourceVersion };
}

function plainList(resource: Resource, list: Listed): Json {
  const apiVersion = apiVersionOf(resource);
  const metadata = {
    resourceVersion: list.resourceVersion,
    continue: list.continue,
    remainingItemCount: list.remainingItemCount,
  };
  return {
    kind: resource.listKind,
    apiVersion,
    metadata: compact(metadata),
    items: resource.custom ? list.items : list.items.map(bare),
  };
}

const bareItems = new WeakMap<KubeObject, JsonObject>();

/** Items of built-in kinds have no kind and apiVersion. */
function bare(object: KubeObject): JsonObject {
  const known = bareItems.get(object);
  if (known !== undefined) return known;
  const made = formOf(object, withKey(withKey(object, 'apiVersion', undefined), 'kind', undefined));
  bareItems.set(object, made);
  return made;
}

function listMeta(list: Listed): JsonObject {
  const next = list.continue === '' ? undefined : list.continue;
  return compact({
    resourceVersion: list.resourceVersion,
    continue: next,
    remainingItemCount: list.remainingItemCount,
  });
}

function compact(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

export function partial(object: KubeObject, version: string): JsonObject {
  return formOf(object, {
    kind: 'PartialObjectMetadata',
    apiVersion: `meta.k8s.io/${version}`,
    metadata: object.metadata,
  });
}

function partialList(list: Listed, { kind, version }: Transform): JsonObject {
  return {
    kind,
    apiVersion: `meta.k8s.io/${version}`,
    metadata: listMeta(list),
    items: list.items.length === 0 ? null : list.items.map((item) => partial(item, version)),
  };
}

/** kube-apiserver takes any object of a custom resource for a list, until it finds no items. */
function noList(resource: Resource, requested: string): never {
  if (resource.custom) throw unknownError('content is not a list');
  return refuse(`you requested ${requested}, but the requested object is not a list (${goType(resource, '')})`);
}

function refuse(message: string): never {
  throw new StatusError(406, message, { reason: 'NotAcceptable' });
}

/**
 * The Go type name in an error: kinds are structs of a package named after the group; both kinds of Events are in one
 * package.
 */
function goType(resource: Resource, suffix: string): string {
  if (resource.custom) return `*unstructured.Unstructured${suffix}`;
  return `*${resource.group === '' || resource.collection === 'events' ? 'core' : resource.group.split('.')[0]}.${resource.kind}${suffix}`;
}

const AVAILABLE = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
const STREAMS = 'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';

/** 406 of a built-in endpoint that supports none of the accepted media types. */
export function unsupportedMediaTypes(response: 'object' | 'stream'): StatusError {
  return notAcceptable(
    `406: Not Acceptable\n\nAvailable representations: ${AVAILABLE}${response === 'stream' ? `, ${STREAMS}` : ''}`,
  );
}

/** 406 where the media type is supported, but not the requested form. */
export function unsupportedForm(response: 'object' | 'stream'): StatusError {
  return new StatusError(
    406,
    `only the following media types are accepted: ${response === 'stream' ? STREAMS : AVAILABLE}`,
    {
      reason: 'NotAcceptable',
    },
  );
}
