/** A valid object of each built-in kind with many fields set, and the path of its collection. */
export interface Sample {
  readonly path: string;
  readonly object: { readonly apiVersion: string; readonly kind: string; readonly [field: string]: unknown };
}

export const NAMESPACE = 'protobuf-kinds';

const RBAC = 'rbac.authorization.k8s.io';
const inside = (groupVersion: string, plural: string): string => `/${groupVersion}/namespaces/${NAMESPACE}/${plural}`;
const meta = { name: 'sample', labels: { l: 'v' }, annotations: { n: 'v' }, finalizers: ['example.com/f'] };
const owned = {
  ...meta,
  ownerReferences: [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'owner',
      uid: '11111111-2222-3333-4444-555555555555',
      controller: true,
      blockOwnerDeletion: false,
    },
  ],
};
const rules = [
  {
    apiGroups: ['', 'apps'],
    resources: ['configmaps', 'deployments/scale'],
    verbs: ['get', '*'],
    resourceNames: ['a'],
  },
];
const subjects = [
  { kind: 'User', apiGroup: RBAC, name: 'u' },
  { kind: 'ServiceAccount', name: 'a', namespace: 'n' },
];
const attributes = { namespace: NAMESPACE, verb: 'get', resource: 'configmaps', name: 'a' };
const selector = { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'k', operator: 'In', values: ['x', 'y'] }] };
const container = {
  name: 'main',
  image: 'example.com/web:1',
  command: ['sh'],
  args: ['-c', 'true'],
  imagePullPolicy: 'Always',
  ports: [{ name: 'http', containerPort: 80 }],
  env: [
    { name: 'A', value: '' },
    { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  ],
  resources: { limits: { cpu: '500m', memory: '1Gi' }, requests: { cpu: '100m' } },
  volumeMounts: [{ name: 'v', mountPath: '/v', readOnly: true }],
  readinessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 5 },
  securityContext: { runAsNonRoot: true, readOnlyRootFilesystem: false },
};

