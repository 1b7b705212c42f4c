import type { ObjectName, ResourceType } from '../vocabulary/meta.js';
import { PATH_NAME, PATH_NAME_RULE } from '../vocabulary/names.js';

/** A collection with its selectors, the same for list and watch. */
export interface Collection {
  readonly type: ResourceType;
  /** Absent: all namespaces, or a cluster-scoped type. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  readonly metadataOnly?: boolean | undefined;
}

/** `/api/v1/…` or `/apis/group/version/…`. Throws RangeError with the field's name when a value cannot be part of a path. */
export function collectionPath(type: ResourceType, namespace?: string): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  if (namespace === undefined || namespace === '') return `${root}/${type.plural}`;
  if (!type.namespaced) throw new RangeError(`namespace: "${namespace}": ${type.kind} is not namespaced`);
  return `${root}/namespaces/${segment('namespace', namespace)}/${type.plural}`;
}

export function objectPath(type: ResourceType, name: ObjectName, subresource?: 'status'): string {
  if (type.namespaced && (name.namespace ?? '') === '') throw new RangeError(`namespace: "": a ${type.kind} needs one`);
  const path = `${collectionPath(type, name.namespace)}/${segment('name', name.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** Encodes a path segment. */
function segment(field: string, value: string): string {
  if (!PATH_NAME.test(value)) throw new RangeError(`${field}: ${JSON.stringify(value)}: must be ${PATH_NAME_RULE}`);
  return encodeURIComponent(value);
}

/** The selectors as query parameters. */
export function selectorsOf(collection: Collection): Record<string, string> {
  const { labelSelector, fieldSelector } = collection;
  return {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}

/** `plural` or `plural.group`, followed by `/` and the subresource if any. */
export function resourceOf(type: ResourceType, subresource?: string): string {
  const plain = type.group === '' ? type.plural : `${type.plural}.${type.group}`;
  return subresource === undefined ? plain : `${plain}/${subresource}`;
}

/** The media type to accept. With `metadataOnly` the server returns metadata only. */
export function acceptOf(metadataOnly: boolean | undefined, list = false): string {
  if (metadataOnly !== true) return 'application/json';
  return `application/json;as=PartialObjectMetadata${list ? 'List' : ''};g=meta.k8s.io;v=v1`;
}
