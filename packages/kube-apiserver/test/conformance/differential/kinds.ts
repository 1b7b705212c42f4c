import type { Dice } from '../../../testing/random.js';
import { word, type Feature, type Fields } from './features.js';

/** A kind that sequences write. */
export interface Kind {
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Generates the required fields of a valid object. */
  readonly base: Feature;
  readonly features: readonly Feature[];
  readonly bad: readonly Feature[];
  readonly status?: readonly Feature[];
  /** Whether strategic merge patches are supported; otherwise they are answered with 415. */
  readonly strategic: boolean;
  /** Names of objects, where they are not the default ones. */
  readonly names?: readonly string[];
  readonly identity?: (name: string) => Fields;
  /** Whether watches are omitted, because the kind is not served all the time. */
  readonly unwatched?: true;
}

const spec = (fields: Fields): Fields => ({ spec: fields });
const builtin = { strategic: true } as const;

function container(dice: Dice, name = word(dice)): Fields {
  return { name, image: `image:${word(dice)}` };
}

function pods(containers: readonly Fields[], rest: Fields = {}): Fields {
  return spec({ template: { spec: { containers, ...rest } } });
}

export const KINDS: readonly Kind[] = [
  {
    ...builtin,
    name: 'ConfigMap',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    plural: 'configmaps',
    namespaced: true,
    base: () => ({}),
    features: [
      (dice) => ({ data: { [word(dice)]: word(dice) } }),
      (dice) => ({ data: { x: word(dice), y: word(dice) } }),
      () => ({ binaryData: { bin: 'AAEC' } }),
      () => ({ immutable: true }),
      () => ({ data: {} }),
    ],
    bad: [
      () => ({ data: { 'a b': 'c' } }),
      () => ({ data: { a: 5 } }),
      () => ({ data: null }),
      () => ({ binaryData: { a: '***' } }),
      () => ({ immutable: 'yes' }),
      () => ({ data: { bin: 'x' }, binaryData: { bin: 'AAEC' } }),
      () => ({ spec: {} }),
    ],
  },
  {
    ...builtin,
    name: 'Secret',
    apiVersion: 'v1',
    kind: 'Secret',
    plural: 'secrets',
    namespaced: true,
    base: () => ({}),
    features: [
      () => ({ data: { key: 'dmFsdWU=' } }),
      (dice) => ({ stringData: { [word(dice)]: word(dice) } }),
      () => ({ type: 'example.com/own' }),
      () => ({ immutable: true }),
    ],
    bad: [
      () => ({ type: 'kubernetes.io/tls' }),
      () => ({ type: 'kubernetes.io/dockerconfigjson' }),
      () => ({ type: 'kubernetes.io/basic-auth' }),
      () => ({ data: { key: 'not base64!' } }),
      () => ({ data: { 'a/b': 'AA==' } }),
      () => ({ stringData: { a: 1 } }),
    ],
  },
  {
    ...builtin,
    name: 'Service',
    apiVersion: 'v1',
    kind: 'Service',
    plural: 'services',
    namespaced: true,
    base: () => spec({ ports: [{ port: 80 }] }),
    features: [
      (dice) => spec({ selector: { app: word(dice) } }),
      (dice) =>
        spec({
          ports: [
            { name: 'http', port: 80, targetPort: word(dice) },
            { name: 'https', port: dice.between(443, 445), targetPort: 8443 },
          ],
        }),
      () => spec({ clusterIP: 'None' }),
      () => spec({ sessionAffinity: 'ClientIP' }),
      () => spec({ publishNotReadyAddresses: true }),
      () => spec({ type: 'ExternalName', externalName: 'example.com' }),
      () => spec({ internalTrafficPolicy: 'Local' }),
    ],
    bad: [
      () => spec({ ports: [{ port: 0 }] }),
      () => spec({ ports: [{ port: 80 }, { port: 81 }] }),
      () => spec({ ports: [{ port: 80, protocol: 'HTTP' }] }),
      () => spec({ ports: [] }),
      () => spec({ type: 'Odd' }),
      () => spec({ ports: [{ port: 'http' }] }),
      () => spec({ sessionAffinity: 'x' }),
      () => spec({ selector: { 'a b': 'c' } }),
    ],
    status: [
      () => ({
        status: {
          conditions: [
            { type: 'Ok', status: 'True', reason: 'Fine', message: '', lastTransitionTime: '2024-01-01T00:00:00Z' },
          ],
        },
      }),
    ],
  },
  {
    ...builtin,
    name: 'ServiceAccount',
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    plural: 'serviceaccounts',
    namespaced: true,
    base: () => ({}),
    features: [
      (dice) => ({ secrets: [{ name: word(dice) }] }),
      (dice) => ({ imagePullSecrets: [{ name: word(dice) }] }),
      () => ({ automountServiceAccountToken: false }),
    ],
    bad: [() => ({ secrets: 'x' }), () => ({ automountServiceAccountToken: 'no' })],
  },
  {
    ...builtin,
    name: 'Lease',
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    plural: 'leases',
    namespaced: true,
    base: () => ({}),
    features: [
      (dice) => spec({ holderIdentity: word(dice) }),
      (dice) => spec({ leaseDurationSeconds: dice.between(1, 30) }),
      () => spec({ renewTime: '2024-01-01T00:00:00.000000Z', leaseTransitions: 2 }),
      () => spec({ acquireTime: '2024-01-01T00:00:00Z' }),
    ],
    bad: [
      () => spec({ leaseDurationSeconds: 0 }),
      () => spec({ leaseTransitions: -1 }),
      () => spec({ renewTime: 'now' }),
      () => spec({ holderIdentity: 5 }),
    ],
  },
  {
    ...builtin,
    name: 'Deployment',
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    plural: 'deployments',
    namespaced: true,
    base: (dice) => ({
      ...spec({
        selector: { matchLabels: { app: 'x' } },
        template: { metadata: { labels: { app: 'x' } }, spec: { containers: [container(dice, 'main')] } },
      }),
    }),
    features: [
      (dice) => spec({ replicas: dice.between(0, 3) }),
      (dice) => pods([container(dice, 'main'), container(dice, 'side')]),
      (dice) =>
        pods([{ ...container(dice, 'main'), ports: [{ containerPort: 80 }, { containerPort: 81, name: 'extra' }] }]),
      (dice) =>
        pods([
          {
            ...container(dice, 'main'),
            env: [
              { name: 'A', value: word(dice) },
              { name: 'B', value: 'b' },
            ],
          },
        ]),
      () => spec({ strategy: { type: 'Recreate' } }),
      () => spec({ strategy: { rollingUpdate: { maxSurge: 1 } } }),
      (dice) =>
        pods([container(dice, 'main')], {
          nodeSelector: { zone: word(dice) },
          tolerations: [{ key: word(dice), operator: 'Exists' }],
        }),
      () => spec({ minReadySeconds: 3, paused: true }),
      (dice) => spec({ template: { metadata: { annotations: { at: word(dice) } } } }),
      (dice) =>
        pods(
          [
            {
              ...container(dice, 'main'),
              readinessProbe: { httpGet: { port: 80 } },
              resources: { requests: { cpu: '100m', memory: '64Mi' } },
            },
          ],
          { volumes: [{ name: 'v', emptyDir: {} }] },
        ),
    ],
    bad: [
      () => spec({ replicas: -1 }),
      () => spec({ replicas: 'two' }),
      () => pods([]),
      () => pods([{ name: 'main' }]),
      () => pods([{ name: 'Main_', image: 'x' }]),
      () =>
        pods([
          { name: 'main', image: 'x' },
          { name: 'main', image: 'y' },
        ]),
      () => spec({ selector: { matchLabels: { app: 'y' } } }),
      () => spec({ strategy: { type: 'Odd' } }),
      () => spec({ template: { spec: { restartPolicy: 'Never' } } }),
      () => pods([{ name: 'main', image: 'x', ports: [{ containerPort: 99_999 }] }]),
      () => pods([{ name: 'main', image: 'x', imagePullPolicy: 'Often' }]),
      () => pods([{ name: 'main', image: 'x', volumeMounts: [{ name: 'none', mountPath: '/x' }] }]),
    ],
    status: [
      () => ({ status: { replicas: 1, observedGeneration: 1 } }),
      () => ({ status: { readyReplicas: 5 } }),
      () => ({
        status: {
          conditions: [
            {
              type: 'Available',
              status: 'True',
              reason: 'x',
              message: 'y',
              lastUpdateTime: '2024-01-01T00:00:00Z',
              lastTransitionTime: '2024-01-01T00:00:00Z',
            },
          ],
        },
      }),
    ],
  },
  {
    ...builtin,
    name: 'PodDisruptionBudget',
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    plural: 'poddisruptionbudgets',
    namespaced: true,
    base: () => spec({ selector: { matchLabels: { app: 'x' } } }),
    features: [
      () => spec({ minAvailable: 1 }),
      () => spec({ maxUnavailable: '50%' }),
      () => spec({ unhealthyPodEvictionPolicy: 'AlwaysAllow' }),
    ],
    bad: [
      () => spec({ minAvailable: 1, maxUnavailable: 1 }),
      () => spec({ minAvailable: -1 }),
      () => spec({ maxUnavailable: '500' }),
      () => spec({ selector: { matchLabels: { 'a b': 'c' } } }),
      () => spec({ unhealthyPodEvictionPolicy: 'x' }),
    ],
    status: [
      () => ({
        status: { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
      }),
    ],
  },
  {
    ...builtin,
    name: 'NetworkPolicy',
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    plural: 'networkpolicies',
    namespaced: true,
    base: () => spec({ podSelector: {} }),
    features: [
      () => spec({ policyTypes: ['Ingress', 'Egress'] }),
      (dice) =>
        spec({
          ingress: [
            { ports: [{ port: dice.between(80, 90) }], from: [{ podSelector: { matchLabels: { app: word(dice) } } }] },
          ],
        }),
      () => spec({ egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }] }] }),
    ],
    bad: [
      () => spec({ policyTypes: ['Odd'] }),
      () => spec({ ingress: [{ ports: [{ port: 0 }] }] }),
      () => spec({ egress: [{ to: [{ ipBlock: { cidr: 'ten' } }] }] }),
      () => spec({ ingress: [{ from: [{}] }] }),
    ],
  },
  {
    ...builtin,
    name: 'Role',
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    plural: 'roles',
    namespaced: true,
    base: () => ({}),
    features: [
      (dice) => ({ rules: [{ apiGroups: [''], resources: [word(dice)], verbs: ['get'] }] }),
      () => ({ rules: [] }),
      () => ({
        rules: [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list'], resourceNames: ['x'] }],
      }),
    ],
    bad: [
      () => ({ rules: [{ apiGroups: [''], resources: ['pods'], verbs: [] }] }),
      () => ({ rules: [{ verbs: ['get'] }] }),
      () => ({ rules: [{ nonResourceURLs: ['/x'], verbs: ['get'] }] }),
      () => ({ rules: 'all' }),
    ],
  },
  {
    ...builtin,
    name: 'RoleBinding',
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    plural: 'rolebindings',
    namespaced: true,
    base: () => ({ roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'x' } }),
    features: [
      (dice) => ({ subjects: [{ kind: 'User', name: word(dice) }] }),
      (dice) => ({
        subjects: [
          { kind: 'ServiceAccount', name: word(dice), namespace: 'x' },
          { kind: 'Group', name: 'g' },
        ],
      }),
    ],
    bad: [
      () => ({ roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'other' } }),
      () => ({ subjects: [{ kind: 'Robot', name: 'x' }] }),
      () => ({ subjects: [{ kind: 'ServiceAccount', name: 'x' }] }),
      () => ({ roleRef: { kind: 'Odd', name: '' } }),
    ],
  },
  {
    ...builtin,
    name: 'ClusterRole',
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    plural: 'clusterroles',
    namespaced: false,
    base: () => ({}),
    features: [
      (dice) => ({ rules: [{ apiGroups: [''], resources: [word(dice)], verbs: ['get'] }] }),
      () => ({ rules: [{ nonResourceURLs: ['/x/*'], verbs: ['get'] }] }),
    ],
    bad: [
      () => ({ rules: [{ apiGroups: [''], resources: ['pods'], verbs: [] }] }),
      () => ({ aggregationRule: { clusterRoleSelectors: [] } }),
      () => ({ rules: [{ nonResourceURLs: ['/x'], resources: ['pods'], apiGroups: [''], verbs: ['get'] }] }),
    ],
  },
  {
    ...builtin,
    name: 'ClusterRoleBinding',
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    plural: 'clusterrolebindings',
    namespaced: false,
    base: () => ({ roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'x' } }),
    features: [(dice) => ({ subjects: [{ kind: 'User', name: word(dice) }] })],
    bad: [
      () => ({ roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'x' } }),
      () => ({ subjects: [{ kind: 'User' }] }),
    ],
  },
  {
    ...builtin,
    name: 'Event',
    apiVersion: 'v1',
    kind: 'Event',
    plural: 'events',
    namespaced: true,
    base: () => ({
      involvedObject: { kind: 'ConfigMap', name: 'x', namespace: '{{namespace}}' },
      reason: 'Tested',
      message: 'm',
      type: 'Normal',
    }),
    features: [
      (dice) => ({ reason: word(dice) }),
      (dice) => ({
        count: dice.between(1, 9),
        firstTimestamp: '2024-01-01T00:00:00Z',
        lastTimestamp: '2024-01-01T00:00:00Z',
      }),
      () => ({ source: { component: 'test' } }),
    ],
    bad: [
      () => ({ involvedObject: { kind: 'ConfigMap', name: 'x', namespace: 'elsewhere' } }),
      () => ({ count: 'many' }),
    ],
  },
  {
    name: 'Thing',
    apiVersion: 'differential.example.com/v1',
    kind: 'Thing',
    plural: 'things',
    namespaced: true,
    strategic: false,
    base: () => spec({ size: 1 }),
    features: [
      (dice) => spec({ size: dice.between(0, 9) }),
      (dice) => spec({ color: dice.pick(['red', 'blue']) }),
      (dice) => spec({ set: dice.some(['a', 'b', 'c'], 2) }),
      (dice) => spec({ list: [word(dice), word(dice)] }),
      (dice) => spec({ items: [{ name: 'a', port: dice.between(1, 5) }, { name: 'b' }] }),
      (dice) => spec({ items: [{ name: word(dice), note: word(dice) }] }),
      (dice) => spec({ map: { [word(dice)]: word(dice) } }),
      (dice) => spec({ nested: { a: word(dice), deep: { b: dice.between(1, 3) } } }),
      (dice) => spec({ any: { free: word(dice), list: [1, { x: null }] } }),
      (dice) => spec({ atomic: { a: word(dice), b: 'x' } }),
      () => spec({ nullable: null }),
      () => spec({ when: '2024-01-01T00:00:00Z', either: '50%' }),
      () => spec({ either: 3 }),
      () => spec({ once: 'x' }),
    ],
    bad: [
      () => spec({ size: 11 }),
      () => spec({ size: 'big' }),
      () => spec({ size: 1.5 }),
      () => spec({ color: 'green' }),
      () => spec({ set: ['a', 'a'] }),
      () => spec({ items: [{ name: 'a' }, { name: 'a' }] }),
      () => spec({ items: [{ port: 1 }] }),
      () => spec({ map: { a: 1 } }),
      () => spec({ unknown: 1, nested: { odd: 1 } }),
      () => spec({ size: null, nested: null }),
      () => spec({ long: 'too long a text' }),
      () => spec({ when: 'yesterday' }),
      () => spec({ either: true }),
      () => spec({ size: 7, color: 'red' }),
      () => ({ spec: null }),
      () => ({ spec: 5 }),
      () => spec({ once: 'y' }),
      () => spec({ list: [null] }),
    ],
    status: [
      (dice) => ({ status: { phase: word(dice), conditions: [{ type: 'Ready', status: 'True' }] } }),
      () => ({ status: { phase: 7 } }),
      () => ({ status: { odd: 1 } }),
    ],
  },
  {
    ...builtin,
    name: 'Namespace',
    apiVersion: 'v1',
    kind: 'Namespace',
    plural: 'namespaces',
    namespaced: false,
    base: () => ({}),
    features: [],
    bad: [() => spec({ finalizers: ['odd'] }), () => ({ spec: 'x' })],
  },
];

