import { readFileSync } from 'node:fs';
import path from 'node:path';

import { isArray, isObject, type Json, type JsonObject } from '@multicluster-engine/values/json';
import type { Resource } from '../../../src/resource.js';
import { root } from '../../../testing/root.js';

/** A request to create an object with a wrong value in one field. */
export interface WrongValue {
  /** `v1 ConfigMap metadata.labels = 1`. */
  readonly title: string;
  readonly target: string;
  readonly body: string;
}

interface Sample {
  readonly name: string;
  readonly json: JsonObject;
}

/** Kinds whose pod template is covered by another kind. */
const SPARED: ReadonlySet<string> = new Set(['PodTemplate', 'ReplicaSet']);
/** Values of each type as JSON text; some are valid for some fields. */
const VALUES = [
  'null',
  'true',
  '1',
  '-1',
  '1.5',
  '1e400',
  '9223372036854775808',
  '""',
  '"x"',
  '"1"',
  '[]',
  '[1]',
  '["x"]',
  '[{}]',
  '[null]',
  '{}',
  '{"x":1}',
  '{"x":"y"}',
  '{"x":{}}',
  '{"x":null}',
  '{"__proto__":1}',
];
const MARK = '"-wrong-"';

/** Objects of the built-in kinds with all fields, as Go's encoders write them (tools/samples.go). */
function samples(): readonly Sample[] {
  const lines = readFileSync(path.join(root, 'test/unit/http/protobuf/samples.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line): Sample => JSON.parse(line)).filter(({ name }) => name.endsWith(' with all'));
}

/** Each field of each kind with each value, in a deterministic order. */
export function wrongValues(resources: readonly Resource[]): WrongValue[] {
  return samples().flatMap(({ json }) => {
    const resource = resources.find(
      ({ group, version, kind }) =>
        kind === json['kind'] && json['apiVersion'] === (group === '' ? version : `${group}/${version}`),
    );
    return resource === undefined || SPARED.has(resource.kind) ? [] : ofKind(json, resource);
  });
}

function ofKind(json: JsonObject, { group, version, plural, kind, namespaced }: Resource): WrongValue[] {
  const target = `${group === '' ? `/api/${version}` : `/apis/${group}/${version}`}${namespaced ? '/namespaces/default' : ''}/${plural}?dryRun=All&fieldManager=x`;
  return fieldsOf(json, []).flatMap((where) => {
    const alone = only(json, where);
    const [meta] = [isObject(alone) ? alone['metadata'] : undefined];
    // Reviews have no name.
    const own = kind.endsWith('Review') ? {} : { name: 'wrong' };
    const metadata = where[0] === 'metadata' && where.length === 1 ? meta : { ...own, ...(isObject(meta) ? meta : {}) };
    const body = JSON.stringify({
      apiVersion: json['apiVersion'],
      kind: json['kind'],
      ...(isObject(alone) ? alone : {}),
      metadata,
    });
    return VALUES.map((value) => ({
      title: `${group}/${version} ${kind} ${where.join('.')} = ${value}`,
      target,
      body: body.replace(MARK, () => value),
    }));
  });
}

type Where = readonly (string | number)[];

/** The paths of all fields of a value; the first item represents a list. */
function fieldsOf(value: Json, where: Where): Where[] {
  const inner = isArray(value)
    ? value.slice(0, 1).map((item, at): [number, Json] => [at, item])
    : isObject(value)
      ? entriesOf(value)
      : [];
  return inner.flatMap(([key, one]) => [[...where, key], ...fieldsOf(one, [...where, key])]);
}

/** An object with only the given field and its parents. */
function only(value: Json, [key, ...rest]: Where): Json {
  if (key === undefined) return MARK.slice(1, -1);
  const inner = isArray(value) && typeof key === 'number' ? value[key] : isObject(value) ? value[key] : undefined;
  const one = only(inner ?? null, rest);
  return isArray(value) ? [one] : Object.fromEntries([[key, one]]);
}

function entriesOf(object: JsonObject): [string, Json][] {
  return Object.entries(object).flatMap(([name, value]): [string, Json][] =>
    value === undefined ? [] : [[name, value]],
  );
}
