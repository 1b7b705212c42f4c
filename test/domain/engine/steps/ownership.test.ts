import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { ConfigMaps } from '../../../../src/runtime/vocabulary/kinds.js';
import type { KubeObject, ObjectMeta } from '../../../../src/runtime/vocabulary/meta.js';
import {
  isAdoptable,
  NO_OWNERS,
  OWNING_ANNOTATIONS,
  OWNING_LABELS,
  ownerOf,
} from '../../../../src/domain/engine/steps/ownership.js';
import { stepForRead } from '../../../../src/domain/engine/steps/steps.js';
import { desired, identity, wanted } from '../../../support/builders/engine.js';
import { root } from '../../../support/repository/root.js';

type Meta = Partial<ObjectMeta> & { readonly managedFields?: readonly object[] };

const service = wanted('Service');
const stored = (metadata: Meta): KubeObject => ({
  metadata: { ...service.object.metadata, labels: {}, ownerReferences: [], ...metadata },
});
const applied = (manager: string): Meta => ({ managedFields: [{ manager, operation: 'Apply' }] });

describe('the owner of an object', () => {
  it.each<[string, Meta, string | undefined]>([
    ['that a person made', { managedFields: [{ manager: 'kubectl-create', operation: 'Update' }] }, undefined],
    ['that a person applied on the server', applied('kubectl'), undefined],
    [
      'that an earlier engine of the same name left',
      { labels: { 'multicluster.platform.io/engine': 'hub' } },
      undefined,
    ],
    [
      'that the operator has labelled',
      { labels: { 'app.kubernetes.io/managed-by': 'multicluster-engine' } },
      undefined,
    ],
    [
      'with an owner that is no controller',
      { ownerReferences: [{ apiVersion: 'x/v1', kind: 'Widget', name: 'w', uid: 'w' }] },
      'belongs to Widget w',
    ],
    ['of another engine', { labels: { 'multicluster.platform.io/engine': 'b' } }, 'belongs to MultiClusterEngine b'],
    [
      'of Helm',
      { labels: { 'app.kubernetes.io/managed-by': 'Helm' } },
      'is managed by Helm (label app.kubernetes.io/managed-by)',
    ],
    [
      'of Argo CD',
      { annotations: { 'argocd.argoproj.io/tracking-id': 'a:b' } },
      'is managed by another tool (annotation argocd.argoproj.io/tracking-id: a:b)',
    ],
    [
      'of Flux',
      { labels: { 'kustomize.toolkit.fluxcd.io/name': 'apps' } },
      'is managed by another tool (label kustomize.toolkit.fluxcd.io/name: apps)',
    ],
    ['that a controller applies', applied('kustomize-controller'), 'is applied by kustomize-controller'],
  ])('an object %s', (_what, metadata, owner) => {
    expect(ownerOf(stored(metadata), identity)).toBe(owner);
  });

  it('the policy has the same marks and managers', () => {
    const text = readFileSync(path.join(root, 'deploy/base/policies/adoption.yaml'), 'utf8');
    const lists = [...text.matchAll(/ in \[([^\]]*)\]/g)].map(([, list = '']) =>
      [...list.matchAll(/'([^']+)'/g)].map(([, one]) => one),
    );

    expect(lists).toEqual([OWNING_LABELS, OWNING_ANNOTATIONS, NO_OWNERS]);
  });
});

describe('a step for an object that was there before', () => {
  it('takes over what nobody owns, where the spec lets it', () => {
    expect(stepForRead(service, stored({}), identity, 'IfUnowned')).toMatchObject({ action: 'patch', adopts: true });
  });

  it('names the owner, and takes nothing over', () => {
    const helm = stored({ annotations: { 'meta.helm.sh/release-name': 'web' } });

    expect(stepForRead(service, helm, identity, 'IfUnowned')).toMatchObject({
      action: 'skip-foreign',
      cause:
        'is managed by another tool (annotation meta.helm.sh/release-name: web) and is not changed; delete or rename it',
    });
  });

  it.each<[string, string, object, string]>([
    [
      'a Deployment of other pods',
      'Deployment',
      { spec: { selector: { matchLabels: { app: 'web' } } } },
      'spec.selector',
    ],
    [
      'a binding of another role',
      'RoleBinding',
      { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' } },
      'roleRef',
    ],
    ['a headless Service', 'Service', { spec: { clusterIP: 'None' } }, 'spec.clusterIP (None)'],
    ['an immutable ConfigMap', 'ConfigMap', { immutable: true }, 'data (immutable)'],
  ])('names what cannot be changed of %s, and takes nothing over', (_what, kind, content, field) => {
    const one = kind === 'ConfigMap' ? { ...service, type: ConfigMaps } : wanted(kind);
    const { name, namespace = '' } = one.object.metadata;
    const theirs = { metadata: { name, namespace }, ...content };

    for (const adoption of ['IfUnowned', 'Refuse'] as const)
      expect(stepForRead(one, theirs, identity, adoption)).toMatchObject({
        action: 'skip-foreign',
        cause: `was created by somebody else and cannot be taken over: nobody can change its ${field}; delete or rename it`,
      });
  });

  it.each(['Deployment', 'RoleBinding', 'Service'])('takes over a %s of which all can be changed', (kind) => {
    const one = wanted(kind);
    const { name, namespace = '' } = one.object.metadata;
    const { metadata: _ours, ...content } = one.object;
    const theirs = { ...content, metadata: { name, namespace } };

    expect(stepForRead(one, theirs, identity, 'IfUnowned')).toMatchObject({ action: 'patch', adopts: true });
  });

  it('waits for one that is being deleted', () => {
    const going = stored({ deletionTimestamp: '2026-01-01T00:00:00Z' });

    expect(stepForRead(service, going, identity, 'IfUnowned')?.action).toBe('wait');
  });

  it('can take over every kind but a namespace', () => {
    expect(
      desired()
        .filter((one) => !isAdoptable(one))
        .map((one) => one.type.kind),
    ).toEqual(['Namespace']);
  });
});
