import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { equal, isArray, isObject, own, type Json } from '../../src/json.js';
import { decodeStruct } from '../../src/schema/struct/decode.js';
import { fillDefaults, pruneNulls } from '../../src/schema/custom/defaults.js';
import { readJson } from '../../src/read/json.js';
import { MalformedBody } from '../../src/read/malformed.js';
import { prune } from '../../src/schema/custom/prune.js';
import type { Schema } from '../../src/schema/schema.js';
import { readYaml } from '../../src/read/yaml.js';
import { decodeCustom } from '../../src/schema/custom/decode.js';
import { validateCustom, validateSchema } from '../../src/schema/custom/validate.js';

const KEYS = ['a', 'b', 'c', '__proto__', 'constructor', 'toString', 'metadata', 'kind', 'apiVersion', 'spec'];
const key = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...KEYS) }, { weight: 1, arbitrary: fc.string() });
/** Without integers that a double cannot represent: those are rejected. */
const held = (value: number): boolean =>
  !Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= 2 ** 63;
const number = fc.oneof(
  fc.integer(),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    .filter(held)
    .map((value) => (Object.is(value, -0) ? 0 : value)),
);
const scalar: fc.Arbitrary<Json> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  number,
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('a', 'v1', 'x/y'),
);

/** Includes objects with own keys of the names of Object.prototype members. */
function objectOf<T>(entries: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> {
  return fc.array(fc.tuple(key, entries), { maxLength: 5 }).map((list) => Object.fromEntries(list));
}

const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5, depthSize: 'medium' },
    scalar,
    fc.array(tie('json'), { maxLength: 4 }),
    objectOf(tie('json')),
  ),
}));

const shape = fc.record(
  {
    type: fc.constantFrom('object', 'array', 'string', 'integer', 'number', 'boolean', undefined),
    nullable: fc.boolean(),
    default: fc.option(json, { nil: undefined }),
    enum: fc.option(fc.array(scalar, { minLength: 1, maxLength: 3 }), { nil: undefined }),
    required: fc.option(fc.array(key, { maxLength: 2 }), { nil: undefined }),
    maximum: fc.option(number, { nil: undefined }),
    multipleOf: fc.option(number, { nil: undefined }),
    maxLength: fc.option(fc.nat(3), { nil: undefined }),
    maxItems: fc.option(fc.nat(3), { nil: undefined }),
    pattern: fc.constantFrom('^a', '(', '\\d+$', undefined),
    format: fc.constantFrom('date-time', 'ipv6', 'email', 'int32', 'odd', undefined),
    'x-kubernetes-preserve-unknown-fields': fc.boolean(),
    'x-kubernetes-embedded-resource': fc.boolean(),
    'x-kubernetes-int-or-string': fc.boolean(),
    'x-kubernetes-list-type': fc.constantFrom('set', 'map', 'atomic', undefined),
    'x-kubernetes-list-map-keys': fc.constantFrom(['a'], ['a', 'b'], undefined),
  },
  { requiredKeys: [] },
);

const { schema } = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    shape,
    fc
      .tuple(
        shape,
        fc.record(
          {
            properties: objectOf(tie('schema')),
            items: tie('schema'),
            additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
            anyOf: fc.array(tie('schema'), { maxLength: 2 }),
            oneOf: fc.array(tie('schema'), { maxLength: 2 }),
            not: tie('schema'),
          },
          { requiredKeys: [] },
        ),
      )
      .map(([one, other]) => ({ ...one, ...other })),
  ) as fc.Arbitrary<Schema>,
}));

/** Removes defaults: generated ones may have unknown fields, which definitions do not allow. */
function withoutDefaults(of: Schema): Schema {
  return JSON.parse(JSON.stringify(of), (name, value: unknown) => (name === 'default' ? undefined : value)) as Schema;
}

function frozen(value: Json): Json {
  if (isArray(value)) for (const item of value) frozen(item);
  if (isObject(value)) for (const item of Object.values(value)) frozen(item ?? null);
  return Object.freeze(value);
}

/** Whether equal parts of both values are the same objects. */
function shares(after: Json, before: Json): boolean {
  if (equal(after, before)) return after === before || typeof after !== 'object';
  if (isArray(after) && isArray(before))
    return after.every((item, at) => at >= before.length || shares(item, before[at] ?? null));
  if (!isObject(after) || !isObject(before)) return true;
  return Object.keys(after).every(
    (name) => own(before, name) === undefined || shares(own(after, name) ?? null, own(before, name) ?? null),
  );
}

