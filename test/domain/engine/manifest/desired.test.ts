import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import type { ComponentSpec, MultiClusterEngineSpec } from '../../../../src/api/generated/multiclusterengine.js';
import { REVISION_ANNOTATION } from '../../../../src/api/names.js';
import {
  APPLY_ORDER,
  BINDINGS,
  CATALOGUE,
  targetTypes,
  templateErrors,
} from '../../../../src/domain/engine/catalogue.js';
import {
  desiredId,
  desiredObjects,
  type DesiredObject,
  type EngineSettings,
} from '../../../../src/domain/engine/manifest/desired.js';
import { at, itemsAt, textAt, treeAt } from '../../../../src/domain/engine/manifest/manifest.js';
import { effectiveSpec } from '../../../../src/domain/engine/spec.js';
import { desired, identity, settings, templates, UID, wanted } from '../../../support/builders/engine.js';

/** Turns every component on. */
const components: NonNullable<MultiClusterEngineSpec['components']> = [{ name: 'console', enabled: true }];

/** The pod spec of every Deployment. */
function podSpecs(spec: MultiClusterEngineSpec, over: Partial<EngineSettings> = {}): readonly unknown[] {
  const deployments = desired({ components, ...spec }, over).filter((one) => one.type.kind === 'Deployment');
  expect(deployments.length).toBeGreaterThan(0);
  return deployments.map((one) => at(one.object, 'spec', 'template', 'spec'));
}

