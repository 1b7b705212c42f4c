import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import type { Assembly } from '../../../src/server/assembly.js';
import { isObject, type Json } from '@multicluster-engine/values/json';
import { Dice } from '../../../testing/random.js';
import { ask, startAssembly } from './fixture.js';

const MAPS = '/api/v1/namespaces/default/configmaps';
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
const YAML = 'application/yaml';
/** Time limit in ms, far above what a test takes: machines are slow and busy. */
const LONG = 600_000;

let assembly: Assembly;

beforeAll(async () => {
  assembly = await startAssembly();
});

beforeEach(async () => {
  await ask(assembly, { method: 'DELETE', target: `${MAPS}/a`, body: '' });
  await ask(assembly, { method: 'POST', target: MAPS, body: '{"metadata":{"name":"a"},"data":{"a":"x"}}' });
});

afterAll(() => assembly.close());

const nested = (depth: number, open: string, close: string): string => `${open.repeat(depth)}1${close.repeat(depth)}`;
const many = (count: number, one: (at: number) => string, between = ','): string =>
  Array.from({ length: count }, (_, at) => one(at)).join(between);

describe('a value that is nested too deeply', () => {
  it.each([10_000, 100_000, 500_000])(
    'a value of %i levels is refused in every form',
    async (depth) => {
      const lists = nested(depth, '[', ']');
      const maps = nested(depth, '{"a":', '}');
      const requests = [
        { method: 'POST', target: MAPS, body: `{"metadata":{"name":"b"},"x":${lists}}` },
        { method: 'POST', target: MAPS, body: `{"metadata":{"name":"b"},"data":${maps}}` },
        { method: 'POST', target: MAPS, body: `metadata: {name: b}\nx: ${lists}`, type: YAML },
        { method: 'POST', target: CRDS, body: `{"metadata":{"name":"b"},"spec":${maps}}` },
        ...[MERGE, STRATEGIC].map((type) => ({ method: 'PATCH', target: `${MAPS}/a`, body: `{"data":${maps}}`, type })),
        { method: 'PATCH', target: `${MAPS}/a`, body: `[{"op":"add","path":"/x","value":${lists}}]`, type: JSON_PATCH },
        {
          method: 'PATCH',
          target: `${MAPS}/a?fieldManager=x`,
          body: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":${maps}}`,
          type: APPLY,
        },
        { method: 'DELETE', target: `${MAPS}/a`, body: maps },
      ];
      for (const request of requests) {
        const { code, value } = await ask(assembly, request);
        expect({
          request: `${request.method} ${request.target} ${request.type ?? ''}`,
          code,
          kind: value['kind'],
          reason: value['reason'],
        }).toEqual(expect.objectContaining({ code: 400, kind: 'Status', reason: 'BadRequest' }));
      }
    },
    LONG,
  );

  it.each([
    ['a path of a JSON patch', JSON_PATCH, `[{"op":"add","path":"${'/a'.repeat(500_000)}","value":1}]`, 422],
    [
      'aliases of YAML that double',
      YAML,
      `a0: &a0 [x,x]\n${many(30, (at) => `a${at + 1}: &a${at + 1} [*a${at},*a${at}]`, '\n')}`,
      400,
    ],
    ['blocks of YAML', YAML, many(1500, (at) => `${' '.repeat(at)}a:`, '\n'), 400],
  ])(
    'a deeply nested value as %s is refused',
    async (_what, type, body, wanted) => {
      const { code, value } = await ask(
        assembly,
        type === YAML
          ? { method: 'POST', target: MAPS, body, type }
          : { method: 'PATCH', target: `${MAPS}/a`, body, type },
      );
      expect([code, value['kind']]).toEqual([wanted, 'Status']);
    },
    LONG,
  );
});

