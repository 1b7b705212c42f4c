import type { ComponentSpec } from '../../../api/generated/multiclusterengine.js';
import { treeAt } from './manifest.js';
import type { JsonRecord } from '../../../runtime/vocabulary/json.js';
import { parseQuantity } from '@multicluster-engine/values/quantity';

/**
 * The resources of a container whose component has `given` in the engine's spec: `requests` and `limits` each take the place of
 * those of the container. What the spec leaves out gives way where Kubernetes would refuse both together: a request becomes the
 * smaller limit, a limit the larger request.
 */
export function renderResources(container: JsonRecord, given: NonNullable<ComponentSpec['resources']>): JsonRecord {
  const own = treeAt(container, 'resources');
  const wanted = { requests: texts(given.requests), limits: texts(given.limits) };
  const requests =
    wanted.requests ?? bounded(treeAt(own, 'requests'), wanted.limits ?? {}, (one, limit) => isMore(one, limit));
  const limits = wanted.limits ?? bounded(treeAt(own, 'limits'), requests, (one, request) => isMore(request, one));
  // The API server drops empty maps, which would then count as drift.
  return {
    ...(Object.keys(requests).length === 0 ? {} : { requests }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  };
}

/** `own`, with the value of `other` where it is out of bounds. */
function bounded(own: JsonRecord, other: JsonRecord, isOut: (value: unknown, bound: unknown) => boolean): JsonRecord {
  return Object.fromEntries(
    Object.entries(own).map(([name, value]) => [name, isOut(value, other[name]) ? other[name] : value]),
  );
}

/** Quantities as text: YAML makes a number of `cpu: 2`. */
function texts(quantities: Readonly<Record<string, unknown>> | undefined): JsonRecord | undefined {
  if (quantities === undefined) return undefined;
  return Object.fromEntries(Object.entries(quantities).map(([name, value]) => [name, String(value)]));
}

/**
 * Whether two quantities of Kubernetes (`500m`, `0.5`, `128Mi`, `1e3`) have the same value; texts that are no quantities
 * are compared as texts.
 */
export function sameQuantity(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  const left = nanosOf(a);
  return left !== undefined && left === nanosOf(b);
}

/** Whether `a` is more than `b`; false where one of them is no quantity. */
export function isMore(a: unknown, b: unknown): boolean {
  const [left, right] = [nanosOf(a), nanosOf(b)];
  return left !== undefined && right !== undefined && left > right;
}

function nanosOf(value: unknown): bigint | undefined {
  return typeof value === 'string' || typeof value === 'number' ? parseQuantity(String(value))?.nanos : undefined;
}