describe('the desired objects of an engine', () => {
  it('the desired objects have the namespace first and Deployments last', () => {
    expect(desired().map((one) => `${one.type.kind} ${one.object.metadata.name}`)).toEqual([
      'Namespace multicluster-engine',
      'RoleBinding multicluster-engine-installer',
      'RoleBinding multicluster-engine-agent-leases',
      'ServiceAccount placement-controller',
      'ServiceAccount gateway',
      'ClusterRoleBinding multicluster-engine-placement-controller',
      'Service gateway',
      'PodDisruptionBudget placement-controller',
      'PodDisruptionBudget gateway',
      'NetworkPolicy placement-controller',
      'NetworkPolicy gateway',
      'Deployment placement-controller',
      'Deployment gateway',
    ]);
  });

  it('the desired objects have the declared order of kinds', () => {
    expect(APPLY_ORDER.map((type) => type.kind)).toEqual([
      'Namespace',
      'RoleBinding',
      'ServiceAccount',
      'ClusterRoleBinding',
      'ConfigMap',
      'Secret',
      'Service',
      'PodDisruptionBudget',
      'NetworkPolicy',
      'Deployment',
    ]);
  });

  it('the desired objects with --namespace contain neither the namespace nor a binding', () => {
    const kinds = desired({}, { onlyNamespace: 'multicluster-engine' }).map((one) => one.type.kind);

    expect([...new Set(kinds)]).toEqual([
      'ServiceAccount',
      'Service',
      'PodDisruptionBudget',
      'NetworkPolicy',
      'Deployment',
    ]);
  });

  it('the desired objects have the target namespace, but for the binding in the namespace of the agents', () => {
    const namespaces = desired({ targetNamespace: 'infra' }).map(
      (one) => one.object.metadata.namespace ?? one.object.metadata.name,
    );

    expect(new Set(namespaces)).toEqual(
      new Set(['infra', 'multicluster-engine-agents', 'multicluster-engine-placement-controller']),
    );
  });

  it('every desired object has the labels and annotations of engine, component and version', () => {
    for (const { object, revision } of desired()) {
      expect(object.metadata.labels).toMatchObject({
        'multicluster.platform.io/engine': 'hub',
        'app.kubernetes.io/part-of': 'multicluster-engine',
        'app.kubernetes.io/managed-by': 'multicluster-engine',
        'app.kubernetes.io/version': '1.0.0',
      });
      expect(Object.keys(object.metadata.labels ?? {})).toEqual(
        expect.arrayContaining(['app.kubernetes.io/name', 'app.kubernetes.io/component']),
      );
      expect(object.metadata.annotations).toEqual({
        'multicluster.platform.io/version': '1.0.0',
        [REVISION_ANNOTATION]: revision,
      });
    }
  });

  it('every desired object except the namespace is owned by the engine, without blocking its deletion', () => {
    for (const { type, object } of desired()) {
      const owners = [
        {
          apiVersion: 'multicluster.platform.io/v1alpha1',
          kind: 'MultiClusterEngine',
          name: 'hub',
          uid: UID,
          controller: true,
        },
      ];
      expect(object.metadata.ownerReferences).toEqual(type.kind === 'Namespace' ? undefined : owners);
    }
  });

  it('the installer role is bound to the operator in the target namespace only', () => {
    expect(wanted('RoleBinding', { targetNamespace: 'infra' }).object).toMatchObject({
      metadata: { name: 'multicluster-engine-installer', namespace: 'infra' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'multicluster-engine-installer' },
      subjects: [
        { kind: 'ServiceAccount', name: 'multicluster-engine-operator', namespace: 'multicluster-engine-operator' },
      ],
    });
  });

  it("a component's role is bound to the component's account in the target namespace", () => {
    expect(wanted('ClusterRoleBinding', { targetNamespace: 'infra' }).object).toMatchObject({
      roleRef: { name: 'multicluster-engine-placement-controller' },
      subjects: [{ kind: 'ServiceAccount', name: 'placement-controller', namespace: 'infra' }],
    });
  });

  it('the desired namespace enforces restricted Pod Security', () => {
    expect(wanted('Namespace').object.metadata.labels).toMatchObject({
      'pod-security.kubernetes.io/enforce': 'restricted',
    });
  });

  it('the desired objects do not depend on the order of maps', () => {
    const one = desired({ nodeSelector: { a: '1', b: '2' } });
    const other = desired({ nodeSelector: { b: '2', a: '1' } });

    expect(other).toEqual(one);
  });

  it('the revision of an object changes with its content only', () => {
    const before = new Map(desired().map((one) => [desiredId(one), one.revision]));
    const after = desired({ nodeSelector: { a: '1' } });

    expect(after.filter((one) => before.get(desiredId(one)) !== one.revision).map((one) => one.type.kind)).toEqual([
      'Deployment',
      'Deployment',
    ]);
  });

  it.each([
    ['1.0.0', '1.0.0'],
    ['1.0.0-rc.1+build.7', '1.0.0-rc.1_build.7'],
    [`${'9'.repeat(70)}`, '9'.repeat(63)],
    ['+1+', '1'],
  ])('the label of version %s is %s', (version, label) => {
    for (const { object } of desired({}, { version }))
      expect(object.metadata.labels?.['app.kubernetes.io/version']).toBe(label);
  });

  it('rendering does not change the templates', () => {
    const before = JSON.stringify(templates);
    desired({ nodeSelector: { a: '1' }, imagePullSecret: 'pull', tolerations: [{ operator: 'Exists' }] });

    expect(JSON.stringify(templates)).toBe(before);
  });
});