/** The CustomResourceDefinition of kind Thing, with every kind of list, map and rule. */
export const THING_CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.differential.example.com' },
  spec: {
    group: 'differential.example.com',
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList', shortNames: ['th'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          { name: 'Color', type: 'string', jsonPath: '.spec.color', priority: 1 },
        ],
        selectableFields: [{ jsonPath: '.spec.color' }],
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: thingSpec(), status: thingStatus() } } },
      },
    ],
  },
};

function thingSpec(): Fields {
  const text = { type: 'string' };
  return {
    type: 'object',
    required: ['size'],
    properties: {
      size: { type: 'integer', minimum: 0, maximum: 10 },
      color: { type: 'string', enum: ['red', 'blue'] },
      set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
      list: { type: 'array', items: text },
      items: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: {
          type: 'object',
          required: ['name'],
          properties: { name: text, port: { type: 'integer', default: 80 }, note: text },
        },
      },
      map: { type: 'object', additionalProperties: text },
      nested: {
        type: 'object',
        properties: {
          a: { type: 'string', default: 'filled' },
          deep: { type: 'object', properties: { b: { type: 'integer' } } },
        },
      },
      atomic: { type: 'object', 'x-kubernetes-map-type': 'atomic', properties: { a: text, b: text } },
      any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      nullable: { type: 'string', nullable: true },
      long: { type: 'string', maxLength: 5 },
      when: { type: 'string', format: 'date-time' },
      either: { 'x-kubernetes-int-or-string': true },
      once: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'once is immutable' }] },
      filled: { type: 'string', default: 'here' },
    },
    'x-kubernetes-validations': [
      {
        rule: '!(has(self.color) && self.color == "red" && self.size == 7)',
        message: 'no red seven',
        fieldPath: '.size',
      },
    ],
  };
}

function thingStatus(): Fields {
  return {
    type: 'object',
    properties: {
      phase: { type: 'string' },
      conditions: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['type'],
        items: {
          type: 'object',
          required: ['type'],
          properties: { type: { type: 'string' }, status: { type: 'string' } },
        },
      },
    },
  };
}