const CHANGES: readonly (readonly [string, (schema: Schema, value: Json) => Json])[] = [
  ['pruning', (of, value) => prune(of, value).value],
  ['pruning of a whole object', (of, value) => prune(of, value, { root: true }).value],
  ['pruning of a built-in kind', (of, value) => prune(of, value, { builtin: true }).value],
  ['filling defaults', fillDefaults],
  ['dropping nulls', pruneNulls],
];

describe.each(CHANGES)('%s', (name, change) => {
  it(`${name} accepts every schema and value, modifies nothing in place and shares unchanged parts`, () => {
    fc.assert(fc.property(schema, json, (of, value) => shares(change(of, frozen(value)), value)));
  });

  it(`${name} changes nothing the second time`, () => {
    fc.assert(
      fc.property(schema, json, (of, value) => {
        const once = change(of, value);
        return change(of, once) === once;
      }),
    );
  });
});

describe('arbitrary values', () => {
  it('every value can be validated against every schema and every stored value', () => {
    fc.assert(
      fc.property(schema, json, fc.option(json, { nil: undefined }), (of, value, old) => {
        const { errors } = validateSchema(of, frozen(value), old);
        return errors.every(({ message, field }) => message !== '' && field !== '');
      }),
    );
  });

  it('an unchanged value is accepted even if it is invalid', () => {
    fc.assert(
      fc.property(schema, json, (of, value) => {
        const wrapped: Schema = {
          type: 'object',
          properties: { x: { ...of, 'x-kubernetes-embedded-resource': false } },
        };
        const scalars = value === null || typeof value !== 'object';
        return !scalars || validateSchema(wrapped, { x: value }, { x: value }).errors.length === 0;
      }),
    );
  });

  it('every value can be decoded as a custom resource, and decoding the result changes nothing', () => {
    fc.assert(
      fc.property(schema.map(withoutDefaults), objectOf(json), (of, body) => {
        const decoded = decodeCustom(of, { ...body, apiVersion: 'g/v1', kind: 'K' });
        if ('problem' in decoded) return decoded.problem !== '';
        validateCustom(of, decoded.object);
        const again = decodeCustom(of, decoded.object);
        return 'object' in again && equal(again.object, decoded.object);
      }),
    );
  });

  it.each([
    'io.k8s.api.core.v1.ConfigMap',
    'io.k8s.api.apps.v1.Deployment',
    'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
  ])('every value can be decoded as %s', (definition) => {
    fc.assert(
      fc.property(json, (value) => {
        const { value: typed, problem } = decodeStruct(definition, frozen(value));
        return problem !== undefined || decodeStruct(definition, typed).unknown.length === 0;
      }),
    );
  });
});

/** Throws for a number that no float64 holds, as kube-apiserver rejects it; JSON.parse makes it Infinity. */
function finite(_: string, value: unknown): unknown {
  if (value === Infinity || value === -Infinity) throw new RangeError('a number that no float64 holds');
  return value;
}

describe('parsing of arbitrary texts', () => {
  it('JSON text is parsed to the value that was encoded', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(value);
        const read = readJson(text);
        return read.duplicates.length === 0 && JSON.stringify(read.value) === text;
      }),
    );
  });

  it('a text is accepted as JSON exactly where JSON.parse accepts it, but for numbers that no float64 holds', () => {
    const fragment = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '1',
      '-',
      '0',
      '.5',
      'e3',
      'true',
      'null',
      ' ',
      '\\u00e9',
      'x',
      '\n',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(fragment, { maxLength: 12 }).map((parts) => parts.join('')),
        ),
        (text) => {
          expect(JSON.stringify(attempt(() => readJson(text).value))).toEqual(
            JSON.stringify(attempt(() => JSON.parse(text, finite) as Json)),
          );
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('every text is parsed as YAML or rejected', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          json.map((value) => JSON.stringify(value)),
        ),
        (text) => {
          try {
            return readYaml(text).value !== undefined;
          } catch (error) {
            return error instanceof MalformedBody;
          }
        },
      ),
    );
  });
});

function attempt(read: () => Json): Json | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
