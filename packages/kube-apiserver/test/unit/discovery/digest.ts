import { createHash } from 'node:crypto';

/** The value with sorted keys and without undefined fields, so that equal values have equal JSON. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, sorted(inner)]));
}

/** The first eight bytes of a SHA-256 of the value. */
export function digest(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex')
    .slice(0, 16);
}

/** The digests of all paths and schemas of an OpenAPI document. Recorded instead of documents, which have megabytes. */
export function digests(document: {
  readonly paths?: unknown;
  readonly components?: unknown;
  readonly [key: string]: unknown;
}): Record<string, unknown> {
  const { paths, components, ...rest } = document;
  const { schemas, ...others } = (components ?? {}) as Record<string, unknown>;
  const each = (map: unknown): Record<string, string> =>
    Object.fromEntries(Object.entries(map ?? {}).map(([key, value]) => [key, digest(value)]));
  return { ...rest, ...others, paths: each(paths), schemas: each(schemas) };
}
