import { ADDITIONS_ANNOTATION, HISTORY_ANNOTATION, REMOVALS_ANNOTATION } from '../../../../src/api/names.js';
import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';

/** Reads raw JSON of the API into the few fields that the checks use. */

export type Fields = Readonly<Record<string, unknown>>;

export function fields(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(Object.entries(value));
}

export function items(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fields) : [];
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function number(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}

/** `namespace/name`, or the name of an object without namespace. */
export function keyOf(object: AnyObject): string {
  const { namespace, name = '' } = object.metadata ?? {};
  return namespace === undefined ? name : `${namespace}/${name}`;
}

export function condition(object: AnyObject, type: string): Fields {
  return items(fields(object.status)['conditions']).find((one) => one['type'] === type) ?? {};
}

export function versionOf(object: AnyObject): number {
  return Number(object.metadata?.resourceVersion ?? 0);
}

/** Their entries are times, and run out; a process that begins anew does not know what changed before it. */
export const RECORDS = [HISTORY_ANNOTATION, REMOVALS_ANNOTATION, ADDITIONS_ANNOTATION];
