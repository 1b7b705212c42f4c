import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { Assembly } from '../../../src/server/assembly.js';
import { isArray, isObject, type Json } from '@multicluster-engine/values/json';
import { ask, startAssembly } from './fixture.js';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const MAPS = '/api/v1/namespaces/default/configmaps';
const GROUP = 'bombs.example.com';
/** Time limit in ms, far above what a test takes: machines are slow and busy. */
const LONG = 600_000;

let assembly: Assembly;

beforeAll(async () => {
  assembly = await startAssembly();
});

afterAll(() => assembly.close());

function definition(plural: string, spec: Json): string {
  const kind = `K${plural}`;
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
  return JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Cluster',
      names: { plural, kind },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
}

async function define(plural: string, spec: Json): Promise<{ readonly code: number; readonly value: Json }> {
  return ask(assembly, { method: 'POST', target: CRDS, body: definition(plural, spec) });
}

function create(plural: string, spec: string): ReturnType<typeof ask> {
  return ask(assembly, {
    method: 'POST',
    target: `/apis/${GROUP}/v1/${plural}`,
    body: `{"apiVersion":"${GROUP}/v1","kind":"K${plural}","metadata":{"generateName":"a-"},"spec":${spec}}`,
  });
}

describe('a definition with patterns that need exponential time with backtracking', () => {
  it.each([
    ['p1s', '^(a+)+$'],
    ['p2s', '^(a|aa)+$'],
    ['p3s', '^(a|a?)+$'],
    ['p4s', '(.*a){20}'],
    ['p5s', '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+$'],
    ['p6s', '(x+x+)+y'],
  ])(
    'a pattern is matched against a megabyte in bounded time (%s)',
    async (plural, pattern) => {
      expect((await define(plural, { type: 'string', pattern })).code).toBe(201);
      const { code } = await create(plural, `"${'a'.repeat(1_000_000)}!"`);
      expect([201, 422]).toContain(code);
      // kube-apiserver's store accepts no object of this size.
      expect((await create(plural, `"${'x'.repeat(500_000)}"`)).code).toBe(422);
    },
    LONG,
  );
});

describe('a definition with rules that exceed the cost limit', () => {
  const list = (items: Json): Json => ({ type: 'array', items });
  it.each<[string, Json]>([
    [
      'c1s',
      {
        ...(list({ type: 'string' }) as object),
        'x-kubernetes-validations': [{ rule: 'self.all(a, self.all(b, self.all(c, a == b || b == c)))' }],
      },
    ],
    [
      'c2s',
      { type: 'string', 'x-kubernetes-validations': [{ rule: "self.matches('^(a+)+$') && self.matches(self)" }] },
    ],
    [
      'c3s',
      {
        ...(list({ type: 'string' }) as object),
        'x-kubernetes-validations': [{ rule: "self.map(a, self.map(b, a + b).join('')).join('').size() < 5" }],
      },
    ],
  ])(
    'a rule above the cost limit is refused (%s)',
    async (plural, spec) => {
      const { code, value } = await define(plural, spec);
      expect([code, JSON.stringify(value)]).toEqual([422, expect.stringContaining('cost')]);
    },
    LONG,
  );

  it(
    'the evaluation of rules over a megabyte of values ends at its cost limit',
    async () => {
      const rule = { rule: 'self.all(a, self.all(b, a == b))' };
      expect(
        (
          await define('c4s', {
            type: 'array',
            maxItems: 200,
            items: { type: 'string', maxLength: 20 },
            'x-kubernetes-validations': [rule],
          })
        ).code,
      ).toBe(201);
      const { code } = await create('c4s', JSON.stringify(Array.from({ length: 200 }, () => 'x'.repeat(20))));
      expect([201, 422]).toContain(code);
    },
    LONG,
  );

  it(
    'a rule that is nested too deeply is refused',
    async () => {
      for (const rule of [
        `${'('.repeat(5000)}true${')'.repeat(5000)}`,
        `${'!'.repeat(10_001)}true`,
        Array.from({ length: 5000 }, () => 'true').join(' && '),
        `'${'a'.repeat(100_000)}' == ''`,
      ]) {
        const { code } = await define('c5s', { type: 'string', maxLength: 5, 'x-kubernetes-validations': [{ rule }] });
        expect([201, 422]).toContain(code);
        if (code === 201) await ask(assembly, { method: 'DELETE', target: `${CRDS}/c5s.${GROUP}`, body: '' });
      }
    },
    LONG,
  );
});

describe('many managers of many fields', () => {
  it(
    'the managedFields of one object stay within the size limit',
    async () => {
      let last = { code: 0, value: {} as Json };
      for (let owner = 0; owner < 20; owner++) {
        const data = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`key-${owner}-${at}`, 'v']));
        const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owned' }, data });
        last = await ask(assembly, {
          method: 'PATCH',
          target: `${MAPS}/owned?fieldManager=owner-${owner}`,
          type: 'application/apply-patch+yaml',
          body,
        });
        expect(last.code).toBeLessThan(300);
      }
      const metadata = isObject(last.value) ? last.value['metadata'] : undefined;
      expect(isObject(metadata) && isArray(metadata['managedFields']) ? metadata['managedFields'].length : 0).toBe(20);
      // An apply that would exceed the limit is refused, and not stored in part.
      const data = Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`key-${at}`, 'some text']));
      const { code } = await ask(assembly, {
        method: 'PATCH',
        target: `${MAPS}/owned?fieldManager=greedy`,
        type: 'application/apply-patch+yaml',
        body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owned' }, data }),
      });
      expect(code).toBeGreaterThanOrEqual(400);
      expect((await ask(assembly, { method: 'GET', target: `${MAPS}/owned`, body: '' })).value).toEqual(last.value);
    },
    LONG,
  );
});

describe('five hundred definitions', () => {
  it(
    'five hundred definitions are served, listed in discovery, and deleted',
    async () => {
      const before = process.memoryUsage().rss;
      const plurals = Array.from({ length: 500 }, (_, at) => `m${at}s`);
      for (const plural of plurals)
        expect(
          (
            await define(plural, {
              type: 'object',
              properties: { a: { type: 'string', maxLength: 10, pattern: '^a' } },
            })
          ).code,
        ).toBe(201);
      for (const plural of plurals.filter((_one, at) => at % 50 === 0))
        expect((await create(plural, '{"a":"ab"}')).code).toBe(201);
      const { value } = await ask(assembly, { method: 'GET', target: `/apis/${GROUP}/v1`, body: '' });
      const served = isArray(value['resources'])
        ? value['resources'].filter((one) => isObject(one) && plurals.includes(String(one['name'] as string)))
        : [];
      expect(served).toHaveLength(500);
      expect((await ask(assembly, { method: 'GET', target: `/openapi/v3/apis/${GROUP}/v1`, body: '' })).code).toBe(200);
      for (const plural of plurals)
        expect((await ask(assembly, { method: 'DELETE', target: `${CRDS}/${plural}.${GROUP}`, body: '' })).code).toBe(
          200,
        );
      expect(process.memoryUsage().rss - before).toBeLessThan(600 * 1024 * 1024);
    },
    LONG,
  );
});