export const SAMPLES: readonly Sample[] = [
  {
    path: '/api/v1/namespaces',
    object: { apiVersion: 'v1', kind: 'Namespace', metadata: { ...meta, name: 'protobuf-sample' } },
  },
  {
    path: '/api/v1/nodes',
    object: {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: meta,
      spec: { unschedulable: true, taints: [{ key: 't', effect: 'NoSchedule' }] },
      status: { capacity: { cpu: '2' } },
    },
  },
  {
    path: inside('api/v1', 'configmaps'),
    object: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: owned,
      data: { a: 'b', empty: '' },
      binaryData: { bin: 'AAEC' },
      immutable: false,
    },
  },
  {
    path: inside('api/v1', 'secrets'),
    object: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: meta,
      type: 'example.com/own',
      data: { a: 'Yg==' },
      immutable: true,
    },
  },
  {
    path: inside('api/v1', 'serviceaccounts'),
    object: {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: meta,
      automountServiceAccountToken: false,
      imagePullSecrets: [{ name: 's' }],
    },
  },
  {
    path: inside('api/v1', 'services'),
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: meta,
      spec: {
        clusterIP: 'None',
        selector: { a: 'b' },
        ports: [
          { name: 'http', port: 80, targetPort: 'http' },
          { name: 'https', port: 443, targetPort: 8443, protocol: 'UDP' },
        ],
        publishNotReadyAddresses: true,
      },
    },
  },
  {
    path: inside('api/v1', 'events'),
    object: {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'sample', namespace: NAMESPACE },
      involvedObject: { kind: 'ConfigMap', name: 'a', namespace: NAMESPACE },
      reason: 'Made',
      message: 'made',
      type: 'Normal',
      count: 2,
      firstTimestamp: '2024-01-01T00:00:00Z',
      lastTimestamp: '2024-01-01T00:01:00Z',
      source: { component: 'c' },
    },
  },
  {
    path: inside('apis/events.k8s.io/v1', 'events'),
    object: {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'sample', namespace: NAMESPACE },
      eventTime: '2024-01-01T00:00:00.123456Z',
      action: 'Make',
      reason: 'Made',
      type: 'Warning',
      note: 'made',
      regarding: { kind: 'ConfigMap', name: 'a', namespace: NAMESPACE },
      reportingController: 'example.com/c',
      reportingInstance: 'c-0',
      series: { count: 2, lastObservedTime: '2024-01-01T00:00:01.000000Z' },
    },
  },
  {
    path: inside('apis/coordination.k8s.io/v1', 'leases'),
    object: {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: meta,
      spec: {
        holderIdentity: 'h',
        leaseDurationSeconds: 15,
        leaseTransitions: 0,
        renewTime: '2024-01-01T00:00:00.000001Z',
      },
    },
  },
  {
    path: inside('apis/apps/v1', 'deployments'),
    object: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: meta,
      spec: {
        replicas: 0,
        paused: false,
        minReadySeconds: 0,
        revisionHistoryLimit: 3,
        selector: { matchLabels: { a: 'b' } },
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '10%', maxUnavailable: 0 } },
        template: {
          metadata: { labels: { a: 'b' } },
          spec: {
            containers: [container],
            nodeSelector: { zone: 'a' },
            tolerations: [{ key: 't', operator: 'Exists', tolerationSeconds: 5, effect: 'NoExecute' }],
            volumes: [{ name: 'v', emptyDir: {} }],
            hostNetwork: false,
            terminationGracePeriodSeconds: 0,
          },
        },
      },
    },
  },
  {
    path: inside('api/v1', 'podtemplates'),
    object: {
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: meta,
      template: {
        metadata: { labels: { a: 'b' } },
        spec: {
          containers: [container],
          volumes: [{ name: 'v', emptyDir: {} }],
          restartPolicy: 'Never',
          activeDeadlineSeconds: 5,
        },
      },
    },
  },
  {
    path: inside('apis/apps/v1', 'replicasets'),
    object: {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: owned,
      spec: {
        replicas: 0,
        minReadySeconds: 3,
        selector,
        template: {
          metadata: { labels: { a: 'b', k: 'x' } },
          spec: { containers: [container], volumes: [{ name: 'v', emptyDir: {} }] },
        },
      },
    },
  },
  {
    path: inside('apis/policy/v1', 'poddisruptionbudgets'),
    object: {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: meta,
      spec: { minAvailable: '50%', selector },
    },
  },
  {
    path: inside('apis/networking.k8s.io/v1', 'networkpolicies'),
    object: {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: meta,
      spec: {
        podSelector: {},
        policyTypes: ['Ingress', 'Egress'],
        ingress: [
          {
            from: [{ ipBlock: { cidr: '192.0.2.0/24', except: ['192.0.2.0/28'] } }],
            ports: [{ port: 80, endPort: 90 }],
          },
        ],
        egress: [{}],
      },
    },
  },
  {
    path: inside(`apis/${RBAC}/v1`, 'roles'),
    object: { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: meta, rules },
  },
  {
    path: inside(`apis/${RBAC}/v1`, 'rolebindings'),
    object: {
      apiVersion: `${RBAC}/v1`,
      kind: 'RoleBinding',
      metadata: meta,
      roleRef: { apiGroup: RBAC, kind: 'Role', name: 'r' },
      subjects,
    },
  },
  {
    path: `/apis/${RBAC}/v1/clusterroles`,
    object: {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRole',
      metadata: meta,
      rules: [{ nonResourceURLs: ['/x/*'], verbs: ['get'] }],
      aggregationRule: { clusterRoleSelectors: [selector] },
    },
  },
  {
    path: `/apis/${RBAC}/v1/clusterrolebindings`,
    object: {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: meta,
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'r' },
      subjects,
    },
  },
  {
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    object: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'samples.protobuf.example.com' },
      spec: {
        group: 'protobuf.example.com',
        scope: 'Namespaced',
        names: { plural: 'samples', kind: 'Sample', shortNames: ['sa'] },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {} },
            additionalPrinterColumns: [{ name: 'A', type: 'integer', jsonPath: '.spec.a' }],
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  spec: {
                    type: 'object',
                    properties: {
                      a: { type: 'integer', minimum: 0, default: 0 },
                      b: { 'x-kubernetes-int-or-string': true },
                      c: { type: 'array', items: { type: 'string', enum: ['x', ''] } },
                    },
                    required: ['a'],
                  },
                },
              },
            },
          },
        ],
      },
    },
  },
  {
    path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    object: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: meta,
      spec: {
        failurePolicy: 'Ignore',
        matchConstraints: {
          resourceRules: [
            {
              apiGroups: [''],
              apiVersions: ['v1'],
              operations: ['CREATE'],
              resources: ['configmaps'],
              scope: 'Namespaced',
            },
          ],
        },
        matchConditions: [{ name: 'c', expression: 'true' }],
        validations: [{ expression: 'true', message: 'm', reason: 'Forbidden' }],
        variables: [{ name: 'v', expression: '1' }],
      },
    },
  },
  {
    path: '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
    object: {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: meta,
      spec: { policyName: 'none', validationActions: ['Deny'], matchResources: { namespaceSelector: selector } },
    },
  },
  {
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    object: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes: attributes },
    },
  },
  {
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    object: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user: 'u', groups: ['g'], extra: { e: ['1', '2'] }, nonResourceAttributes: { path: '/x', verb: 'get' } },
    },
  },
  {
    path: inside('apis/authorization.k8s.io/v1', 'localsubjectaccessreviews'),
    object: {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'LocalSubjectAccessReview',
      metadata: { namespace: NAMESPACE },
      spec: { user: 'u', resourceAttributes: attributes },
    },
  },
  {
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    object: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
  },
  {
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    object: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'wrong', audiences: ['a'] } },
  },
];

/** A unique name of a sample. */
export function nameOf({ object: { apiVersion, kind } }: Sample): string {
  return `${kind} of ${apiVersion}`;
}
