import { expect, it } from '@jest/globals';

import type { AdmissionRequest } from '../../../../src/admission/admission.js';
import { matchResources, matchedRequest } from '../../../../src/admission/policy/match.js';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Resource } from '../../../../src/resource.js';
import { VerbsFixture } from '../../verbs/fixture.js';

const { registry } = new VerbsFixture();
const any = registry.all()[0];
if (any === undefined) throw new Error('nothing is served');
const version = (name: string, ...subresources: string[]): Resource => ({
  ...any,
  group: 'x.io',
  version: name,
  plural: 'xs',
  collection: 'xs.x.io',
  subresources: subresources.map((one) => ({ name: one, verbs: ['patch'] })),
});
const [v1, v2] = [version('v1', 'status', 'scale'), version('v2', 'status')];
const objects = {
  registry: () => ({ ...registry, findKind: () => undefined, find: () => undefined, all: () => [v1, v2] }),
  namespace: () => undefined,
};
const options: KubeObject = { apiVersion: 'meta.k8s.io/v1', kind: 'UpdateOptions', metadata: {} };

it.each([
  ['', 'v2'],
  ['status', 'v2'],
  ['scale', undefined],
])(
  'a change of %j in one version matches a rule for another version that has the subresource',
  (subresource, matched) => {
    const rule = { apiGroups: ['x.io'], apiVersions: ['v2'], operations: ['*'], resources: ['xs', 'xs/*'], scope: '*' };
    const request: AdmissionRequest = {
      user: { name: 'ann', groups: [] },
      operation: 'UPDATE',
      resource: v1,
      subresource,
      namespace: '',
      name: 'a',
      object: undefined,
      oldObject: undefined,
      dryRun: false,
      options,
    };
    expect(
      matchResources({ matchPolicy: 'Equivalent', resourceRules: [rule] }, matchedRequest(request), objects)?.resource
        .version,
    ).toBe(matched);
  },
);
