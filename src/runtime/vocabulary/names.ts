import type { ObjectName } from './meta.js';

/** The key of an object in queues and caches, as client-go's MetaNamespaceKeyFunc: `name`, or `namespace/name`. */
export function keyOf(name: ObjectName): string {
  return name.namespace === undefined || name.namespace === '' ? name.name : `${name.namespace}/${name.name}`;
}

/** The inverse of {@link keyOf}. */
export function nameOf(key: string): ObjectName {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The order of texts by UTF-16 code units, for `sort`. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const collator = new Intl.Collator('en', { numeric: true });

/** The order in which people look for names, for `sort`: `edge-2` before `edge-10`. */
export function byNumbers(a: string, b: string): number {
  return collator.compare(a, b) || byText(a, b);
}

/** A name that can be part of the path of a request, as for kubectl; the API server has narrower rules for most kinds. */
export const PATH_NAME = /^(?!\.{1,2}$)[^/%]+$/;
export const PATH_NAME_RULE = 'not empty, . or .., without / and %';
