import { own, type JsonObject } from '@multicluster-engine/values/json';
import {
  child,
  forbiddenField,
  invalidValue,
  key,
  notSupported,
  required,
} from '@multicluster-engine/values/schema/field';
import { compareBytes } from '@multicluster-engine/values/text';
import { qualifiedName } from '@multicluster-engine/values/formats';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { invalidBecause } from '../../validation/checks.js';
import { structAt } from '@multicluster-engine/values/fields';
import { parseQuantity, quantityText, type Quantity } from '@multicluster-engine/values/schema/struct/quantity';

const CONTAINER_RESOURCES = ['cpu', 'memory', 'ephemeral-storage'];
const STANDARD = [
  ...CONTAINER_RESOURCES,
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'storage',
  'requests.storage',
  'services.nodeports',
  'services.loadbalancers',
];
const INTEGER_RESOURCES = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const HUGE_PAGES_PREFIX = 'hugepages-';

/** Validates limits and requests of a container. */
export function checkResources(resources: JsonObject, path: string): readonly FieldError[] {
  const limits = quantities(structAt(resources, 'limits'));
  const requests = quantities(structAt(resources, 'requests'));
  const errors: FieldError[] = [];
  for (const [name, value] of limits) errors.push(...entryErrors(name, value, key(child(path, 'limits'), name)));
  for (const [name, value] of requests) {
    errors.push(...entryErrors(name, value, key(child(path, 'requests'), name)));
    errors.push(...limitErrors(name, value, limits.get(name), path));
  }
  return [...errors, ...hugePageErrors(limits, requests, path)];
}

const WITH_HUGE_PAGES = ['cpu', 'memory'];

/** Huge pages have to be a multiple of the page size, and need cpu or memory beside them. */
function hugePageErrors(
  limits: ReadonlyMap<string, Quantity>,
  requests: ReadonlyMap<string, Quantity>,
  path: string,
): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [list, entries] of [
    ['limits', limits],
    ['requests', requests],
  ] as const) {
    for (const [name, value] of entries) {
      if (!name.startsWith(HUGE_PAGES_PREFIX) || isWholePages(name, value)) continue;
      errors.push(
        invalidValue(
          key(child(path, list), name),
          quantityText(value),
          `${quantityText(value)} is not positive integer multiple of ${name}`,
        ),
      );
    }
  }
  const names = [...limits.keys(), ...requests.keys()];
  const alone =
    names.some((name) => name.startsWith(HUGE_PAGES_PREFIX)) && !names.some((name) => WITH_HUGE_PAGES.includes(name));
  return alone ? [...errors, forbiddenField(path, 'HugePages require cpu or memory')] : errors;
}

const NANOS = 1_000_000_000n;

function isWholePages(name: string, { nanos }: Quantity): boolean {
  const page = parseQuantity(name.slice(HUGE_PAGES_PREFIX.length));
  if (page === undefined || page.nanos <= 0n || page.nanos % NANOS !== 0n) return false;
  const bytes = (nanos + NANOS - 1n) / NANOS;
  return bytes % (page.nanos / NANOS) === 0n;
}

function quantities(list: JsonObject): ReadonlyMap<string, Quantity> {
  const found = new Map<string, Quantity>();
  for (const name of Object.keys(list).sort(compareBytes)) {
    const value = own(list, name);
    const quantity = typeof value === 'string' ? parseQuantity(value) : undefined;
    if (quantity !== undefined) found.set(name, quantity);
  }
  return found;
}

function entryErrors(name: string, value: Quantity, path: string): readonly FieldError[] {
  return [...nameErrors(name, path), ...checkQuantity(name, value, path)];
}

const POD_RESOURCES = ['cpu', HUGE_PAGES_PREFIX, 'memory'];

/** Validates limits and requests of the whole Pod. */
export function checkPodResources(resources: JsonObject, path: string): readonly FieldError[] {
  const limits = quantities(structAt(resources, 'limits'));
  const requests = quantities(structAt(resources, 'requests'));
  const errors: FieldError[] = Array.isArray(resources['claims'])
    ? [forbiddenField(child(path, 'claims'), 'claims may not be set for Resources at pod-level')]
    : [];
  for (const [list, entries] of [
    ['limits', limits],
    ['requests', requests],
  ] as const) {
    for (const [name, value] of entries)
      errors.push(
        ...podNameErrors(name, key(child(path, list), name)),
        ...checkQuantity(name, value, key(child(path, list), name)),
      );
  }
  for (const [name, value] of requests) errors.push(...limitErrors(name, value, limits.get(name), path));
  return [...errors, ...hugePageErrors(limits, requests, path)];
}

function podNameErrors(name: string, path: string): readonly FieldError[] {
  const errors: FieldError[] = [...invalidBecause(path, name, qualifiedName(name))];
  if (errors.length > 0) return errors;
  if (!name.includes('/') && !STANDARD.includes(name) && !name.startsWith(HUGE_PAGES_PREFIX))
    return [invalidValue(path, name, 'must be a standard resource type or fully qualified')];
  return name === 'cpu' || name === 'memory' || name.startsWith(HUGE_PAGES_PREFIX)
    ? []
    : [notSupported(path, name, POD_RESOURCES)];
}

function nameErrors(name: string, path: string): readonly FieldError[] {
  const errors: FieldError[] = [...invalidBecause(path, name, qualifiedName(name))];
  const plain = !name.includes('/');
  if (errors.length === 0 && plain && !STANDARD.includes(name) && !name.startsWith(HUGE_PAGES_PREFIX))
    errors.push(invalidValue(path, name, 'must be a standard resource type or fully qualified'));
  if (plain && !CONTAINER_RESOURCES.includes(name) && !name.startsWith(HUGE_PAGES_PREFIX))
    errors.push(invalidValue(path, name, 'must be a standard resource for containers'));
  if (!plain && !isNative(name) && !isExtended(name))
    errors.push(invalidValue(path, name, "doesn't follow extended resource name standard"));
  return errors;
}

/** Validates the quantity of a resource, of a container or of a Node. */
export function checkQuantity(name: string, value: Quantity, path: string): readonly FieldError[] {
  const errors: FieldError[] =
    value.nanos < 0n ? [invalidValue(path, quantityText(value), 'must be greater than or equal to 0')] : [];
  const isIntegerResource = INTEGER_RESOURCES.includes(name) || isExtended(name);
  return isIntegerResource && value.nanos % 1_000_000_000n !== 0n
    ? [...errors, invalidValue(path, quantityText(value), 'must be an integer')]
    : errors;
}

function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

function isExtended(name: string): boolean {
  return !isNative(name) && !name.startsWith('requests.') && qualifiedName(`requests.${name}`).length === 0;
}

/** A resource that cannot be overcommitted needs a limit that equals the request. */
function limitErrors(name: string, value: Quantity, limit: Quantity | undefined, path: string): readonly FieldError[] {
  const overcommittable = isNative(name) && !name.startsWith(HUGE_PAGES_PREFIX);
  if (limit === undefined)
    return overcommittable
      ? []
      : [required(child(path, 'limits'), 'Limit must be set for non overcommitable resources')];
  const text = quantityText(limit);
  if (value.nanos !== limit.nanos && !overcommittable)
    return [invalidValue(child(path, 'requests'), quantityText(value), `must be equal to ${name} limit of ${text}`)];
  return value.nanos > limit.nanos
    ? [
        invalidValue(
          child(path, 'requests'),
          quantityText(value),
          `must be less than or equal to ${name} limit of ${text}`,
        ),
      ]
    : [];
}
