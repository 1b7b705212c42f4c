import { fieldErrorText, validateTargetNamespace, validateSpec } from '../../src/domain/engine/validation.js';
import { describeRecorded, type Case } from './recorded.js';

/** Specs that break one rule of admission each, by title. */
const SPECS: Readonly<Record<string, unknown>> = {
  'that is no object': 5,
  'with components that are a map': { components: { gateway: {} } },
  'with an unknown component': { components: [{ name: 'gatway', enabled: false }] },
  'with a component twice': { components: [{ name: 'gateway' }, { name: 'gateway', enabled: false }] },
  'with a component that is neither on nor off': { components: [{ name: 'gateway', enabled: 'no' }] },
  'with an unknown adoption': { adoption: 'Always' },
  'with a local cluster that is neither on nor off': { localCluster: { enabled: 'no' } },
  'with a local cluster whose name is none': { localCluster: { enabled: true, name: 'a.b' } },
  'with an unknown availability': { availability: 'Low' },
  'with a component without replicas': { components: [{ name: 'gateway', replicas: 0 }] },
  'with resources that are no quantities': {
    components: [{ name: 'gateway', resources: { limits: { cpu: '1e99', memory: '1GB' }, requests: 5 } }],
  },
  'with limits with which no component starts': {
    components: [{ name: 'gateway', resources: { limits: { cpu: '1m', memory: 512 } } }],
  },
  'with a request above its limit': {
    components: [{ name: 'gateway', resources: { limits: { memory: '512Mi' }, requests: { memory: '1Gi' } } }],
  },
  'with a target namespace that is no DNS label': { targetNamespace: 'Team A' },
  'with a target namespace that is a number': { targetNamespace: 7 },
  'with a target namespace that is too long': { targetNamespace: 'a'.repeat(64) },
  'with a target namespace of Kubernetes': { targetNamespace: 'kube-system' },
  'with the target namespace default': { targetNamespace: 'default' },
  'with a pull secret that is no DNS subdomain': { imagePullSecret: 'a/b' },
  'with a pull secret with an empty part of its name': { imagePullSecret: 'a..b' },
  'with an unknown pull policy': { imagePullPolicy: 'Sometimes' },
  'with a registry that has a scheme': { imageRegistry: 'https://mirror.example.com' },
  'with a trust bundle without a ConfigMap': { trustBundle: { key: 'a' } },
  'with a trust bundle whose key leaves its folder': { trustBundle: { configMapName: 'a', key: '../b' } },
  'with NetworkPolicies that are a list': { networkPolicies: [] },
  'with NetworkPolicies that are neither on nor off': { networkPolicies: { enabled: 'no' } },
  'with no port of the API server': { networkPolicies: { apiServerPorts: [] } },
  'with nine ports of the API server': { networkPolicies: { apiServerPorts: [1, 2, 3, 4, 5, 6, 7, 8, 9] } },
  'with ports of the API server that are no ports': { networkPolicies: { apiServerPorts: [0, 65_536, 1.5, '443'] } },
  'with a port of the API server twice': { networkPolicies: { apiServerPorts: [443, 16_443, 443] } },
  'with a registry whose port is no port': { imageRegistry: 'mirror.example.com:65536' },
  'with a registry that ends with a slash': { imageRegistry: 'mirror.example.com/' },
  'with a node selector that is a list': { nodeSelector: ['a'] },
  'with a node selector whose key is no label key': { nodeSelector: { 'a b': 'c' } },
  'with a node selector whose value is no label value': { nodeSelector: { a: 1 } },
  'with tolerations that are a string': { tolerations: 'all' },
  'with a toleration that is a string': { tolerations: ['all'] },
  'with a toleration of everything without Exists': { tolerations: [{ key: 'a' }, {}] },
  'with an unknown operator': { tolerations: [{ key: 'a', operator: 'Gt' }] },
  'with an unknown effect': { tolerations: [{ key: 'a', effect: 'Never' }] },
  'with a key that is no label key': { tolerations: [{ key: 'a//b' }] },
  'with a value that is no label value': { tolerations: [{ key: 'a', value: 'b c' }] },
  'with a value beside Exists': { tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] },
  'with seconds that are no integer': { tolerations: [{ key: 'a', tolerationSeconds: 1.5 }] },
  'with more seconds than an integer holds': { tolerations: [{ key: 'a', tolerationSeconds: 2 ** 54 }] },
  'with three faults, one of a long value': {
    tolerations: 1,
    targetNamespace: 'x'.repeat(200),
    imagePullSecret: '!',
  },
  'without a fault': {
    adoption: 'IfUnowned',
    localCluster: { enabled: true, name: 'hub-1' },
    availability: 'High',
    components: [
      { name: 'gateway', enabled: false },
      { name: 'placement-controller', replicas: 3, resources: { requests: { cpu: 1 }, limits: { memory: '1Gi' } } },
    ],
    targetNamespace: 'team-a',
    imagePullPolicy: 'IfNotPresent',
    imageRegistry: 'mirror.example.com:65535/platform',
    imagePullSecret: 'a.b',
    networkPolicies: { enabled: true, apiServerPorts: [65_535, 1] },
    trustBundle: { configMapName: 'a.b', key: 'ca-bundle.crt' },
    nodeSelector: { 'x.io/a': '' },
    tolerations: [{ operator: 'Exists' }],
  },
};

const specs = Object.entries(SPECS).map(([title, spec]): Case => [
  `a spec ${title}`,
  () => validateSpec(spec).map(fieldErrorText),
]);

const targetNamespaces: readonly Case[] = [
  [
    'a target namespace that was edited after the installation',
    () => validateTargetNamespace({ targetNamespace: 'b' }, 'a', undefined).map(fieldErrorText),
  ],
  [
    'a target namespace that is not the one of --namespace',
    () => validateTargetNamespace({}, undefined, 'a').map(fieldErrorText),
  ],
  [
    'a target namespace that is unchanged',
    () => validateTargetNamespace({ targetNamespace: 'a' }, 'a', undefined).map(fieldErrorText),
  ],
];

describeRecorded('engine-spec', [...specs, ...targetNamespaces]);