describe('the pods of every component', () => {
  it('the pods of every component have node selector, tolerations and pull secret of the spec', () => {
    const tolerations = [
      { key: '1', operator: 'Equal' as const, value: '0755', effect: 'NoSchedule' as const, tolerationSeconds: 3 },
    ];
    for (const pod of podSpecs({ nodeSelector: { infra: '' }, tolerations, imagePullSecret: 'pull' })) {
      expect(pod).toMatchObject({
        nodeSelector: { infra: '' },
        tolerations: [{ key: '1', operator: 'Equal', value: '0755', effect: 'NoSchedule' }],
        imagePullSecrets: [{ name: 'pull' }],
      });
      expect(JSON.stringify(pod)).not.toContain('tolerationSeconds');
    }
  });

  it.each([
    ['localhost/multicluster-engine:1.2.3', 'mirror.example.com:5000/a/multicluster-engine:1.2.3'],
    [
      'quay.example.com/team/multicluster-engine@sha256:0123',
      'mirror.example.com:5000/a/team/multicluster-engine@sha256:0123',
    ],
    ['host:5000/multicluster-engine', 'mirror.example.com:5000/a/multicluster-engine'],
    ['team/multicluster-engine:1', 'mirror.example.com:5000/a/team/multicluster-engine:1'],
    ['multicluster-engine:1', 'mirror.example.com:5000/a/multicluster-engine:1'],
  ])('the image %s is pulled from the registry of the spec, and as its policy says', (image, wanted) => {
    const spec = { imageRegistry: 'mirror.example.com:5000/a', imagePullPolicy: 'Always' as const };
    for (const pod of podSpecs(spec, { image }))
      for (const container of at(pod, 'containers') as readonly unknown[])
        expect(container).toMatchObject({ image: wanted, imagePullPolicy: 'Always' });
  });

  it('no user and no group stay in the pods where the operator leaves them to the platform, and what else they demand of it', () => {
    const wanted = { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } };
    for (const pod of podSpecs({}, { omitUserIds: true })) {
      expect(at(pod, 'securityContext')).toEqual(wanted);
      expect(JSON.stringify(pod)).not.toMatch(/runAsUser|runAsGroup|fsGroup/);
    }
  });

  it('the pods of every component have none of these fields where the spec has none, not even empty ones', () => {
    for (const pod of podSpecs({})) {
      expect(Object.keys(treeAt(pod))).not.toEqual(expect.arrayContaining(['nodeSelector']));
      expect(at(pod, 'tolerations')).toBeUndefined();
      expect(at(pod, 'imagePullSecrets')).toBeUndefined();
    }
  });

  it.each<[string, MultiClusterEngineSpec, number, readonly number[]]>([
    ["the operator's flag where the spec says nothing", {}, 3, [3, 3]],
    ['one with Basic', { availability: 'Basic' }, 3, [1, 1]],
    ['two at least with High', { availability: 'High' }, 1, [2, 2]],
    ["the operator's flag with High where that is more", { availability: 'High' }, 3, [3, 3]],
    [
      "what a component's item says",
      { availability: 'Basic', components: [{ name: 'gateway', replicas: 4 }] },
      2,
      [1, 4],
    ],
  ])('the replicas of a Deployment are %s', (_what, spec, replicas, wanted) => {
    const deployments = desired(spec, { replicas }).filter((one) => one.type.kind === 'Deployment');

    expect(deployments.map((one) => at(one.object, 'spec', 'replicas'))).toEqual(wanted);
  });

  it('the PodDisruptionBudget of every component lets its only pod be evicted', () => {
    const budgets = desired({ components, availability: 'Basic' }).filter(
      (one) => one.type.kind === 'PodDisruptionBudget',
    );

    expect(
      budgets.map(({ object }) => [at(object, 'spec', 'maxUnavailable'), at(object, 'spec', 'minAvailable')]),
    ).toEqual(CATALOGUE.map(() => [1, undefined]));
  });

  const DEFAULTS = { requests: { cpu: '50m', memory: '128Mi' }, limits: { cpu: '1', memory: '512Mi' } };
  it.each<[string, NonNullable<ComponentSpec['resources']>, unknown]>([
    ['nothing', {}, DEFAULTS],
    ['limits', { limits: { cpu: 2, memory: '1Gi' } }, { ...DEFAULTS, limits: { cpu: '2', memory: '1Gi' } }],
    ['one limit, and no other', { limits: { memory: '1Gi' } }, { ...DEFAULTS, limits: { memory: '1Gi' } }],
    [
      'a limit below the request',
      { limits: { memory: '64Mi' } },
      { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '64Mi' } },
    ],
    [
      'a request above the limit',
      { requests: { memory: '1Gi' } },
      { requests: { memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } },
    ],
    ['neither', { requests: {}, limits: {} }, {}],
  ])('the resources of a component whose item says %s', (_what, resources, wanted) => {
    const made = desired({ components: [{ name: 'gateway', resources }] });
    const [pods, others] = ['gateway', 'placement-controller'].map((name) =>
      made.find((one) => one.type.kind === 'Deployment' && one.component === name),
    );
    const of = (one: DesiredObject | undefined): unknown =>
      itemsAt(one?.object, 'spec', 'template', 'spec', 'containers')[0]?.['resources'];

    expect([of(pods), of(others)]).toEqual([wanted, DEFAULTS]);
  });

  it("the pods of every component run the operator's image, as many as requested, with the Lease in the operator's namespace", () => {
    const over = { image: 'other:2', replicas: 5, operatorNamespace: 'ops' };
    for (const one of desired({ components }, over).filter((each) => each.type.kind === 'Deployment')) {
      expect(at(one.object, 'spec', 'replicas')).toBe(5);
      for (const container of itemsAt(one.object, 'spec', 'template', 'spec', 'containers')) {
        expect(container['image']).toBe('other:2');
        const leads = CATALOGUE.some((row) => row.name === one.component && row.leaderElection !== undefined);
        const values = itemsAt(container, 'env')
          .filter(({ name }) => name === 'MULTICLUSTER_ENGINE_LEADER_ELECTION_NAMESPACE')
          .map(({ value }) => value);
        expect(values).toEqual(leads ? ['ops'] : []);
      }
    }
  });

  it('the pods of every component have the labels of engine and component', () => {
    for (const one of desired({ components }).filter((each) => each.type.kind === 'Deployment')) {
      const selector = treeAt(one.object, 'spec', 'selector', 'matchLabels');
      expect(at(one.object, 'spec', 'template', 'metadata', 'labels')).toMatchObject({
        ...selector,
        'multicluster.platform.io/engine': 'hub',
      });
    }
  });

  it('the pods of every component fulfil restricted Pod Security, with a read-only root and an account of their own', () => {
    for (const one of desired({ components }).filter((each) => each.type.kind === 'Deployment')) {
      const pod = at(one.object, 'spec', 'template', 'spec');
      expect(pod).toMatchObject({
        serviceAccountName: one.component,
        securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(itemsAt(pod, 'topologySpreadConstraints').length).toBeGreaterThan(0);
      for (const container of itemsAt(pod, 'containers')) {
        expect(container).toMatchObject({
          readinessProbe: {},
          livenessProbe: {},
          resources: { requests: {}, limits: {} },
          securityContext: {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            runAsNonRoot: true,
            capabilities: { drop: ['ALL'] },
          },
        });
      }
    }
  });

  it('the pods of every component take paths and ports from the environment, not from arguments', () => {
    for (const pod of podSpecs({})) {
      for (const container of itemsAt(pod, 'containers')) {
        const args = Array.isArray(container['args']) ? container['args'].map(String) : [];
        expect(args.filter((arg) => /\/|:?\d{2,}/.test(arg))).toEqual([]);
      }
    }
  });

  it('the containers of every component have the settings that the operator shares, after their own', () => {
    const shared = { A: '1', B: 'two' };
    const plain = podSpecs({}).map((pod) => itemsAt(itemsAt(pod, 'containers')[0], 'env'));
    const rendered = podSpecs({}, { componentEnvironment: shared }).map((pod) =>
      itemsAt(itemsAt(pod, 'containers')[0], 'env'),
    );

    expect(plain.every((env) => env.length > 0)).toBe(true);
    expect(rendered).toEqual(plain.map((env) => [...env, { name: 'A', value: '1' }, { name: 'B', value: 'two' }]));
  });

  it('the pods of every component keep the other fields of their template, init containers included', () => {
    const template = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'x' },
      spec: {
        template: {
          spec: {
            nodeSelector: { a: '1' },
            tolerations: [{ key: 'own' }],
            initContainers: [{ name: 'i', image: 'old' }],
            containers: [{ name: 'c', image: 'old' }],
          },
        },
      },
    };
    const spec = effectiveSpec({ nodeSelector: { b: '2' }, tolerations: [{ operator: 'Exists' }] });
    const rendered = desiredObjects(identity, spec, { gateway: [template] }, { ...settings, image: 'new' });

    expect(rendered.at(-1)?.object).toMatchObject({
      spec: {
        template: {
          spec: {
            nodeSelector: { a: '1', b: '2' },
            tolerations: [{ key: 'own' }, { operator: 'Exists' }],
            initContainers: [{ name: 'i', image: 'new' }],
            containers: [{ name: 'c', image: 'new' }],
          },
        },
      },
    });
  });

  it('the pods of every component have every toleration of any spec, in order', () => {
    const text = fc.constantFrom('', 'a', '1e3', 'true', '0', '~');
    const toleration = fc.record({
      key: text,
      value: text,
      operator: fc.constantFrom('Exists' as const, 'Equal' as const),
      effect: fc.constantFrom('' as const, 'NoExecute' as const),
    });
    fc.assert(
      fc.property(fc.array(toleration, { minLength: 1, maxLength: 5 }), (tolerations) => {
        const [pod] = podSpecs({ tolerations });
        expect(itemsAt(pod, 'tolerations').map((one) => textAt(one, 'key'))).toEqual(tolerations.map((one) => one.key));
      }),
    );
  });
});

