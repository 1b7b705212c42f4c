import { beforeAll, describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Query } from '../../../src/verbs/verbs.js';
import { VerbsFixture, configMap, refusedStatus } from './fixture.js';

const names = (items: readonly KubeObject[]): unknown => items.map(({ metadata }) => metadata.name);
const token = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a list', () => {
  let fixture: VerbsFixture;
  let revision: string;
  let next: string;

  beforeAll(async () => {
    fixture = new VerbsFixture();
    await fixture.namespace('ns');
    for (const name of ['b', 'a', 'e', 'd', 'c']) await fixture.create('configmaps/ns', configMap(name));
    const first = await fixture.list('configmaps/ns', { limit: '2' });
    expect({ ...first, items: names(first.items) }).toEqual({
      items: ['a', 'b'],
      resourceVersion: '7',
      continue: expect.any(String),
      remainingItemCount: 3,
    });
    revision = first.resourceVersion;
    next = first.continue ?? '';
    await fixture.create('configmaps/ns', configMap('bb'));
    await fixture.delete('configmaps/ns/d');
  });

  it('a continue token has the revision and the first key after the page, relative to the namespace', () => {
    expect(JSON.parse(Buffer.from(next, 'base64url').toString())).toEqual({
      v: 'meta.k8s.io/v1',
      rv: 7,
      start: '/b\u0000',
    });
  });

  it.each<[string, Query, unknown, string]>([
    ['shows one state on all of its pages', { limit: '10' }, ['c', 'd', 'e'], '7'],
    ['takes another selector for the next page', { labelSelector: 'x' }, [], '7'],
    ['takes resourceVersion 0 beside a token', { resourceVersion: '0' }, ['c', 'd', 'e'], '7'],
  ])('a list %s', async (_what, query, expected, state) => {
    const page = await fixture.list('configmaps/ns', { ...query, continue: next });
    expect([names(page.items), page.resourceVersion]).toEqual([expected, state]);
  });

  it.each<[string, Query, unknown]>([
    ['without anything is the newest state', {}, ['a', 'b', 'bb', 'c', 'e']],
    ['of resourceVersion 0 ignores the limit', { resourceVersion: '0', limit: '2' }, ['a', 'b', 'bb', 'c', 'e']],
    ['of a revision with a limit is of that state', { resourceVersion: '7', limit: '9' }, ['a', 'b', 'c', 'd', 'e']],
    ['of a revision without a limit is at least as new', { resourceVersion: '7' }, ['a', 'b', 'bb', 'c', 'e']],
    [
      'of a revision and NotOlderThan is at least as new',
      { resourceVersion: '7', limit: '9', resourceVersionMatch: 'NotOlderThan' },
      ['a', 'b', 'bb', 'c', 'e'],
    ],
    [
      'of a revision and Exact is of that state',
      { resourceVersion: '7', resourceVersionMatch: 'Exact' },
      ['a', 'b', 'c', 'd', 'e'],
    ],
    ['with a negative limit has none', { limit: '-1' }, ['a', 'b', 'bb', 'c', 'e']],
    ['of one name is that object', { fieldSelector: 'metadata.name=c', limit: '1' }, ['c']],
    [
      'of one name at a revision is that object then',
      { fieldSelector: 'metadata.name=d', resourceVersion: '7', resourceVersionMatch: 'Exact' },
      ['d'],
    ],
  ])('a list %s', async (_what, query, expected) => {
    const page = await fixture.list('configmaps/ns', query);
    expect(names(page.items)).toEqual(expected);
    expect(page.continue).toBeUndefined();
  });

  it('a field selector can narrow a list of all namespaces', async () => {
    expect(
      names((await fixture.list('configmaps', { fieldSelector: 'metadata.namespace=ns,metadata.name=a' })).items),
    ).toEqual(['a']);
    expect(names((await fixture.list('configmaps', { fieldSelector: 'metadata.namespace=other' })).items)).toEqual([]);
  });

  it('a list with a selector has no remainingItemCount', async () => {
    expect(
      (await fixture.list('configmaps/ns', { limit: '1', fieldSelector: 'metadata.name!=a' })).remainingItemCount,
    ).toBeUndefined();
  });

  it.each<[string, Query, number, string]>([
    ['limit', { limit: 'x' }, 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
    [
      'revision',
      { resourceVersion: 'abc' },
      400,
      'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    ],
    [
      'token with a revision',
      { continue: token({ v: 'meta.k8s.io/v1', rv: 7, start: '/b' }), resourceVersion: '5' },
      400,
      'specifying resource version is not allowed when using continue',
    ],
    [
      'token of another version',
      { continue: token({ v: 'v2', rv: 5, start: 'b' }) },
      400,
      'invalid continue token: continue key is not valid: server does not recognize this encoded version v2',
    ],
    [
      'token without revision',
      { continue: token({ v: 'meta.k8s.io/v1', rv: 0, start: 'a' }) },
      400,
      'invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
    ],
    [
      'token without key',
      { continue: token({ v: 'meta.k8s.io/v1', rv: 5, start: '' }) },
      400,
      'invalid continue token: continue key is not valid: encoded start key empty (version meta.k8s.io/v1)',
    ],
    [
      'token that climbs',
      { continue: token({ v: 'meta.k8s.io/v1', rv: 5, start: '../b' }) },
      400,
      'invalid continue token: continue key is not valid: ../b',
    ],
    [
      'match without revision',
      { resourceVersionMatch: 'Exact' },
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    ],
    [
      'match Exact of 0',
      { resourceVersionMatch: 'Exact', resourceVersion: '0' },
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ],
    [
      'match',
      { resourceVersionMatch: 'Bad', resourceVersion: '5' },
      422,
      'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Unsupported value: "Bad": supported values: "Exact", "NotOlderThan", ""',
    ],
    [
      'sendInitialEvents',
      { sendInitialEvents: 'true' },
      422,
      'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    ],
  ])('a list with a bad %s is refused', async (_what, query, code, message) => {
    expect(await refusedStatus(() => fixture.list('configmaps/ns', query))).toMatchObject({ code, message });
  });

  it('a list and a get of a future revision wait three seconds, then are refused', async () => {
    const status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code: 504,
      reason: 'Timeout',
      message: 'Timeout: Too large resource version: 99999999, current: 9',
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

  it('a list of a compacted revision is refused with a token that continues in the newest state', async () => {
    fixture.store.compact();
    expect(
      await refusedStatus(() =>
        fixture.list('configmaps/ns', { resourceVersion: revision, resourceVersionMatch: 'Exact' }),
      ),
    ).toMatchObject({
      code: 410,
      reason: 'Expired',
      message: 'The resourceVersion for the provided list is too old.',
    });
    const gone = await refusedStatus(() => fixture.list('configmaps/ns', { continue: next }));
    expect(gone).toMatchObject({
      code: 410,
      reason: 'Expired',
      message: expect.stringMatching(
        /^The provided continue parameter is too old to display a consistent list result\./,
      ),
    });
    const { metadata } = gone as { metadata: { continue: string } };
    expect(JSON.parse(Buffer.from(metadata.continue, 'base64url').toString())).toEqual({
      v: 'meta.k8s.io/v1',
      rv: -1,
      start: '/b\u0000',
    });
    expect(names((await fixture.list('configmaps/ns', { continue: metadata.continue })).items)).toEqual([
      'bb',
      'c',
      'e',
    ]);
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
