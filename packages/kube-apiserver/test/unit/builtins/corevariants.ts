import { NULL, type KindVariants } from './variants.js';

const LONG = 'x'.repeat(300);
const ns = '/api/v1/namespaces/default';

/** Kinds of the core group but Service. */
export const CORE_VARIANTS: Readonly<Record<string, KindVariants>> = {
  ConfigMap: {
    path: `${ns}/configmaps`,
    base: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } },
    create: {
      plain: {},
      'no data': { data: null },
      'null data': { data: NULL },
      'empty maps': { data: { k: null }, binaryData: {} },
      'null value': { data: { k: NULL } },
      'binary data': { binaryData: { b: 'AAEC' } },
      'immutable false': { immutable: false },
      immutable: { immutable: true },
      'bad keys': { data: { 'a b': 'x', '..': 'y', '.': 'z', '..c': 'w' } },
      'a long key': { data: { [LONG]: 'x' } },
      'a key in both': { binaryData: { k: 'AAEC' } },
      'a bad binary key': { binaryData: { 'x/y': 'AAEC' } },
      'a given generation': { metadata: { generation: 5 } },
      'labels and annotations': { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } } },
      'empty metadata': { metadata: { labels: {}, annotations: {}, finalizers: [], ownerReferences: [] } },
      'generation and deletion': {
        metadata: { deletionTimestamp: '2020-01-01T00:00:00Z', deletionGracePeriodSeconds: 3 },
      },
      'too much data': { data: { k: 'x'.repeat(1024 * 1024 + 1) } },
    },
    update: {
      'data changes': { next: { data: { k: 'w' } } },
      'data goes': { next: { data: null } },
      'immutable set': { next: { immutable: true } },
      'immutable taken back': { old: { immutable: true }, next: { immutable: null } },
      'immutable data changes': { old: { immutable: true }, next: { data: { k: 'w' } } },
      'immutable binary data comes': { old: { immutable: true }, next: { binaryData: { b: 'AAEC' } } },
      'immutable labels change': { old: { immutable: true }, next: { metadata: { labels: { a: 'b' } } } },
      'bad keys': { next: { data: { 'a b': 'x' } } },
    },
  },
  Secret: {
    path: `${ns}/secrets`,
    base: { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data: { k: 'dg==' } },
    create: {
      plain: {},
      'no data': { data: null },
      'texts folded in': { stringData: { k: 'new', other: 'ä' } },
      'texts alone': { data: null, stringData: { a: 'b' } },
      'null texts': { stringData: NULL },
      'null value': { data: { n: NULL } },
      'bad keys': { data: { 'a b': 'dg==' } },
      'own type': { type: 'example.com/own' },
      'a type that objects have': { type: 'toString' },
      'keys that objects have': {
        data: Object.fromEntries([
          ['__proto__', 'dg=='],
          ['constructor', 'dg=='],
        ]),
      },
      'account token without annotation': { type: 'kubernetes.io/service-account-token' },
      dockercfg: { type: 'kubernetes.io/dockercfg' },
      'dockercfg no json': { type: 'kubernetes.io/dockercfg', stringData: { '.dockercfg': 'x' } },
      'dockercfg cut json': { type: 'kubernetes.io/dockercfg', stringData: { '.dockercfg': '{' } },
      'dockercfg json list': { type: 'kubernetes.io/dockercfg', stringData: { '.dockercfg': '[]' } },
      'dockercfg empty': { type: 'kubernetes.io/dockercfg', stringData: { '.dockercfg': '' } },
      'dockerconfigjson missing': { type: 'kubernetes.io/dockerconfigjson' },
      'dockerconfigjson good': { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': '{}' } },
      'basic-auth empty': { type: 'kubernetes.io/basic-auth' },
      'basic-auth user': { type: 'kubernetes.io/basic-auth', stringData: { username: '' } },
      'ssh-auth': { type: 'kubernetes.io/ssh-auth' },
      'ssh-auth empty': { type: 'kubernetes.io/ssh-auth', stringData: { 'ssh-privatekey': '' } },
      'tls missing': { type: 'kubernetes.io/tls' },
      'tls without key': { type: 'kubernetes.io/tls', stringData: { 'tls.crt': 'x' } },
    },
    update: {
      'type changes': { next: { type: 'example.com/own' } },
      'type left out': { old: { type: 'example.com/own' }, next: { type: null } },
      'immutable data changes': { old: { immutable: true }, next: { data: { k: 'dw==' } } },
      'immutable taken back': { old: { immutable: true }, next: { immutable: null } },
      'data changes': { next: { stringData: { k: 'x' } } },
    },
  },
  Namespace: {
    path: '/api/v1/namespaces',
    base: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'o6-a' } },
    create: {
      plain: {},
      'status given': { status: { phase: 'Terminating' } },
      finalizers: { spec: { finalizers: ['example.com/x'] } },
      'bad finalizers': { spec: { finalizers: ['x', 'a b/c'] } },
      'a name with dots': { metadata: { name: 'a.b' } },
      'its label given': { metadata: { labels: { 'kubernetes.io/metadata.name': 'other' } } },
    },
    update: {
      'label changes': { next: { metadata: { labels: { a: 'b' } } } },
      'its label changes': { next: { metadata: { labels: { 'kubernetes.io/metadata.name': 'other' } } } },
      'finalizers change': { next: { spec: { finalizers: ['example.com/x'] } } },
      'status by the way': { next: { status: { phase: 'Terminating' } } },
      'phase by status': {
        next: { status: { phase: 'Terminating' }, spec: { finalizers: [] }, metadata: { labels: { b: 'c' } } },
        subresource: 'status',
      },
      'conditions by status': {
        next: { status: { conditions: [{ type: 'X', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z' }] } },
        subresource: 'status',
      },
      'finalizers by finalize': { next: { spec: { finalizers: ['kubernetes', 'x'] } }, subresource: 'finalize' },
    },
  },
  Node: {
    path: '/api/v1/nodes',
    base: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'o6-node' } },
    create: {
      plain: {},
      'status kept': {
        status: {
          capacity: { cpu: '2', memory: '1024Ki', 'example.com/gpu': '1500m' },
          nodeInfo: { kubeletVersion: 'v1' },
        },
      },
      'fractions of whole things': { status: { capacity: { pods: '1.5' } } },
      'negative capacity': { status: { capacity: { cpu: '-1' } } },
      taints: {
        spec: {
          taints: [
            { key: 'a', effect: 'NoSchedule' },
            { key: 'a', value: 'x', effect: 'NoExecute', timeAdded: '2020-01-01T00:00:00.5+01:00' },
          ],
        },
      },
      'bad taints': {
        spec: {
          taints: [
            { key: 'a b', value: 'x y', effect: 'Never' },
            { key: 'a', effect: '' },
            { key: 'a', effect: 'NoSchedule' },
            { key: 'a', effect: 'NoSchedule' },
          ],
        },
      },
      'bad ranges': { spec: { podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24', 'x'] } },
      'three ranges': { spec: { podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24', '10.0.1.0/24', 'fd00::/64'] } },
      unschedulable: { spec: { unschedulable: true } },
      'swap of capacity zero': { status: { nodeInfo: { swap: { capacity: 0 } } } },
      'config source': { spec: { configSource: { configMap: { name: 'x', namespace: 'y', kubeletConfigKey: 'z' } } } },
    },
    update: {
      'provider changes': { old: { spec: { providerID: 'a' } }, next: { spec: { providerID: 'b' } } },
      'ranges change': {
        old: { spec: { podCIDR: '10.0.0.0/24', podCIDRs: ['10.0.0.0/24'] } },
        next: { spec: { podCIDR: '10.0.1.0/24', podCIDRs: ['10.0.1.0/24'] } },
      },
      'status by the way': { next: { status: { capacity: { cpu: '1' } }, spec: { unschedulable: true } } },
      status: {
        next: {
          status: {
            capacity: { cpu: '1000m' },
            addresses: [
              { type: 'InternalIP', address: '1.2.3.4' },
              { type: 'InternalIP', address: '1.2.3.4' },
            ],
          },
          spec: { unschedulable: true },
        },
        subresource: 'status',
      },
      'good status': {
        next: {
          metadata: { labels: { a: 'b' } },
          status: { capacity: { cpu: '1000m' } },
          spec: { unschedulable: true },
        },
        subresource: 'status',
      },
      'bad taint': { next: { spec: { taints: [{ key: 'a', effect: 'x' }] } } },
    },
  },
  ServiceAccount: {
    path: `${ns}/serviceaccounts`,
    base: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' } },
    create: {
      plain: {},
      secrets: {
        secrets: [{ name: 'x', namespace: 'y', kind: 'Secret' }],
        imagePullSecrets: [{ name: 'p' }],
        automountServiceAccountToken: false,
      },
      'mountable secrets': { metadata: { annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } } },
    },
    update: { secrets: { next: { secrets: [{ name: 'x', uid: 'u' }] } } },
  },
  Event: {
    path: `${ns}/events`,
    base: {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'a' },
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'default' },
      type: 'Normal',
      reason: 'R',
      message: 'm',
    },
    create: {
      plain: {},
      'another namespace': { involvedObject: { namespace: 'other' } },
      'no namespace': { involvedObject: { namespace: null } },
      'times and source': {
        firstTimestamp: '2020-01-01T00:00:00.7Z',
        lastTimestamp: '2020-01-01T01:00:00+01:00',
        count: 3,
        source: { component: 'c', host: 'h' },
      },
      'new without reporter': { eventTime: '2020-01-01T00:00:00.000000Z' },
      new: {
        eventTime: '2020-01-01T00:00:00.123456+01:00',
        reportingComponent: 'example.com/c',
        reportingInstance: 'i',
        action: 'A',
      },
      'new with long texts': {
        eventTime: '2020-01-01T00:00:00.000000Z',
        reportingComponent: 'a b',
        reportingInstance: LONG,
        action: LONG,
        reason: LONG,
        message: 'x'.repeat(2000),
      },
      'null times': { firstTimestamp: NULL, lastTimestamp: NULL, eventTime: NULL },
    },
    update: { 'message changes': { next: { message: 'n', count: 2 } } },
  },
};
