import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { serverSideApply } from '../../../src/apply/apply.js';
import { trackUpdate } from '../../../src/apply/track.js';
import { isObject } from '@multicluster-engine/values/json';
import type { Json } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import { StatusError } from '../../../src/status.js';
import { apply, body, put, START, stored, THING } from './fixture.js';

const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor');
const text = fc.constantFrom('x', 'y');
const spec = fc
  .record(
    {
      color: text,
      replicas: fc.integer({ min: 0, max: 2 }),
      o: fc.record({ a: text, b: fc.integer({ min: 0, max: 2 }) }, { requiredKeys: [] }),
      whole: fc.record({ a: text, b: text }, { requiredKeys: [] }),
      m: fc.dictionary(name, text),
      set: fc.uniqueArray(name),
      map: fc.uniqueArray(fc.record({ k: name, v: text }, { requiredKeys: ['k'] }), { selector: ({ k }) => k }),
      ports: fc.uniqueArray(
        fc.record(
          { port: fc.integer({ min: 1, max: 2 }), protocol: fc.constantFrom('TCP', 'UDP') },
          { requiredKeys: ['port'] },
        ),
        { selector: ({ port }) => port },
      ),
      any: fc.jsonValue({ maxDepth: 3 }),
    },
    { requiredKeys: [] },
  )
  .map((value): Json => JSON.parse(JSON.stringify(value)));

const step = fc.record({ manager: fc.constantFrom('m', 'n', 'kubectl'), spec, update: fc.boolean() });

function play(steps: readonly { manager: string; spec: Json; update: boolean }[]): KubeObject | undefined {
  let live: KubeObject | undefined;
  for (const { manager, spec: given, update } of steps)
    live = update ? put(live, manager, given) : apply(live, manager, given, { force: true });
  return live;
}

/** The spec without empty values: a container that lost its last member is null until the next apply. */
function values(object: KubeObject): Json {
  return filled(object['spec'] ?? null) ?? null;
}

function filled(value: Json): Json | undefined {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value;
  if (!isObject(value)) return value ?? undefined;
  const kept = Object.entries(value)
    .map(([key, child]) => [key, filled(child ?? null)] as const)
    .filter(([, child]) => child !== undefined);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

describe('server-side apply', () => {
  it('a third equal apply returns the live object itself, and a second has the values of the first', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 4 }), spec, (steps, given) => {
        const owning = { ...(given as object), flag: true };
        const once = apply(play(steps), 'm', owning, { force: true });
        const twice = apply(once, 'm', owning, { force: true });
        expect(values(twice)).toEqual(values(once));
        expect(
          serverSideApply({
            live: twice,
            applied: body(owning),
            manager: 'm',
            subresource: '',
            force: false,
            resource: THING,
            now: START + 1e6,
          }),
        ).toBe(twice);
      }),
    );
  });

  it('an equal apply by another manager changes no value', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 3 }), spec, (steps, given) => {
        const once = apply(play(steps), 'm', given, { force: true });
        expect(values(apply(once, 'z', given, { force: true }))).toEqual(values(once));
      }),
    );
  });

  it('an empty apply leaves the fields of other owners and no entry of its manager', () => {
    fc.assert(
      fc.property(spec, spec, (mine, theirs) => {
        const both = apply(apply(undefined, 'z', theirs), 'm', mine, { force: true });
        const left = apply(both, 'm', {}, { force: true });
        expect(
          left.metadata.managedFields?.some(
            ({ manager, fieldsV1 }) => manager === 'm' && JSON.stringify(fieldsV1) !== '{"f:spec":{}}',
          ) ?? false,
        ).toBe(false);
      }),
    );
  });

  it('server-side apply does not modify its inputs, and no key of a client reaches a prototype', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 3 }), spec, (steps, given) => {
        const live = play(steps);
        const before = JSON.stringify([live, given]);
        apply(live, 'm', given, { force: true });
        put(live, 'u', given);
        expect(JSON.stringify([live, given])).toBe(before);
      }),
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
    const odd: Json = JSON.parse(
      '{"any":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}},"m":{"__proto__":"x"}}',
    );
    expect(JSON.stringify(apply(apply(undefined, 'm', odd), 'n', odd)['spec'])).toBe(JSON.stringify(odd));
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('server-side apply returns a result or a StatusError for every input', () => {
    const anything = fc.jsonValue({ maxDepth: 4 });
    const field = fc.constantFrom(
      'color',
      'replicas',
      'o',
      'whole',
      'm',
      'set',
      'map',
      'ports',
      'any',
      'embedded',
      'either',
      'nope',
    );
    fc.assert(
      fc.property(fc.dictionary(field, anything), fc.array(step, { maxLength: 2 }), (given, steps) => {
        const live = play(steps);
        try {
          apply(live, 'm', given);
        } catch (error) {
          expect(error).toBeInstanceOf(StatusError);
        }
        const next: KubeObject = {
          apiVersion: 'facts.example.com/v1',
          kind: 'Thing',
          metadata: { name: 'x' },
          spec: given,
        };
        expect(
          stored(trackUpdate({ live, next, manager: 'u', subresource: '', resource: THING, now: START }))['spec'],
        ).toEqual(given);
      }),
    );
  });
});
