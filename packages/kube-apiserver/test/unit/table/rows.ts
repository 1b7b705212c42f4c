/** Objects whose Table rows were recorded from kube-apiserver. */
export interface Row {
  readonly name: string;
  readonly collection: string;
  readonly object: object;
  /** Written to the status subresource after the object was created. */
  readonly status?: object;
}

const core = '/api/v1/namespaces/default';
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const service = (name: string, spec: object, status?: object): Row => ({
  name: `Service ${name}`,
  collection: `${core}/services`,
  object: { metadata: { name }, spec },
  ...(status === undefined ? {} : { status }),
});
const event = (name: string, fields: object): Row => ({
  name: `Event ${name}`,
  collection: `${core}/events`,
  object: {
    metadata: { name },
    involvedObject: { kind: 'Pod', name: 'p', namespace: 'default', fieldPath: 'spec.containers{c}' },
    type: 'Normal',
    reason: 'R',
    message: ' m\n',
    ...fields,
  },
});

const template = {
  metadata: { labels: { a: 'b' } },
  spec: {
    containers: [
      { name: 'c', image: 'x' },
      { name: 'd', image: 'y' },
    ],
  },
};
const subjects = [
  { kind: 'User', name: 'u' },
  { kind: 'User', name: 'v' },
  { kind: 'Group', name: 'g' },
  { kind: 'ServiceAccount', name: 's', namespace: 'n' },
];

const POD_SPEC = {
  priority: 0,
  preemptionPolicy: 'PreemptLowerPriority',
  containers: [
    { name: 'c', image: 'x' },
    { name: 'd', image: 'y' },
  ],
  initContainers: [
    { name: 'i', image: 'x' },
    { name: 's', image: 'x', restartPolicy: 'Always' },
  ],
  readinessGates: [{ conditionType: 'a/one' }, { conditionType: 'a/two' }],
};
const container = (name: string, state: object, more: object = {}): object => ({
  name,
  state,
  restartCount: 0,
  ready: false,
  image: 'x',
  imageID: '',
  ...more,
});
const up = { running: { startedAt: '2020-01-01T00:00:00Z' } };
const down = (exitCode: number, more: object = {}): object => ({ terminated: { exitCode, ...more } });
const initialized = [container('i', down(0)), container('s', up, { ready: true, started: true, restartCount: 1 })];
const pod = (name: string, status: object, spec: object = {}): Row => ({
  name: `Pod ${name}`,
  collection: `${core}/pods`,
  object: { metadata: { name }, spec: { ...POD_SPEC, ...spec } },
  status,
});
const failing = [
  container('c', { waiting: { reason: 'CrashLoopBackOff' } }, { restartCount: 3 }),
  container('d', down(1), { restartCount: 1 }),
];
const PODS: readonly Row[] = [
  pod('new', {}),
  pod('gated', {
    nominatedNodeName: 'm',
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
  }),
  pod('gone', { phase: 'Failed', reason: 'Evicted' }),
  pod(
    'running',
    {
      phase: 'Running',
      podIPs: [{ ip: '10.1.2.3' }],
      podIP: '10.1.2.3',
      conditions: [
        { type: 'a/one', status: 'True' },
        { type: 'a/two', status: 'False' },
      ],
      initContainerStatuses: initialized,
      containerStatuses: [container('c', up, { ready: true }), container('d', up, { restartCount: 2 })],
    },
    { nodeName: 'n' },
  ),
  pod('failing', { phase: 'Running', initContainerStatuses: initialized, containerStatuses: failing }),
  pod('signalled', { phase: 'Running', containerStatuses: [container('c', down(137, { signal: 9 }))] }),
  pod('named', { phase: 'Failed', containerStatuses: [container('c', down(1, { reason: 'OOMKilled' }))] }),
  ...[
    { type: 'Ready', status: 'True' },
    { type: 'Ready', status: 'False' },
  ].map((condition, at) =>
    pod(`half-${at}`, {
      phase: 'Running',
      conditions: [condition],
      containerStatuses: [container('c', down(0, { reason: 'Completed' })), container('d', up, { ready: true })],
    }),
  ),
  pod('init-waiting', {
    phase: 'Pending',
    initContainerStatuses: [container('i', { waiting: { reason: 'ErrImagePull' } }, { restartCount: 2 })],
    containerStatuses: failing,
  }),
  pod('init-failed', { phase: 'Pending', initContainerStatuses: [container('i', down(2), { restartCount: 4 })] }),
  pod('init-killed', { phase: 'Pending', initContainerStatuses: [container('i', down(137, { signal: 9 }))] }),
  pod('init-second', { phase: 'Pending', initContainerStatuses: [container('i', down(0)), container('s', up)] }),
  pod('init-again', {
    phase: 'Running',
    conditions: [{ type: 'Initialized', status: 'True' }],
    initContainerStatuses: [container('i', { waiting: { reason: 'PodInitializing' } })],
    containerStatuses: [container('c', up, { ready: true })],
  }),
];

