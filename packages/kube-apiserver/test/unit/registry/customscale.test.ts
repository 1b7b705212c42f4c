import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Json, JsonObject } from '@multicluster-engine/values/json';
import { VerbsFixture, refusedStatus, thingCrd } from '../verbs/fixture.js';

const THING = 'things.facts.example.com/ns/a';
const SCALE = `${THING}/scale`;
const SCHEMA = {
  type: 'object',
  properties: {
    spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};
const subresources = {
  status: {},
  scale: {
    specReplicasPath: '.spec.deep.count',
    statusReplicasPath: '.status.count',
    labelSelectorPath: '.status.selector',
  },
};

let fixture: VerbsFixture;
const thing = (spec: JsonObject): Json => ({
  apiVersion: 'facts.example.com/v1',
  kind: 'Thing',
  metadata: { name: 'a' },
  spec,
});

beforeEach(async () => {
  fixture = new VerbsFixture();
  await fixture.namespace('ns');
  await fixture.define(thingCrd({ schema: SCHEMA, version: { subresources } }));
});

describe('the scale of a custom resource', () => {
  it('the scale subresource reads the fields that the definition names, and writes the replicas', async () => {
    await fixture.create('things.facts.example.com/ns', thing({ deep: { count: 2, kept: true } }));
    await fixture.patch(`${THING}/status`, 'merge', { status: { count: 1, selector: 'a=b' } });
    expect(fixture.get(SCALE)).toMatchObject({
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      spec: { replicas: 2 },
      status: { replicas: 1, selector: 'a=b' },
    });
    expect(await fixture.patch(SCALE, 'merge', { spec: { replicas: 5 } })).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 5 },
    });
    expect(
      await fixture.update(SCALE, {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'a' },
        spec: { replicas: 6 },
      }),
    ).toMatchObject({ spec: { replicas: 6 } });
    expect(fixture.get(THING)).toMatchObject({ spec: { deep: { count: 6, kept: true } }, metadata: { generation: 3 } });
  });

  it('the scale of an object without the replicas field cannot be read, but can be set', async () => {
    await fixture.create('things.facts.example.com/ns', thing({}));
    expect(await refusedStatus(() => fixture.get(SCALE))).toMatchObject({
      code: 500,
      reason: 'InternalError',
      message: 'Internal error occurred: the spec replicas field ".spec.deep.count" does not exist',
    });
    expect(await refusedStatus(() => fixture.patch(SCALE, 'merge', {}))).toMatchObject({
      code: 400,
      message: 'the spec replicas field ".spec.deep.count" cannot be empty',
    });
    await fixture.patch(SCALE, 'merge', { spec: { replicas: 3 } });
    expect(fixture.get(THING)).toMatchObject({ spec: { deep: { count: 3 } } });
  });

  it.each<[string, JsonObject, string]>([
    [
      'a negative number',
      { deep: { count: -1 } },
      '.spec.deep.count: Invalid value: -1: should be a non-negative integer',
    ],
    [
      'a number beyond int32',
      { deep: { count: 3_000_000_000 } },
      '.spec.deep.count: Invalid value: 3000000000: should be less than or equal to 2147483647',
    ],
    [
      'a text',
      { deep: { count: 'x' } },
      '.spec.deep.count: Invalid value: 0: .spec.deep.count accessor error: x is of the type string, expected int64',
    ],
  ])('an object whose replicas field holds %s is rejected', async (_what, spec, cause) => {
    expect(await refusedStatus(() => fixture.create('things.facts.example.com/ns', thing(spec)))).toMatchObject({
      code: 422,
      message: `Thing.facts.example.com "a" is invalid: ${cause}`,
    });
  });
});