describe('keys that are properties of JavaScript prototypes', () => {
  // Keys of annotations start and end with a letter or digit.
  const PLAIN = ['constructor', 'toString', 'hasOwnProperty', 'prototype'];
  const ODD = ['__proto__', ...PLAIN];
  const odd = many(ODD.length, (at) => `"${ODD[at] ?? ''}":"v"`);
  const plain = many(PLAIN.length, (at) => `"${PLAIN[at] ?? ''}":"v"`);

  it.each<[string, Parameters<typeof ask>[1]]>([
    [
      'JSON',
      { method: 'POST', target: MAPS, body: `{"metadata":{"name":"odd-1","annotations":{${plain}}},"data":{${odd}}}` },
    ],
    [
      'YAML',
      {
        method: 'POST',
        target: MAPS,
        type: YAML,
        body: `metadata:\n  name: odd-2\n  annotations: {${plain}}\ndata: {${odd}}\n`,
      },
    ],
    [
      'a merge patch',
      {
        method: 'PATCH',
        target: `${MAPS}/a`,
        type: MERGE,
        body: `{"__proto__":{"polluted":1},"metadata":{"annotations":{${plain}}},"data":{"a":null,${odd}}}`,
      },
    ],
    [
      'a strategic merge patch',
      {
        method: 'PATCH',
        target: `${MAPS}/a`,
        type: STRATEGIC,
        body: `{"metadata":{"annotations":{${plain}}},"data":{"a":null,${odd}}}`,
      },
    ],
    [
      'a JSON patch',
      {
        method: 'PATCH',
        target: `${MAPS}/a`,
        type: JSON_PATCH,
        body: JSON.stringify([
          { op: 'add', path: '/metadata/annotations', value: {} },
          { op: 'remove', path: '/data/a' },
          { op: 'add', path: '/data/__proto__', value: 'v' },
          ...PLAIN.flatMap((key) => [
            { op: 'copy', from: '/data/__proto__', path: `/data/${key}` },
            { op: 'copy', from: `/data/${key}`, path: `/metadata/annotations/${key}` },
          ]),
        ]),
      },
    ],
    [
      'an apply',
      {
        method: 'PATCH',
        target: `${MAPS}/odd-3?fieldManager=x`,
        type: APPLY,
        body: `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"odd-3","annotations":{${plain}}},"data":{${odd}}}`,
      },
    ],
  ])('prototype property names are ordinary keys in %s', async (_what, request) => {
    const { code, value } = await ask(assembly, request);
    const { data, metadata } = value;
    expect(code).toBeLessThan(300);
    expect(Object.keys(isObject(data) ? data : {}).sort()).toEqual([...ODD].sort());
    expect(
      Object.keys(isObject(metadata) && isObject(metadata['annotations']) ? metadata['annotations'] : {}).sort(),
    ).toEqual([...PLAIN].sort());
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  it.each(['/__proto__/polluted', '/constructor/prototype/polluted', '/metadata/__proto__/polluted'])(
    'a JSON patch cannot change a prototype: %s',
    async (path) => {
      const { code } = await ask(assembly, {
        method: 'PATCH',
        target: `${MAPS}/a`,
        type: JSON_PATCH,
        body: JSON.stringify([{ op: 'add', path, value: 1 }]),
      });
      expect([code, Reflect.get({}, 'polluted')]).toEqual([422, undefined]);
    },
  );
});

describe('a patch that grows', () => {
  it.each<[string, Json, number]>([
    [
      'by copies of copies',
      [
        { op: 'add', path: '/x', value: ['x'.repeat(100)] },
        ...Array.from({ length: 60 }, () => ({ op: 'copy', from: '/x', path: '/x/-' })),
      ],
      422,
    ],
    [
      'by copies of a long text',
      [
        { op: 'add', path: '/data/b', value: 'x'.repeat(500_000) },
        ...Array.from({ length: 1000 }, (_, at) => ({ op: 'copy', from: '/data/b', path: `/data/c${at}` })),
      ],
      422,
    ],
    [
      'by more steps than there may be',
      Array.from({ length: 10_001 }, () => ({ op: 'add', path: '/data/b', value: 'x' })),
      413,
    ],
    [
      'by inserts at the front of a long list',
      [
        { op: 'add', path: '/x', value: Array.from({ length: 100_000 }, () => 1) },
        ...Array.from({ length: 2000 }, () => ({ op: 'add', path: '/x/0', value: 1 })),
      ],
      200,
    ],
  ])(
    'a growing patch is limited: %s',
    async (_what, patch, wanted) => {
      const { code } = await ask(assembly, {
        method: 'PATCH',
        target: `${MAPS}/a`,
        type: JSON_PATCH,
        body: JSON.stringify(patch),
      });
      expect(code).toBe(wanted);
    },
    LONG,
  );
});

describe('a query of a megabyte', () => {
  it.each([
    ['of labels', `labelSelector=${encodeURIComponent(many(20_000, (at) => `k${at} in (a,b,c)`))}`, 200],
    ['of values', `labelSelector=${encodeURIComponent(`k in (${many(100_000, (at) => `v${at}`)})`)}`, 200],
    ['of parentheses', `labelSelector=${'('.repeat(500_000)}`, 400],
    ['of fields', `fieldSelector=${encodeURIComponent(many(40_000, (at) => `metadata.name!=a${at}`))}`, 200],
    ['of parameters', many(100_000, (at) => `a${at}=b`, '&'), 200],
    ['of a token', `limit=1&continue=${'eyJ'.repeat(200_000)}`, 400],
  ])(
    'a query of a megabyte gets a response: %s',
    async (_what, query, wanted) => {
      expect((await ask(assembly, { method: 'GET', target: `${MAPS}?${query}`, body: '' })).code).toBe(wanted);
    },
    LONG,
  );
});

describe('invalid protobuf', () => {
  it(
    'invalid protobuf is refused for every kind',
    async () => {
      const dice = new Dice(1);
      const kinds = assembly.registry.all().filter(({ custom, namespaced }) => !custom && namespaced);
      for (const { group, version, plural } of kinds) {
        const target = `${group === '' ? `/api/${version}` : `/apis/${group}/${version}`}/namespaces/default/${plural}`;
        for (let count = 0; count < 40; count++) {
          const noise = Buffer.from(Array.from({ length: dice.between(0, 300) }, () => dice.between(0, 255)));
          const { code } = await ask(assembly, {
            method: 'POST',
            target,
            body: Buffer.concat([Buffer.from('k8s\0'), noise]),
            type: 'application/vnd.kubernetes.protobuf',
          });
          expect([plural, code]).toEqual([plural, expect.any(Number)]);
          expect(code >= 400 && code < 500).toBe(true);
        }
      }
    },
    LONG,
  );
});