export const ROWS: readonly Row[] = [
  {
    name: 'ConfigMap',
    collection: `${core}/configmaps`,
    object: { metadata: { name: 'a' }, data: { a: 'b' }, binaryData: { c: 'AAEC' } },
  },
  { name: 'Secret', collection: `${core}/secrets`, object: { metadata: { name: 'a' }, data: { a: 'Yg==' } } },
  { name: 'ServiceAccount', collection: `${core}/serviceaccounts`, object: { metadata: { name: 'a' } } },
  { name: 'Namespace', collection: '/api/v1/namespaces', object: { metadata: { name: 'o6' } } },
  { name: 'Node', collection: '/api/v1/nodes', object: { metadata: { name: 'a' } } },
  {
    name: 'Node with all',
    collection: '/api/v1/nodes',
    object: {
      metadata: {
        name: 'b',
        labels: { 'node-role.kubernetes.io/z': '', 'node-role.kubernetes.io/a': '', 'kubernetes.io/role': 'm' },
      },
      spec: { unschedulable: true },
    },
    status: {
      conditions: [{ type: 'Ready', status: 'True' }],
      addresses: [
        { type: 'InternalIP', address: '1.2.3.4' },
        { type: 'ExternalIP', address: '2.2.2.2' },
      ],
      nodeInfo: {
        kubeletVersion: 'v1',
        osImage: 'o',
        kernelVersion: 'k',
        containerRuntimeVersion: 'c://1',
        architecture: 'amd64',
        machineID: '',
        systemUUID: '',
        bootID: '',
        kubeProxyVersion: '',
        operatingSystem: '',
      },
    },
  },
  ...PODS,
  service('plain', {
    ports: [{ port: 80 }, { port: 81, name: 'b', protocol: 'UDP' }].map((port) => ({ name: 'a', ...port })),
    selector: { b: 'c', a: 'b' },
    externalIPs: ['1.2.3.4'],
  }),
  service('headless', { clusterIP: 'None' }),
  service('name', { type: 'ExternalName', externalName: 'x.y' }),
  service('nodes', { type: 'NodePort', ports: [{ port: 80, nodePort: 30080 }] }),
  service('balancer', { type: 'LoadBalancer', ports: [{ port: 80, nodePort: 30081 }] }),
  service(
    'balanced',
    { type: 'LoadBalancer', externalIPs: ['9.9.9.9'], ports: [{ port: 80, nodePort: 30082 }] },
    { loadBalancer: { ingress: [{ ip: '2.2.2.2' }, { hostname: 'a.b' }, { ip: '1.1.1.1' }] } },
  ),
  event('bare', {}),
  event('counted', {
    firstTimestamp: '2020-01-01T00:00:00Z',
    lastTimestamp: '2021-01-01T00:00:00Z',
    count: 3,
    source: { component: 'c', host: 'h' },
  }),
  event('new', {
    eventTime: '2020-01-01T00:00:00.000000Z',
    reportingComponent: 'example.com/c',
    reportingInstance: 'i',
    action: 'A',
    series: { count: 5, lastObservedTime: '2022-01-01T00:00:00.000000Z' },
  }),
  {
    name: 'Lease',
    collection: '/apis/coordination.k8s.io/v1/namespaces/default/leases',
    object: { metadata: { name: 'a' }, spec: { holderIdentity: 'h' } },
  },
  {
    name: 'Deployment',
    collection: '/apis/apps/v1/namespaces/default/deployments',
    object: {
      metadata: { name: 'a' },
      spec: {
        replicas: 3,
        selector: {
          matchLabels: { a: 'b' },
          matchExpressions: [
            { key: 'c', operator: 'NotIn', values: ['y', 'x'] },
            { key: 'a', operator: 'Exists' },
          ],
        },
        template,
      },
    },
    status: { replicas: 3, readyReplicas: 2, updatedReplicas: 3, availableReplicas: 1 },
  },
  {
    name: 'ReplicaSet',
    collection: '/apis/apps/v1/namespaces/default/replicasets',
    object: { metadata: { name: 'a' }, spec: { replicas: 3, selector: { matchLabels: { a: 'b' } }, template } },
    status: { replicas: 3, readyReplicas: 2 },
  },
  { name: 'PodTemplate', collection: `${core}/podtemplates`, object: { metadata: { name: 'a' }, template } },
  {
    name: 'PodTemplate without labels',
    collection: `${core}/podtemplates`,
    object: { metadata: { name: 'a' }, template: { spec: template.spec } },
  },
  {
    name: 'PodDisruptionBudget',
    collection: '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
    object: { metadata: { name: 'a' }, spec: { maxUnavailable: '10%', selector: {} } },
    status: { disruptionsAllowed: 2, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  },
  {
    name: 'NetworkPolicy',
    collection: '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
    object: { metadata: { name: 'a' }, spec: { podSelector: { matchLabels: { c: 'd', a: 'b' } } } },
  },
  {
    name: 'NetworkPolicy of all',
    collection: '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
    object: { metadata: { name: 'a' }, spec: { podSelector: {} } },
  },
  { name: 'Role', collection: `${rbac}/namespaces/default/roles`, object: { metadata: { name: 'a' } } },
  { name: 'ClusterRole', collection: `${rbac}/clusterroles`, object: { metadata: { name: 'o6' } } },
  {
    name: 'RoleBinding',
    collection: `${rbac}/namespaces/default/rolebindings`,
    object: { metadata: { name: 'a' }, roleRef: { kind: 'Role', name: 'r' }, subjects },
  },
  {
    name: 'ClusterRoleBinding',
    collection: `${rbac}/clusterrolebindings`,
    object: { metadata: { name: 'o6' }, roleRef: { kind: 'ClusterRole', name: 'r' }, subjects },
  },
  {
    name: 'ValidatingAdmissionPolicy',
    collection: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    object: {
      metadata: { name: 'o6' },
      spec: {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        validations: [{ expression: 'true' }, { expression: 'true' }],
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['events'] }],
        },
      },
    },
  },
  ...[{ name: 'x' }, { name: 'x', namespace: 'n' }, { selector: { matchLabels: { a: 'b' } } }].map((paramRef, at) => ({
    name: `ValidatingAdmissionPolicyBinding ${at}`,
    collection: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
    object: {
      metadata: { name: 'o6' },
      spec: {
        policyName: 'none',
        validationActions: ['Deny'],
        paramRef: { parameterNotFoundAction: 'Allow', ...paramRef },
      },
    },
  })),
  {
    name: 'Thing',
    collection: '/apis/o6.example.com/v1/namespaces/default/things',
    object: { apiVersion: 'o6.example.com/v1', kind: 'Thing', metadata: { name: 'a' }, spec: { num: 3 } },
    status: {
      conditions: [
        { type: 'Other', status: 'x' },
        { type: 'Ready', status: 'True' },
      ],
    },
  },
  {
    name: 'Thing of little',
    collection: '/apis/o6.example.com/v1/namespaces/default/things',
    object: { apiVersion: 'o6.example.com/v1', kind: 'Thing', metadata: { name: 'b' }, spec: { num: 1 } },
  },
];