describe('the catalogue', () => {
  it('the catalogue fits the folders', () => {
    expect(templateErrors(templates)).toEqual([]);
  });

  it('the catalogue has each name, folder and order once', () => {
    for (const field of ['name', 'folder', 'order'] as const)
      expect(new Set(CATALOGUE.map((row) => row[field])).size).toBe(CATALOGUE.length);
  });

  it('the kinds of the target namespace are found in the templates', () => {
    expect(targetTypes(templates).map((type) => type.kind)).toEqual([
      'ServiceAccount',
      'Service',
      'PodDisruptionBudget',
      'NetworkPolicy',
      'Deployment',
    ]);
  });

  it('the table of bindings has a row for every binding of a component', () => {
    const bindings = desired({ localCluster: { enabled: true } })
      .filter((one) => one.type.kind.endsWith('Binding'))
      .map((one) => one.object.metadata.name);

    expect(
      BINDINGS.filter((row) => row.retired !== true)
        .map((row) => row.name)
        .sort(),
    ).toEqual(bindings.sort());
  });

  it.each([
    [
      'a missing folder',
      { 'placement-controller': [] },
      ['deploy/components/placement-controller: holds no object of component placement-controller'],
    ],
    [
      'a kind that no engine consists of',
      { 'placement-controller': [{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' } }] },
      [
        'deploy/components/placement-controller: Job j: kind must be one of Namespace, RoleBinding, ServiceAccount, ClusterRoleBinding, ConfigMap, Secret, Service, PodDisruptionBudget, NetworkPolicy, Deployment, and neither Namespace nor Secret',
      ],
    ],
    [
      'a Secret, whose content would lie in the open',
      { 'placement-controller': [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } }] },
      [expect.stringContaining('Secret s: kind must be')],
    ],
    [
      'a binding without a row',
      {
        'placement-controller': [
          { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', metadata: { name: 'b' } },
        ],
      },
      [
        'deploy/components/placement-controller: ClusterRoleBinding b: a binding must have a row in the table of bindings',
      ],
    ],
  ])('the templates are refused for %s', (_name, given, fieldErrors) => {
    expect(templateErrors({ ...templates, ...given })).toEqual(fieldErrors);
  });

  it('an object of another kind is left out', () => {
    const odd = { 'placement-controller': [{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' } }] };

    expect(desiredObjects(identity, effectiveSpec({}), odd, settings).map((one) => one.type.kind)).toEqual([
      'Namespace',
      'RoleBinding',
    ]);
  });
});
