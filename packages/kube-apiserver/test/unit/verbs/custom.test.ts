import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Json } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Query } from '../../../src/verbs/verbs.js';
import { VerbsFixture, thingCrd } from './fixture.js';

const SCHEMA = {
  type: 'object',
  properties: { spec: { type: 'object', properties: { color: { type: 'string' } } } },
};
const THINGS = 'things.facts.example.com/ns';

const thing = (metadata: Json, spec: Json): Json => ({
  apiVersion: 'facts.example.com/v1',
  kind: 'Thing',
  metadata,
  spec,
});

let fixture: VerbsFixture;

beforeEach(async () => {
  fixture = new VerbsFixture();
  await fixture.namespace('ns');
  await fixture.define(thingCrd({ schema: SCHEMA }));
});

// conformance/exchange has what kube-apiserver answers to custom resources.
describe('a custom resource', () => {
  describe('to which empty metadata is applied', () => {
    const empty = { labels: {}, annotations: {}, finalizers: [], ownerReferences: [] };
    const apply = (metadata: Json, query: Query = {}): Promise<KubeObject> =>
      fixture.patch(`${THINGS}/e`, 'apply', thing(metadata, { color: 'a' }), { fieldManager: 'm', ...query });
    const revision = ({ metadata: { resourceVersion } }: KubeObject): unknown => resourceVersion;

    it('an apply of empty metadata does not show it', async () => {
      for (const query of [{ dryRun: 'All' }, {}]) {
        const made = await apply({ name: 'e', ...empty }, query);
        for (const key of Object.keys(empty)) expect(made.metadata).not.toHaveProperty(key);
      }
      expect(fixture.get(`${THINGS}/e`).metadata).not.toHaveProperty('labels');
    });

    it('an apply of empty metadata stores it, so that repeating it writes nothing, and the next empty change does', async () => {
      const made = await apply({ name: 'e', ...empty });
      expect(revision(await apply({ name: 'e', ...empty }))).toBe(revision(made));
      const written = await fixture.patch(`${THINGS}/e`, 'merge', {});
      expect(revision(written)).not.toBe(revision(made));
      expect(revision(await fixture.patch(`${THINGS}/e`, 'merge', {}))).toBe(revision(written));
      expect(revision(await apply({ name: 'e', ...empty }))).not.toBe(revision(written));
    });
  });

  it('the last page of a list of custom resources has an empty continue', async () => {
    await fixture.create(THINGS, thing({ name: 'a' }, {}));
    expect(await fixture.list(THINGS)).toMatchObject({ continue: '', remainingItemCount: undefined });
    expect(await fixture.list(THINGS, { limit: '1' })).toMatchObject({ continue: '' });
  });
});
