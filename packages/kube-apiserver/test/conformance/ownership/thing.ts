import type { Json, JsonObject } from '@multicluster-engine/values/json';
import { isObject } from '@multicluster-engine/values/json';
import { fillDefaults, pruneNulls } from '@multicluster-engine/values/schema/custom/defaults';
import { prune } from '@multicluster-engine/values/schema/custom/prune';
import type { Schema } from '@multicluster-engine/values/schema/schema';
import type { Dice } from '../../../testing/random.js';
import type { Subject } from './subject.js';
import { picked } from './subject.js';

const TEXT: Schema = { type: 'string' };
const ANY: Schema = { 'x-kubernetes-preserve-unknown-fields': true };

const NESTED: Schema = {
  type: 'object',
  properties: {
    a: TEXT,
    b: { type: 'integer', default: 3 },
    inner: {
      type: 'object',
      properties: { c: TEXT, set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'integer' } } },
    },
  },
};

const ITEM: Schema = {
  type: 'object',
  required: ['k'],
  properties: {
    k: TEXT,
    v: TEXT,
    n: NESTED,
    tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: TEXT },
    m: { type: 'object', additionalProperties: TEXT },
  },
};

const PORT: Schema = {
  type: 'object',
  required: ['port'],
  properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' }, name: TEXT },
};

const SPEC: Schema = {
  type: 'object',
  properties: {
    replicas: { type: 'integer' },
    share: { type: 'number' },
    color: TEXT,
    flag: { type: 'boolean' },
    at: { type: 'string', format: 'date-time' },
    either: { 'x-kubernetes-int-or-string': true },
    nul: { type: 'string', nullable: true },
    nuld: { type: 'string', nullable: true, default: 'd' },
    nulo: { type: 'object', nullable: true, properties: { a: TEXT } },
    dflt: { type: 'string', default: 'dd' },
    o: NESTED,
    whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: TEXT, b: TEXT } },
    m: { type: 'object', additionalProperties: TEXT },
    mo: { type: 'object', additionalProperties: NESTED },
    ml: { type: 'object', additionalProperties: { type: 'array', 'x-kubernetes-list-type': 'set', items: TEXT } },
    ma: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: TEXT },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: TEXT },
    ints: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'integer' } },
    list: { type: 'array', items: ITEM },
    atomic: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: TEXT },
    map: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items: ITEM },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      items: PORT,
    },
    any: ANY,
    open: {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { a: TEXT, o: { type: 'object', properties: { b: TEXT } } },
    },
    embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
  },
};

const SCHEMA: Schema = {
  type: 'object',
  properties: {
    spec: SPEC,
    status: {
      type: 'object',
      properties: {
        ready: { type: 'boolean' },
        note: TEXT,
        map: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items: ITEM },
      },
    },
    extra: { type: 'object', additionalProperties: TEXT },
  },
};

const GROUP = 'ownership.example.com';

/** The same schema with atomic and granular types exchanged. */
const CHANGED: Schema = {
  ...SCHEMA,
  properties: {
    ...SCHEMA.properties,
    spec: {
      ...SPEC,
      properties: {
        ...SPEC.properties,
        o: { ...NESTED, 'x-kubernetes-map-type': 'atomic' },
        whole: { type: 'object', 'x-kubernetes-map-type': 'granular', properties: { a: TEXT, b: TEXT } },
        m: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: TEXT },
        ma: { type: 'object', additionalProperties: TEXT },
        ml: {
          type: 'object',
          additionalProperties: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: TEXT },
        },
        set: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: TEXT },
        atomic: { type: 'array', 'x-kubernetes-list-type': 'set', items: TEXT },
        map: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: ITEM },
        list: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items: ITEM },
      },
    },
  },
};

/** The CustomResourceDefinition of a subject. */
export function definitionOf({ resource }: Subject): JsonObject {
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: resource.schema as Json },
    subresources: { status: {} },
  };
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `things.${GROUP}` },
    spec: { group: GROUP, names, scope: 'Namespaced', versions: [version] },
  };
}

const BASE: Omit<Subject, 'resource' | 'complete'> = {
  path: `/apis/${GROUP}/v1/namespaces/default/things`,
  part: (dice) => ({
    ...meta(dice),
    ...picked(dice, 0.9, { spec: () => spec(dice, 0.2) }),
    ...picked(dice, 0.1, { status: () => status(dice), extra: () => texts(dice) }),
  }),
  whole: (dice) => ({ ...meta(dice), spec: spec(dice, 0.4) }),
  status,
  removable: [
    ['spec', 'color'],
    ['spec', 'o'],
    ['spec', 'o', 'a'],
    ['spec', 'm'],
    ['spec', 'map'],
    ['spec', 'set'],
    ['spec', 'any'],
    ['spec', 'dflt'],
    ['spec', 'nul'],
    ['spec', 'mo', 'x'],
    ['spec', 'whole'],
    ['metadata', 'labels'],
  ],
};

function subjectOf(schema: Schema): Subject {
  return {
    ...BASE,
    resource: { group: GROUP, version: 'v1', kind: 'Thing', custom: true, schema, subresources: [{ name: 'status' }] },
    complete(object) {
      const filled = fillDefaults(schema, withoutNulls(prune(schema, object, { root: true }).value as JsonObject));
      return isObject(filled) ? filled : object;
    },
  };
}

