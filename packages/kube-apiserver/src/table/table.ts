import type { Json, JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Column, Resource } from '../resource.js';
import { badRequest } from '../status.js';

export type IncludeObject = 'Object' | 'Metadata' | 'None';

export interface TableOptions {
  readonly includeObject: IncludeObject;
  /** ms since the epoch, for ages. */
  readonly now: number;
  /** Whether columnDefinitions are included. In a watch only the first table has them. */
  readonly headers: boolean;
  /** Metadata of the list; for a single object its resourceVersion. */
  readonly metadata: JsonObject;
}

const NAME: JsonObject = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description:
    'Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names',
  priority: 0,
};

/**
 * Parses the query parameter `includeObject`; the default is Metadata.
 * @throws StatusError 400 for another value
 */
export function includeObjectOf(text: string | undefined): IncludeObject {
  if (text === undefined || text === '' || text === 'Metadata') return 'Metadata';
  if (text === 'None' || text === 'Object') return text;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(text)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

/** A Table of meta.k8s.io/v1 with a row for each object, as `kubectl get` prints it. */
export function toTable(items: readonly KubeObject[], resource: Resource, options: TableOptions): JsonObject {
  const { headers, metadata } = options;
  const rows = items.map((object) => rowOf(object, resource, options));
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    columnDefinitions: headers ? definitionsOf(resource.columns) : null,
    rows: rows.length === 0 && usesDefaultTable(resource) ? null : rows,
  };
}

/** The PartialObjectMetadata of an object. */
function partialObject(object: KubeObject): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}

/** Whether the columns include the name; of events it is not the first column. */
function hasName(columns: readonly Column[]): boolean {
  return columns.some(({ format }) => format === 'name');
}

function definitionsOf(columns: readonly Column[]): Json[] {
  const own = columns.map(({ name, type, format, description, priority }) => ({
    name,
    type,
    format: format ?? '',
    description,
    priority,
  }));
  return hasName(columns) ? own : [NAME, ...own];
}

function rowOf(object: KubeObject, { columns }: Resource, { includeObject, now }: TableOptions): JsonObject {
  const own = columns.map((column) => column.cell(object, now));
  const cells = hasName(columns) ? own : [object.metadata.name ?? '', ...own];
  return {
    cells,
    object: includeObject === 'Object' ? object : includeObject === 'None' ? null : partialObject(object),
  };
}

/** Whether the default table convertor of kube-apiserver applies, which encodes an empty list of rows as null. */
function usesDefaultTable({ custom, columns }: Resource): boolean {
  return !custom && columns.length === 1 && columns[0]?.type === 'date';
}
