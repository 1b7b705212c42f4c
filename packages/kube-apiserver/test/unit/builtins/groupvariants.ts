import { NULL, type KindVariants } from './variants.js';

const CONDITION = { type: 'X', status: 'True', reason: 'R', message: 'm', lastTransitionTime: '2020-01-01T00:00:00Z' };
const RBAC = 'rbac.authorization.k8s.io';

/** Kinds of named groups but Deployment. */
export const GROUP_VARIANTS: Readonly<Record<string, KindVariants>> = {
  'Event.events.k8s.io': {
    path: '/apis/events.k8s.io/v1/namespaces/default/events',
    base: {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'b' },
      eventTime: '2020-01-01T00:00:00.000001Z',
      reportingController: 'example.com/c',
      reportingInstance: 'i',
      action: 'A',
      reason: 'R',
      type: 'Normal',
      regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
      note: 'n',
    },
    create: {
      plain: {},
      'no time': { eventTime: null },
      'another type': { type: 'Bad' },
      'old fields': {
        deprecatedCount: 2,
        deprecatedSource: { component: 'x' },
        deprecatedFirstTimestamp: '2020-01-01T00:00:00Z',
        deprecatedLastTimestamp: '2020-01-01T00:00:00Z',
      },
      'a series of one': { series: { count: 1 } },
      series: { series: { count: 2, lastObservedTime: '2020-01-01T00:00:00.000000Z' } },
      'another namespace': { regarding: { namespace: 'other' } },
      'no reporter': { reportingController: null, reportingInstance: null, action: null, reason: null },
    },
    update: {
      'note changes': { next: { note: 'other' } },
      'reason changes': { next: { reason: 'Q', type: 'Warning', action: 'B' } },
      'source changes': { next: { deprecatedSource: { host: 'h' } } },
      'regarding changes': { next: { regarding: { name: 'q' } } },
      'series comes': { next: { series: { count: 2, lastObservedTime: '2020-01-01T00:00:00.000000Z' } } },
      'reporter changes': { next: { reportingController: 'example.com/d', reportingInstance: 'j' } },
    },
  },
  Lease: {
    path: '/apis/coordination.k8s.io/v1/namespaces/default/leases',
    base: {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'a' },
      spec: { holderIdentity: 'h', leaseDurationSeconds: 15 },
    },
    create: {
      plain: {},
      'no spec': { spec: null },
      'times of many digits': {
        spec: { renewTime: '2020-01-01T00:00:00.123456+01:00', acquireTime: '2020-01-01T00:00:00.100000Z' },
      },
      'no duration': { spec: { leaseDurationSeconds: 0 } },
      'negative numbers': { spec: { leaseDurationSeconds: -1, leaseTransitions: -1 } },
      'empty holder': { spec: { holderIdentity: '' } },
      strategy: { spec: { strategy: 'Bad', preferredHolder: 'x' } },
    },
    update: {
      'negative numbers': { next: { spec: { leaseTransitions: -5 } } },
      'holder changes': { next: { spec: { holderIdentity: 'i' } } },
    },
  },
  PodDisruptionBudget: {
    path: '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
    base: {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'a' },
      spec: { minAvailable: 1, selector: { matchLabels: { a: 'b' } } },
    },
    create: {
      plain: {},
      'no spec': { spec: null },
      both: {
        spec: { maxUnavailable: '10%', selector: { matchExpressions: [{ key: 'x', operator: 'In', values: ['y'] }] } },
      },
      percent: { spec: { minAvailable: '30%' } },
      'too many percent': { spec: { minAvailable: '101%' } },
      'no percent': { spec: { minAvailable: 'abc' } },
      negative: { spec: { minAvailable: -1 } },
      'bad policy': { spec: { unhealthyPodEvictionPolicy: 'Never' } },
      policy: { spec: { unhealthyPodEvictionPolicy: 'AlwaysAllow' } },
      'bad selector': {
        spec: {
          selector: {
            matchLabels: { 'a b': 'c d' },
            matchExpressions: [
              { key: 'x', operator: 'In' },
              { key: 'x', operator: 'Exists', values: ['a'] },
              { key: '', operator: 'Foo' },
              { key: 'x', operator: 'NotIn', values: ['a b'] },
            ],
          },
        },
      },
      'status dropped': { status: { disruptionsAllowed: 3 } },
      'a given generation': { metadata: { generation: 7 } },
    },
    update: {
      'spec changes': { next: { spec: { minAvailable: 2 } } },
      'annotation changes': { next: { metadata: { annotations: { a: 'b' } } } },
      'status by the way': { next: { status: { disruptionsAllowed: 3 } } },
      status: {
        next: {
          spec: { minAvailable: 5 },
          metadata: { labels: { a: 'b' } },
          status: {
            disruptionsAllowed: 3,
            currentHealthy: 1,
            desiredHealthy: 1,
            expectedPods: 1,
            conditions: [CONDITION],
          },
        },
        subresource: 'status',
      },
      'bad status': {
        next: {
          status: {
            disruptionsAllowed: -3,
            conditions: [
              CONDITION,
              { ...CONDITION, status: 'Maybe', reason: 'a b' },
              { type: 'a b', observedGeneration: -1 },
            ],
          },
        },
        subresource: 'status',
      },
    },
  },
  NetworkPolicy: {
    path: '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies',
    base: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'a' },
      spec: { podSelector: {} },
    },
    create: {
      plain: {},
      'no spec': { spec: null },
      ingress: {
        spec: {
          ingress: [
            {
              ports: [{ port: 80 }, { port: 'web', protocol: 'UDP' }],
              from: [{ podSelector: {} }, { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }],
            },
          ],
        },
      },
      egress: { spec: { egress: [{}] } },
      'types given': { spec: { policyTypes: ['Egress'] } },
      'bad types': { spec: { policyTypes: ['Egress', 'Foo'] } },
      'three types': { spec: { policyTypes: ['Egress', 'Ingress', 'Egress'] } },
      'bad ports': {
        spec: {
          ingress: [
            {
              ports: [
                { port: 0 },
                { port: 'a--b' },
                { port: 70000, protocol: 'X' },
                { port: 80, endPort: 70 },
                { endPort: 5 },
                { port: 'web', endPort: 5 },
                { port: 80, endPort: 99999 },
              ],
            },
          ],
        },
      },
      'bad peers': {
        spec: {
          ingress: [
            {
              from: [
                {},
                { podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } },
                { ipBlock: { cidr: '' } },
                { ipBlock: { cidr: 'x' } },
                { ipBlock: { cidr: '10.0.0.1/8' } },
              ],
            },
          ],
        },
      },
      'bad exceptions': {
        spec: {
          egress: [
            {
              to: [
                {
                  ipBlock: {
                    cidr: '10.0.0.0/8',
                    except: ['11.0.0.0/16', '10.0.0.0/8', 'y', '10.0.0.1/32', '010.0.0.0/16'],
                  },
                },
              ],
            },
          ],
        },
      },
      'addresses of six': {
        spec: {
          egress: [
            {
              to: [
                { ipBlock: { cidr: 'FD00:0::/64', except: ['fd00::1:0/112'] } },
                { ipBlock: { cidr: '::ffff:1.2.3.0/120' } },
              ],
            },
          ],
        },
      },
      'bad selector': { spec: { podSelector: { matchExpressions: [{ key: 'x', operator: 'Foo' }] } } },
      'empty lists': { spec: { ingress: [], egress: [] } },
    },
    update: {
      'a bad range stays out': { next: { spec: { ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.1/8' } }] }] } } },
      'spec changes': { next: { spec: { policyTypes: ['Egress'] } } },
    },
  },
  Role: {
    path: `/apis/${RBAC}/v1/namespaces/default/roles`,
    base: {
      apiVersion: `${RBAC}/v1`,
      kind: 'Role',
      metadata: { name: 'a:b' },
      rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
    },
    create: {
      plain: {},
      'no rules': { rules: null },
      'empty rules': { rules: [] },
      'empty rule': { rules: [{}] },
      'null verbs': { rules: [{ verbs: NULL, apiGroups: [''], resources: ['pods'] }] },
      'paths in a namespace': { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] },
      'paths and resources': {
        rules: [{ verbs: ['get'], nonResourceURLs: ['/x'], resources: ['pods'], apiGroups: [''] }],
      },
      'a name with a slash': { metadata: { name: 'a/b' } },
      'a name with percent': { metadata: { name: 'a%b' } },
    },
    update: { 'bad rule': { next: { rules: [{}] } }, 'rules go': { next: { rules: null } } },
  },
  ClusterRole: {
    path: `/apis/${RBAC}/v1/clusterroles`,
    base: {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRole',
      metadata: { name: 'o6:a' },
      rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }],
    },
    create: {
      plain: {},
      'empty rule': { rules: [{}] },
      'paths and groups': { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'], apiGroups: [''] }] },
      'empty aggregation': { aggregationRule: {} },
      'bad aggregation': {
        aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'Foo' }] }] },
      },
      aggregation: { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] }, rules: null },
    },
    update: { 'bad rule': { next: { rules: [{}] } } },
  },
  RoleBinding: {
    path: `/apis/${RBAC}/v1/namespaces/default/rolebindings`,
    base: {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: { name: 'a' },
      roleRef: { kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'User', name: 'u' }],
    },
    create: {
      plain: {},
      'all kinds of subjects': {
        subjects: [
          { kind: 'User', name: 'u' },
          { kind: 'Group', name: 'g' },
          { kind: 'ServiceAccount', name: 's' },
          { kind: 'ServiceAccount', name: 's', namespace: 'x' },
        ],
      },
      'no subjects': { subjects: null },
      'no reference': { roleRef: null },
      'empty reference': { roleRef: { kind: null, name: null } },
      'bad reference': { roleRef: { apiGroup: 'x', kind: 'Foo', name: 'a/b' } },
      'bad subjects': {
        subjects: [
          { kind: 'Foo', name: '' },
          { kind: 'User', name: 'u', apiGroup: 'x' },
          { kind: 'ServiceAccount', name: 'A_b', apiGroup: 'x' },
          { kind: 'Group' },
        ],
      },
    },
    update: {
      'reference changes': { next: { roleRef: { name: 'edit' } } },
      'subjects change': { next: { subjects: [{ kind: 'Group', name: 'g' }] } },
    },
  },
  ClusterRoleBinding: {
    path: `/apis/${RBAC}/v1/clusterrolebindings`,
    base: {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'o6-a' },
      roleRef: { kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'ServiceAccount', name: 'u', namespace: 'n' }],
    },
    create: {
      plain: {},
      'a role of a namespace': { roleRef: { kind: 'Role' } },
      'an account without namespace': { subjects: [{ kind: 'ServiceAccount', name: 'u' }] },
    },
    update: { 'reference changes': { next: { roleRef: { name: 'edit' } } } },
  },
  ValidatingAdmissionPolicyBinding: {
    path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
    base: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: 'o6' },
      spec: {
        policyName: 'none',
        validationActions: ['Deny'],
        matchResources: { namespaceSelector: { matchLabels: { a: 'b' } } },
      },
    },
    create: {
      plain: {},
      'everything matched': { spec: { matchResources: null } },
      rules: {
        spec: {
          matchResources: {
            resourceRules: [
              { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] },
            ],
          },
        },
      },
      'a given generation': { metadata: { generation: 4 } },
    },
    update: { 'spec changes': { next: { spec: { validationActions: ['Warn'] } } } },
  },
  ValidatingAdmissionPolicy: {
    path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    base: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'o6' },
      spec: {
        validations: [{ expression: 'true' }],
        matchConstraints: {
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
        },
      },
    },
    create: {
      plain: {},
      'status dropped': { status: { observedGeneration: 3 } },
      variables: { spec: { variables: [{ name: 'x', expression: '1' }], failurePolicy: 'Ignore' } },
    },
    update: {
      'spec changes': { next: { spec: { failurePolicy: 'Ignore' } } },
      status: {
        next: {
          spec: { failurePolicy: 'Ignore' },
          metadata: { labels: { a: 'b' } },
          status: { observedGeneration: 1 },
        },
        subresource: 'status',
      },
    },
  },
};