export const THING = subjectOf(SCHEMA);
export const CHANGED_THING = subjectOf(CHANGED);

/** Drops nulls, as all writes except apply do. */
export function withoutNulls(object: JsonObject): JsonObject {
  const pruned = pruneNulls(SCHEMA, object);
  return isObject(pruned) ? pruned : object;
}

function meta(dice: Dice): JsonObject {
  const members = picked(dice, 0.15, {
    labels: () => texts(dice),
    annotations: () => texts(dice),
    finalizers: () => dice.some(['a.io/x', 'a.io/y', 'a.io/z'], dice.between(0, 2)),
    ownerReferences: () =>
      dice
        .some(['u1', 'u2', 'u3'], dice.between(0, 2))
        .map((uid) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: dice.pick(['p', 'q']), uid })),
  });
  return { metadata: members };
}

function status(dice: Dice): JsonObject {
  return picked(dice, 0.5, { ready: () => dice.chance(0.5), note: () => text(dice), map: () => items(dice) });
}

function spec(dice: Dice, share: number): JsonObject {
  return picked(dice, share, {
    replicas: () => dice.between(0, 2),
    share: () => dice.pick([1, 1.5, 0]),
    color: () => (dice.chance(0.05) ? null : text(dice)),
    flag: () => dice.chance(0.5),
    at: () => dice.pick(['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']),
    either: () => dice.pick<Json>([1, '1', 'x', 2]),
    nul: () => dice.pick([null, 'a', 'b']),
    nuld: () => dice.pick([null, 'a', 'd']),
    nulo: () => dice.pick<Json>([null, {}, { a: 'x' }]),
    dflt: () => dice.pick(['dd', 'x']),
    o: () => nested(dice),
    whole: () => dice.pick<Json>([{}, { a: 'x' }, { a: 'x', b: 'y' }, { b: 'z' }]),
    m: () => texts(dice),
    mo: () => Object.fromEntries(dice.some(['x', 'y', 'z'], dice.between(0, 2)).map((key) => [key, nested(dice)])),
    ml: () => Object.fromEntries(dice.some(['x', 'y'], dice.between(0, 2)).map((key) => [key, words(dice)])),
    ma: () => texts(dice),
    set: () => words(dice),
    ints: () => dice.some([1, 2, 3, 10], dice.between(0, 3)),
    list: () => items(dice),
    atomic: () => words(dice),
    map: () => items(dice),
    ports: () =>
      dice.some([80, 81], dice.between(0, 2)).map((port) => ({
        port,
        ...picked(dice, 0.4, { protocol: () => dice.pick(['TCP', 'UDP']), name: () => text(dice) }),
      })),
    any: () => loose(dice, 2),
    open: () =>
      picked(dice, 0.5, {
        a: () => text(dice),
        o: () => picked(dice, 0.5, { b: () => text(dice), u: () => loose(dice, 1) }),
        x: () => loose(dice, 2),
        y: () => loose(dice, 1),
      }),
    embedded: () => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      ...picked(dice, 0.5, {
        metadata: () => ({ name: 'e', ...picked(dice, 0.3, { labels: () => ({ x: '1', ...texts(dice) }) }) }),
        data: () => texts(dice),
      }),
    }),
  });
}

function nested(dice: Dice): JsonObject {
  return picked(dice, 0.5, {
    a: () => text(dice),
    b: () => dice.between(1, 4),
    inner: () => picked(dice, 0.5, { c: () => text(dice), set: () => dice.some([1, 2, 3], dice.between(0, 2)) }),
  });
}

function items(dice: Dice): JsonObject[] {
  return dice.some(['a', 'b', 'c', 'd'], dice.between(0, 3)).map((k) => ({
    k,
    ...picked(dice, 0.3, { v: () => text(dice), n: () => nested(dice), tags: () => words(dice), m: () => texts(dice) }),
  }));
}

function loose(dice: Dice, depth: number): Json {
  if (depth === 0) return dice.pick<Json>([1, 'a', true, null, 'b']);
  return dice.pick<() => Json>([
    () => dice.pick<Json>([1, 'a', null]),
    () => [loose(dice, depth - 1)],
    () =>
      Object.fromEntries(dice.some(['p', 'q', 'r'], dice.between(0, 2)).map((key) => [key, loose(dice, depth - 1)])),
    () =>
      Object.fromEntries(dice.some(['p', 'q', 'r'], dice.between(1, 3)).map((key) => [key, loose(dice, depth - 1)])),
  ])();
}

function text(dice: Dice): string {
  return dice.pick(['red', 'blue', '']);
}

function texts(dice: Dice): JsonObject {
  return Object.fromEntries(dice.some(['x', 'y', 'z'], dice.between(0, 2)).map((key) => [key, dice.pick(['1', '2'])]));
}

function words(dice: Dice): string[] {
  const found = dice.some(['a', 'b', 'c', 'd', 'e<'], dice.between(0, 4));
  return dice.chance(0.02) ? [...found, 'a'] : found;
}
