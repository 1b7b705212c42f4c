import { describe, expect, it } from '@jest/globals';

import { bootstrapRbac } from '../../../../src/auth/rbac/bootstrap.js';
import { repaired } from '../../../../src/auth/rbac/repair.js';
import type { JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';

const METADATA = {
  name: 'a',
  labels: { l: '1' },
  annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
};
const rule = (verbs: string[], ...resources: string[]): JsonObject => ({ verbs, apiGroups: [''], resources });
const selector = (name: string): JsonObject => ({ matchLabels: { [name]: 'true' } });
const ann = { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'ann' };
const bob = { ...ann, name: 'bob' };

function role(more: JsonObject): KubeObject {
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: METADATA, ...more };
}

describe('a default role or binding', () => {
  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      'rules',
      { rules: [rule(['get'], 'pods')] },
      { rules: [rule(['get', 'list'], 'pods'), rule(['get'], 'nodes')] },
      { rules: [rule(['get'], 'pods'), rule(['list'], 'pods'), rule(['get'], 'nodes')] },
    ],
    [
      'rules for paths',
      { rules: null },
      { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] },
      { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] },
    ],
    ['subjects', { subjects: [ann] }, { subjects: [bob, ann] }, { subjects: [ann, bob] }],
    ['subjects, of which it has none', {}, { subjects: [bob] }, { subjects: [bob] }],
    [
      'selectors',
      { aggregationRule: { clusterRoleSelectors: [selector('a')] } },
      { aggregationRule: { clusterRoleSelectors: [selector('b')] } },
      { aggregationRule: { clusterRoleSelectors: [selector('a'), selector('b')] } },
    ],
  ])('a default role or binding regains its missing %s, and keeps additions', (_what, stored, wanted, next) => {
    expect(repaired(role(stored), role(wanted))).toEqual(role(next));
  });

  it('a default role without aggregation gets none', () => {
    expect(repaired(role({ aggregationRule: { clusterRoleSelectors: [] } }), role({}))).toEqual(role({}));
  });

  it('a default role regains labels and annotations, but not those that were changed', () => {
    const stored = role({ metadata: { name: 'a', labels: { l: '2', mine: 'x' } } });
    expect(repaired(stored, role({})).metadata).toEqual({
      name: 'a',
      labels: { l: '2', mine: 'x' },
      annotations: METADATA.annotations,
    });
  });

  it('a default role that lacks nothing is returned unchanged', () => {
    const whole = role({ rules: [rule(['*'], 'pods', 'nodes')], subjects: [ann, bob] });
    expect(repaired(whole, role({ rules: [rule(['get', 'list'], 'pods')], subjects: [bob] }))).toBe(whole);
    for (const one of bootstrapRbac()) {
      const stored = { ...role({}), ...one, metadata: { ...METADATA, ...(one['metadata'] as object) } };
      expect(repaired(stored, one)).toBe(stored);
    }
  });

  it('a default role with auto-update disabled stays unchanged', () => {
    const alone = role({
      metadata: { name: 'a', annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'false' } },
    });
    expect(repaired(alone, role({ subjects: [ann] }))).toBe(alone);
  });
});
