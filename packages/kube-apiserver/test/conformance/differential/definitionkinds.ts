import type { Dice } from '../../../testing/random.js';
import { word, type Feature, type Fields, type Value } from './features.js';
import type { Kind } from './kinds.js';

const spec = (fields: Fields): Fields => ({ spec: fields });
const text = { type: 'string' } as const;

/** A version with the given properties in spec. Its printer column shows when the server uses the new schema. */
function version(dice: Dice, properties: Fields, more: Fields = {}, schema: Fields = {}): Fields {
  const column = { name: `Probe${dice.between(0, 99_999)}`, type: 'string', jsonPath: '.spec.color' };
  const { additionalPrinterColumns: columns = [], ...rest } = more;
  return {
    name: 'v1',
    served: true,
    storage: true,
    additionalPrinterColumns: [column, ...(Array.isArray(columns) ? columns : [])],
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: { type: 'object', properties: { size: { type: 'integer' }, color: text, ...properties }, ...schema },
          status: { type: 'object', properties: { phase: text, replicas: { type: 'integer' } } },
        },
      },
    },
    ...rest,
  };
}

const versions = (...list: readonly Fields[]): Fields => spec({ versions: list });
const one = (dice: Dice, properties: Fields, more: Fields = {}, schema: Fields = {}): Fields =>
  versions(version(dice, properties, more, schema));
const rule = (dice: Dice, rules: readonly Fields[], properties: Fields = {}): Fields =>
  one(dice, properties, {}, { 'x-kubernetes-validations': rules });
const items = {
  type: 'object',
  required: ['name'],
  properties: { name: text, port: { type: 'integer', default: 80 } },
} as const;
const second = { name: 'v2', storage: false } as const;

