import { beforeAll, describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@multicluster-engine/values/object';
import { VerbsFixture, configMap, refusedStatus } from './fixture.js';

const names = (items: readonly KubeObject[]): unknown => items.map(({ metadata }) => metadata.name);

// conformance/exchange/lists.http and compaction.test.ts have what kube-apiserver answers to lists.
describe('a list', () => {
  let fixture: VerbsFixture;

  beforeAll(async () => {
    fixture = new VerbsFixture();
    await fixture.namespace('ns');
    await fixture.create('configmaps/ns', configMap('a'));
  });

  it('a list and a get of a future revision wait three seconds, then are refused', async () => {
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code: 504,
      reason: 'Timeout',
      message: 'Timeout: Too large resource version: 99999999, current: 3',
      details: {
        causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
        retryAfterSeconds: 1,
      },
    };
    const future = { resourceVersion: '99999999' };
    const refusals = [
      () => fixture.list('configmaps/ns', future),
      () => fixture.verbs.get(fixture.target('configmaps/ns/a'), future),
      () => fixture.verbs.deleteCollection(fixture.target('configmaps/ns'), undefined, future, fixture.caller),
    ].map(refusedStatus);
    let refused = 0;
    for (const one of refusals) void one.then(() => (refused += 1));
    await fixture.clock.advance(2999);
    expect(refused).toBe(0);
    await fixture.clock.advance(100);
    expect(await Promise.all(refusals)).toEqual([status, status, status]);
    expect(await refusedStatus(() => fixture.get('configmaps/ns/a', { resourceVersion: 'abc' }))).toMatchObject({
      code: 500,
      message: 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    });
  });

  it('a list of a future revision is served as soon as the revision exists', async () => {
    const future = { resourceVersion: String(fixture.store.revision + 1) };
    const listed = fixture.list('configmaps/ns', future);
    const read = fixture.verbs.get(fixture.target('configmaps/ns/new'), future);
    await fixture.create('configmaps/ns', configMap('new'));
    await fixture.clock.advance(25);
    expect(names((await listed).items)).toContain('new');
    expect(await read).toMatchObject({ metadata: { name: 'new', resourceVersion: future.resourceVersion } });
  });
});

describe('a namespace that is no valid storage key', () => {
  const key = (what: string): unknown => ({ code: 500, message: `invalid key: "/configmaps/${what}"`, metadata: {} });

  it.each<[string, (fixture: VerbsFixture) => unknown, string]>([
    ['list', (fixture) => fixture.list('configmaps/..'), '..'],
    ['list of one', (fixture) => fixture.list('configmaps/.', { fieldSelector: 'metadata.name=a' }), './a'],
    ['watch', (fixture) => fixture.watch('configmaps/..'), '..'],
    ['get', (fixture) => fixture.get('configmaps/../a'), '../a'],
    ['delete', (fixture) => fixture.delete('configmaps/./a'), './a'],
    ['put', (fixture) => fixture.update('configmaps/../a', configMap('a')), '../a'],
    ['patch', (fixture) => fixture.patch('configmaps/../a', 'merge', {}), '../a'],
  ])('a %s in a namespace that is no valid storage key fails', async (_verb, ask, place) => {
    expect(await refusedStatus(() => ask(new VerbsFixture()))).toMatchObject(key(place) as object);
  });

  it('a list of a namespace that is no valid storage key, with a field selector on another namespace, is empty', async () => {
    expect((await new VerbsFixture().list('configmaps', { fieldSelector: 'metadata.namespace=..' })).items).toEqual([]);
  });
});
