import { word, type Fields } from './features.js';
import type { Kind } from './kinds.js';

const spec = (fields: Fields): Fields => ({ spec: fields });
const RULE = { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['statefulsets'] };
const ready = (status: string): Fields => ({
  type: 'Ready',
  status,
  reason: 'Kubelet',
  message: 'm',
  lastHeartbeatTime: '2024-01-01T00:00:00Z',
  lastTransitionTime: '2024-01-01T00:00:00Z',
});

/** The taint that kube-apiserver adds to a new Node, and that only the node controller removes. */
const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

function taints(...more: readonly Fields[]): Fields {
  return spec({ taints: [NOT_READY, ...more] });
}

/** Cluster-scoped kinds whose objects do not affect other sequences. */
export const CLUSTER_KINDS: readonly Kind[] = [
  {
    name: 'Node',
    apiVersion: 'v1',
    kind: 'Node',
    plural: 'nodes',
    namespaced: false,
    strategic: true,
    base: () => taints(),
    features: [
      () => spec({ unschedulable: true }),
      (dice) => taints({ key: word(dice), effect: 'NoSchedule' }),
      (dice) => taints({ key: 'a', value: word(dice), effect: 'NoExecute' }, { key: 'b', effect: 'PreferNoSchedule' }),
      () => spec({ providerID: 'x://y' }),
    ],
    bad: [
      () => spec({ taints: [{ key: 'a', effect: 'Odd' }] }),
      () => spec({ taints: [{ key: 'a b', effect: 'NoSchedule' }] }),
      () => spec({ providerID: 'other' }),
      () => spec({ podCIDR: 'x' }),
      () => spec({ unschedulable: 'yes' }),
    ],
    status: [
      (dice) => ({ status: { conditions: [ready(dice.pick(['True', 'False']))] } }),
      () => ({ status: { capacity: { cpu: '2', memory: '1Gi' } } }),
      () => ({ status: { addresses: [{ type: 'Hostname', address: 'x' }] } }),
      () => ({ status: { capacity: { cpu: 'x' } } }),
    ],
  },
  {
    name: 'ValidatingAdmissionPolicy',
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    plural: 'validatingadmissionpolicies',
    namespaced: false,
    strategic: true,
    base: () =>
      spec({ matchConstraints: { resourceRules: [RULE] }, validations: [{ expression: 'object.spec.replicas > 1' }] }),
    features: [
      (dice) =>
        spec({
          validations: [
            { expression: `object.metadata.name != '${word(dice)}'`, message: word(dice), reason: 'Forbidden' },
          ],
        }),
      () => spec({ failurePolicy: 'Ignore' }),
      () =>
        spec({
          variables: [{ name: 'a', expression: 'object.metadata' }],
          validations: [{ expression: 'variables.a.name != ""' }],
        }),
      () => spec({ paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }),
      () => spec({ matchConditions: [{ name: 'a', expression: 'true' }] }),
      () =>
        spec({
          matchConstraints: {
            resourceRules: [RULE],
            objectSelector: { matchLabels: { a: 'b' } },
            matchPolicy: 'Exact',
          },
        }),
      () => spec({ auditAnnotations: [{ key: 'k', valueExpression: "'v'" }] }),
    ],
    bad: [
      () => spec({ validations: [{ expression: 'nope' }] }),
      () => spec({ validations: [{ expression: '1' }] }),
      () => spec({ validations: [{ expression: '' }] }),
      () => spec({ validations: [{ expression: 'true', reason: 'Odd' }] }),
      () => spec({ matchConstraints: { resourceRules: [] } }),
      () => spec({ failurePolicy: 'Odd' }),
      () => spec({ matchConditions: [{ name: 'a b', expression: '(' }] }),
      () => spec({ paramKind: { kind: 'x' } }),
      () => spec({ variables: [{ name: 'a b', expression: 'true' }] }),
      () => spec({ validations: [] }),
    ],
    status: [
      () => ({ status: { observedGeneration: 1, typeChecking: {} } }),
      () => ({ status: { typeChecking: { expressionWarnings: [{ fieldRef: 'a', warning: 'b' }] } } }),
    ],
  },
  {
    name: 'ValidatingAdmissionPolicyBinding',
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    plural: 'validatingadmissionpolicybindings',
    namespaced: false,
    strategic: true,
    base: () => spec({ policyName: 'not-there', validationActions: ['Deny'] }),
    features: [
      () => spec({ validationActions: ['Warn', 'Audit'] }),
      () => spec({ paramRef: { name: 'x', namespace: 'default', parameterNotFoundAction: 'Allow' } }),
      (dice) => spec({ matchResources: { namespaceSelector: { matchLabels: { a: word(dice) } } } }),
    ],
    bad: [
      () => spec({ policyName: '' }),
      () => spec({ validationActions: [] }),
      () => spec({ validationActions: ['Deny', 'Warn'] }),
      () => spec({ validationActions: ['Odd'] }),
      () => spec({ paramRef: { name: 'x', selector: {} } }),
    ],
  },
];