const FEATURES: readonly Feature[] = [
  (dice) =>
    one(dice, {
      size: { type: 'integer', minimum: 0, maximum: dice.between(3, 5) },
      color: { type: 'string', enum: ['red', 'blue'] },
    }),
  (dice) =>
    one(dice, {
      color: { type: 'string', default: word(dice) },
      nested: { type: 'object', default: {}, properties: { a: { type: 'string', default: 'filled' } } },
    }),
  (dice) =>
    one(dice, {
      list: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
      items: { type: 'array', items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
    }),
  (dice) =>
    one(dice, {
      any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      either: { 'x-kubernetes-int-or-string': true },
      nested: { type: 'object', nullable: true, properties: { a: text } },
    }),
  (dice) =>
    one(dice, {
      color: { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 4 },
      list: { type: 'array', maxItems: 1, items: text },
    }),
  (dice) => one(dice, {}, { subresources: { status: {} } }),
  (dice) =>
    one(
      dice,
      { replicas: { type: 'integer' } },
      {
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
      },
    ),
  (dice) =>
    one(
      dice,
      {},
      {
        additionalPrinterColumns: [
          {
            name: 'Size',
            type: 'integer',
            jsonPath: '.spec.size',
            description: 'how large',
            priority: dice.between(0, 1),
          },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
      },
    ),
  (dice) => one(dice, {}, { selectableFields: [{ jsonPath: '.spec.color' }] }),
  (dice) => versions(version(dice, {}), version(dice, { extra: { type: 'string', default: 'more' } }, second)),
  (dice) =>
    versions(version(dice, {}, { storage: false, deprecated: true }), version(dice, {}, { ...second, storage: true })),
  (dice) => versions(version(dice, {}, { served: false }), version(dice, {}, second)),
  (dice) => versions(version(dice, {}, { deprecated: true, deprecationWarning: 'old one' })),
  (dice) =>
    rule(dice, [
      {
        rule: '!has(self.size) || self.size < 4',
        message: 'too large',
        reason: 'FieldValueForbidden',
        fieldPath: '.size',
      },
    ]),
  (dice) =>
    rule(
      dice,
      [
        { rule: 'has(self.color) == has(oldSelf.color)' },
        { rule: '!has(self.size) || self.size != 2', messageExpression: '"size is " + string(self.size)' },
      ],
      { size: { type: 'integer', maximum: 9 } },
    ),
  (dice) =>
    one(dice, {
      color: {
        type: 'string',
        maxLength: 9,
        'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'color stays' }],
      },
    }),
  () => spec({ names: { shortNames: ['wd'], categories: ['all'] } }),
  (dice) => spec({ names: { shortNames: [word(dice)] } }),
];

const BAD: readonly Feature[] = [
  () => spec({ scope: 'Cluster' }),
  () => spec({ scope: 'Odd' }),
  () => spec({ group: 'other.example.com' }),
  () => spec({ names: { plural: 'others' } }),
  () => spec({ names: { kind: 'Other' } }),
  () => spec({ names: { kind: 'not-a-kind!', singular: 'A_b' } }),
  () => spec({ versions: [] }),
  () => spec({ preserveUnknownFields: true }),
  () => spec({ conversion: { strategy: 'Odd' } }),
  (dice) => versions({ ...version(dice, {}), schema: null }),
  (dice) => versions(version(dice, {}), version(dice, {})),
  (dice) => versions(version(dice, {}, { storage: false })),
  (dice) => versions(version(dice, {}), version(dice, {}, { ...second, storage: true })),
  (dice) => versions(version(dice, {}, { name: 'V_1' })),
  (dice) => one(dice, { color: { type: 'odd' } }),
  (dice) => one(dice, { color: {} }),
  (dice) => one(dice, { color: { type: 'string', default: 5 } }),
  (dice) => one(dice, { size: { type: 'integer', maximum: 3, default: 5 } }),
  (dice) => one(dice, { list: { type: 'array' } }),
  (dice) => one(dice, { list: { type: 'array', items: [text] } }),
  (dice) => one(dice, { list: { type: 'array', items: text, uniqueItems: true } }),
  (dice) => one(dice, { items: { type: 'array', items, 'x-kubernetes-list-type': 'map' } }),
  (dice) => one(dice, { color: { type: 'string', pattern: '[' } }),
  (dice) => one(dice, { color: { type: 'string', format: 'nobody-knows' } }),
  (dice) => one(dice, { color: { type: 'string', $ref: '#/x' } }),
  (dice) => one(dice, { nested: { type: 'object', properties: { a: text }, additionalProperties: text } }),
  (dice) => one(dice, { nested: { type: 'object', additionalProperties: false } }),
  (dice) => one(dice, { either: { 'x-kubernetes-int-or-string': true, type: 'string' } }),
  (dice) => one(dice, { any: { 'x-kubernetes-embedded-resource': true } }),
  (dice) => one(dice, { color: { anyOf: [{ type: 'string' }], type: 'string' } }),
  (dice) => rule(dice, [{ rule: 'self.nope == 1' }]),
  (dice) => rule(dice, [{ rule: 'self.size' }]),
  (dice) => rule(dice, [{ rule: '' }]),
  (dice) => rule(dice, [{ rule: 'self.size > (' }]),
  (dice) => rule(dice, [{ rule: 'true', reason: 'Odd', fieldPath: '.nope' }]),
  (dice) => rule(dice, [{ rule: 'self.size < 5', messageExpression: '5' }]),
  (dice) =>
    rule(dice, [{ rule: 'self.list.all(a, self.list.all(b, a != b))' }], { list: { type: 'array', items: text } }),
  (dice) => one(dice, {}, { additionalPrinterColumns: [{ name: '', type: 'odd', jsonPath: 'spec' }] }),
  (dice) => one(dice, {}, { selectableFields: [{ jsonPath: '.spec.nope' }] }),
  (dice) => one(dice, {}, { selectableFields: [{ jsonPath: '.metadata.name' }] }),
  (dice) => one(dice, {}, { subresources: { scale: { specReplicasPath: 'x', statusReplicasPath: '.spec.y' } } }),
  (dice) => one(dice, {}, { odd: 1, schema: 'text' }),
  () => ({ spec: null }),
  () => ({ status: { storedVersions: ['v9'] } }),
  () => spec({ names: { listKind: 'Widget' } }),
];

/** CustomResourceDefinitions of a sequence, and instances of the first of them. */
export function definitionKinds(mark: string): readonly [Kind, Kind] {
  const group = `${mark}.example.com`;
  const namesOf: Readonly<Record<string, Fields>> = {
    widgets: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    gadgets: { plural: 'gadgets', kind: 'Gadget' },
  };
  const definition: Kind = {
    name: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    namespaced: false,
    strategic: true,
    unwatched: true,
    names: Object.keys(namesOf).map((plural) => `${plural}.${group}`),
    base: (dice) => one(dice, {}),
    identity: (name) => spec({ group, scope: 'Namespaced', names: namesOf[name.split('.')[0] ?? ''] ?? {} }),
    features: FEATURES,
    bad: BAD,
    status: [
      () => ({ status: { storedVersions: ['v1'] } }),
      () => ({ status: { storedVersions: [] } }),
      () => ({ status: { storedVersions: ['v1', 'v2'], acceptedNames: { plural: 'x', kind: 'X' } } }),
      () => ({ status: { conditions: 'none' } }),
    ],
  };
  return [definition, widgets(`${group}/v1`)];
}

function widgets(apiVersion: string): Kind {
  const values: readonly Value[] = [0, 1, 2, 3, 4, 5, 6];
  return {
    name: 'Widget',
    apiVersion,
    kind: 'Widget',
    plural: 'widgets',
    namespaced: true,
    strategic: false,
    unwatched: true,
    base: (dice) => spec({ size: dice.pick(values) }),
    features: [
      (dice) => spec({ color: word(dice) }),
      (dice) => spec({ list: [word(dice), word(dice)] }),
      (dice) => spec({ items: [{ name: 'a' }, { name: word(dice), port: 1 }] }),
      (dice) => spec({ nested: { a: word(dice) } }),
      () => spec({ nested: null }),
      () => spec({ any: { free: 1 } }),
      () => spec({ either: '5' }),
      () => spec({ extra: 'x' }),
      () => spec({ replicas: 2 }),
      (dice) => ({ status: { phase: word(dice) } }),
    ],
    bad: [
      () => spec({ size: 'big' }),
      () => spec({ size: 1.5 }),
      () => spec({ color: 7 }),
      () => spec({ odd: { deep: 1 } }),
      () => ({ spec: null }),
      () => ({ spec: 'x' }),
      (dice) => ({ apiVersion: dice.pick([apiVersion.replace('v1', 'v2'), 'v1']) }),
      () => spec({ list: ['a', 'a', null] }),
    ],
    status: [
      (dice) => ({ status: { phase: word(dice) } }),
      () => ({ status: { replicas: 2 } }),
      () => ({ status: { phase: 5 } }),
    ],
  };
}
