import type { JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';

/** A request on a server with `namespace` and two ConfigMaps in it, and the expected result. */
export interface Request {
  /** Default: admin. */
  readonly user?: string;
  /** Default: POST. */
  readonly method?: string;
  /** Default: ConfigMaps of the namespace. */
  readonly path?: string;
  readonly object?: KubeObject;
  readonly old?: KubeObject;
  /** Code, reason and message of kube-apiserver 1.36.3; undefined where it accepts. */
  readonly refused?: string;
  readonly warnings?: readonly string[];
}

/** Policy `o3p` with binding `o3b`, whose action is Deny unless it is given. */
export interface Scenario {
  readonly name: string;
  readonly policy: JsonObject;
  readonly binding?: JsonObject;
  readonly requests: readonly Request[];
}

export const namespace: KubeObject = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'o3ns', labels: { team: 'a' } },
};
export const param: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'param',
    namespace: 'o3ns',
    labels: { p: 'yes' },
    managedFields: [{ manager: 'm', operation: 'Update' }],
  },
  data: { max: '5' },
};

const configMaps: JsonObject = {
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  resources: ['configmaps'],
  scope: '*',
};

const TEN = '[1,2,3,4,5,6,7,8,9,10]';
const costly = `${TEN}.all(a, ${TEN}.all(b, ${TEN}.all(c, ${TEN}.all(d, ${TEN}.all(e, a+b+c+d+e > 0)))))`;

export const scenarios: readonly Scenario[] = [
  {
    name: 'deny',
    policy: { validations: [{ expression: 'object.data.k == "x"', message: 'no bad' }] },
    requests: [
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } },
        refused: `422 Invalid: configmaps "a" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: no bad`,
      },
    ],
  },
  {
    name: 'pass',
    policy: { validations: [{ expression: 'object.data.k == "v"' }] },
    requests: [{ object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } } }],
  },
  {
    name: 'nomessage',
    policy: { validations: [{ expression: 'object.data.k == "x"' }] },
    requests: [
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } },
        refused: `422 Invalid: configmaps "a" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: failed expression: object.data.k == "x"`,
      },
    ],
  },
  {
    name: 'missing',
    policy: { validations: [{ expression: 'object.data.zz == "x"' }] },
    requests: [
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } },
        refused: `422 Invalid: configmaps "a" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: expression 'object.data.zz == "x"' resulted in error: no such key: zz`,
      },
    ],
  },
  {
    name: 'missing ignore',
    policy: { validations: [{ expression: 'object.data.zz == "x"' }], failurePolicy: 'Ignore' },
    requests: [{ object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } } }],
  },
  {
    name: 'reason',
    policy: {
      validations: [{ expression: 'false', reason: 'Forbidden', messageExpression: '"k is " + object.data.k' }],
    },
    requests: [
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } },
        refused: `403 Forbidden: configmaps "a" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: k is v`,
      },
    ],
  },
  {
    name: 'toolarge',
    policy: { validations: [{ expression: 'false', reason: 'RequestEntityTooLarge' }] },
    requests: [
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } },
        refused: `413 RequestEntityTooLarge: configmaps "a" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: failed expression: false`,
      },
    ],
  },
  {
    name: 'messageerr',
    policy: { validations: [{ expression: 'false', message: 'plain', messageExpression: '"k is " + object.data.zz' }] },
    requests: [
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } },
        refused: `422 Invalid: configmaps "a" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: plain`,
      },
    ],
  },
  {
    name: 'two',
    policy: {
      validations: [
        { expression: 'false', message: 'one' },
        { expression: 'false', message: 'two', reason: 'Forbidden' },
      ],
    },
    requests: [
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } },
        refused: `422 Invalid: configmaps "a" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: one`,
      },
    ],
  },
  {
    name: 'warn',
    policy: {
      validations: [
        { expression: 'false', message: 'one' },
        { expression: 'object.zz == 1', message: 'two' },
      ],
    },
    binding: { validationActions: ['Warn', 'Audit'] },
    requests: [
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } },
        warnings: [
          `Validation failed for ValidatingAdmissionPolicy 'o3p' with binding 'o3b': one`,
          `Validation failed for ValidatingAdmissionPolicy 'o3p' with binding 'o3b': expression 'object.zz == 1' resulted in error: no such key: zz`,
        ],
      },
    ],
  },
  {
    name: 'request',
    policy: {
      validations: [
        {
          expression:
            'request.operation == "CREATE" && request.userInfo.username == "joe" && "devs" in request.userInfo.groups && request.name == "a" && request.namespace == "o3ns" && request.resource.resource == "configmaps" && request.kind.kind == "ConfigMap" && request.requestKind.version == "v1" && request.dryRun && !has(request.subResource) && request.options.dryRun == ["All"]',
          message: 'm',
        },
      ],
    },
    requests: [{ user: 'joe', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: {} } }],
  },
  {
    name: 'requesterr',
    policy: { validations: [{ expression: 'request.subResource == ""' }] },
    requests: [
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } },
        refused: `422 Invalid: configmaps "a" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: expression 'request.subResource == ""' resulted in error: no such key: subResource`,
      },
    ],
  },
  {
    name: 'namespaceObject',
    policy: {
      validations: [
        {
          expression: 'namespaceObject.metadata.labels.team == "b"',
          messageExpression: '"team " + namespaceObject.metadata.labels.team',
        },
      ],
    },
    requests: [
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } },
        refused: `422 Invalid: configmaps "a" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: team a`,
      },
    ],
  },
  {
    name: 'ns itself',
    policy: {
      validations: [{ expression: 'namespaceObject != null || request.namespace == "zz"' }],
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['namespaces'] }],
      },
    },
    requests: [
      {
        path: '/api/v1/namespaces',
        object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fresh' } },
        refused: `422 Invalid: namespaces "fresh" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: failed expression: namespaceObject != null || request.namespace == "zz"`,
      },
      {
        method: 'DELETE',
        path: '/api/v1/namespaces/o3ns',
        old: namespace,
        refused: `422 Invalid: namespaces "o3ns" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: failed expression: namespaceObject != null || request.namespace == "zz"`,
      },
    ],
  },
  {
    name: 'variables',
    policy: {
      variables: [
        { name: 'k', expression: 'object.data.k' },
        { name: 'up', expression: 'variables.k.upperAscii()' },
      ],
      validations: [{ expression: 'variables.up == "X"', messageExpression: '"got " + variables.up' }],
    },
    requests: [
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } },
        refused: `422 Invalid: configmaps "a" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: got V`,
      },
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' }, data: { q: 'w' } },
        refused: `422 Invalid: configmaps "b" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: expression 'variables.up == "X"' resulted in error: composited variable "up" fails to evaluate: composited variable "k" fails to evaluate: no such key: k`,
      },
    ],
  },
  {
    name: 'authorizer',
    policy: {
      validations: [
        {
          expression: 'authorizer.group("").resource("secrets").namespace("o3ns").check("list").allowed()',
          message: 'needs list',
        },
      ],
    },
    requests: [
      { object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: {} } },
      {
        user: 'joe',
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: {} },
        refused: `422 Invalid: configmaps "a" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: needs list`,
      },
    ],
  },
  {
    name: 'requestResource',
    policy: {
      validations: [{ expression: 'authorizer.requestResource.check("delete").reason() == "zz"', message: 'r' }],
    },
    requests: [
      {
        user: 'joe',
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: {} },
        refused: `422 Invalid: configmaps "a" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: r`,
      },
    ],
  },
  {
    name: 'sa',
    policy: {
      validations: [
        { expression: 'authorizer.serviceAccount("o3ns", "A_").group("").resource("pods").check("get").allowed()' },
      ],
    },
    requests: [
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } },
        refused: `422 Invalid: configmaps "a" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: expression 'authorizer.serviceAccount("o3ns", "A_").group("").resource("pods").check("get").allowed()' resulted in error: Invalid service account name`,
      },
    ],
  },
  {
    name: 'cond true',
    policy: {
      validations: [{ expression: 'false', message: 'm' }],
      matchConditions: [{ name: 'c', expression: 'request.userInfo.username == "joe"' }],
    },
    requests: [
      { object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: {} } },
      {
        user: 'joe',
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: {} },
        refused: `422 Invalid: configmaps "a" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: m`,
      },
    ],
  },
  {
    name: 'cond err',
    policy: {
      validations: [{ expression: 'false', message: 'm' }],
      matchConditions: [
        { name: 'c', expression: 'object.zz == 1' },
        { name: 'd', expression: 'object.yy == 1' },
      ],
    },
    requests: [
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } },
        refused: `422 Invalid: configmaps "a" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: [expression 'object.zz == 1' resulted in error: no such key: zz, expression 'object.yy == 1' resulted in error: no such key: yy]`,
      },
    ],
  },
  {
    name: 'cond err false',
    policy: {
      validations: [{ expression: 'false', message: 'm' }],
      matchConditions: [
        { name: 'c', expression: 'object.zz == 1' },
        { name: 'd', expression: 'false' },
      ],
    },
    requests: [{ object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } } }],
  },
  {
    name: 'cond err ignore',
    policy: {
      validations: [{ expression: 'false', message: 'm' }],
      failurePolicy: 'Ignore',
      matchConditions: [{ name: 'c', expression: 'object.zz == 1' }],
    },
    requests: [{ object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } } }],
  },
  {
    name: 'params name',
    policy: {
      validations: [
        {
          expression: 'int(params.data.max) > 9',
          messageExpression: '"max " + params.data.max + " of " + params.kind + params.apiVersion',
        },
      ],
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    },
    binding: { paramRef: { name: 'param', parameterNotFoundAction: 'Deny' } },
    requests: [
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } },
        refused: `422 Invalid: configmaps "a" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: max 5 of ConfigMapv1`,
      },
    ],
  },
  {
    name: 'params without managers',
    policy: {
      validations: [{ expression: 'has(params.metadata.managedFields)' }],
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    },
    binding: { paramRef: { name: 'param', parameterNotFoundAction: 'Deny' } },
    requests: [
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } },
        refused: `422 Invalid: configmaps "a" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: failed expression: has(params.metadata.managedFields)`,
      },
    ],
  },
  {
    name: 'params sel',
    policy: {
      validations: [{ expression: 'int(params.data.max) > 3', messageExpression: '"max " + params.data.max' }],
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    },
    binding: { paramRef: { selector: { matchLabels: { p: 'yes' } }, parameterNotFoundAction: 'Deny' } },
    requests: [
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } },
        refused: `422 Invalid: configmaps "a" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: max 2`,
      },
    ],
  },
  {
    name: 'params none deny',
    policy: { validations: [{ expression: 'params == null' }], paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
    binding: { paramRef: { name: 'nope', parameterNotFoundAction: 'Deny' } },
    requests: [
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } },
        refused:
          "422 Invalid: configmaps \"a\" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
      },
    ],
  },
  {
    name: 'params none allow',
    policy: { validations: [{ expression: 'params == null' }], paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
    binding: { paramRef: { name: 'nope', parameterNotFoundAction: 'Allow' } },
    requests: [{ object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } } }],
  },
  {
    name: 'params no ref',
    policy: { validations: [{ expression: 'params == null' }], paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
    requests: [{ object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } } }],
  },
  {
    name: 'params unknown kind',
    policy: { validations: [{ expression: 'params == null' }], paramKind: { apiVersion: 'zz.io/v1', kind: 'Zed' } },
    binding: { paramRef: { name: 'nope', parameterNotFoundAction: 'Allow' } },
    requests: [
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } },
        refused: `422 Invalid: configmaps "a" is forbidden: ValidatingAdmissionPolicy 'o3p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'zz.io/v1, Kind=Zed'`,
      },
    ],
  },
  {
    name: 'params unknown ignore',
    policy: {
      validations: [{ expression: 'params == null' }],
      failurePolicy: 'Ignore',
      paramKind: { apiVersion: 'zz.io/v1', kind: 'Zed' },
    },
    binding: { paramRef: { name: 'nope', parameterNotFoundAction: 'Allow' } },
    requests: [{ object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } } }],
  },
  {
    name: 'params ns for cluster',
    policy: {
      validations: [{ expression: 'params == null' }],
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['nodes'] }],
      },
    },
    binding: { paramRef: { name: 'nope', parameterNotFoundAction: 'Allow' } },
    requests: [
      {
        path: '/api/v1/nodes',
        object: { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } },
        refused: `422 Invalid: nodes "n1" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: failed to configure binding: cannot use namespaced paramRef in policy binding that matches cluster-scoped resources`,
      },
    ],
  },
  {
    name: 'nsselector',
    policy: {
      validations: [{ expression: 'false', message: 'm' }],
      matchConstraints: { namespaceSelector: { matchLabels: { team: 'b' } }, resourceRules: [configMaps] },
    },
    requests: [{ object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } } }],
  },
  {
    name: 'objselector',
    policy: {
      validations: [{ expression: 'false', message: 'm' }],
      matchConstraints: { objectSelector: { matchLabels: { x: 'y' } }, resourceRules: [configMaps] },
    },
    requests: [
      { object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } } },
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b', labels: { x: 'y' } }, data: {} },
        refused: `422 Invalid: configmaps "b" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: m`,
      },
    ],
  },
  {
    name: 'exclude',
    policy: {
      validations: [{ expression: 'false', message: 'm' }],
      matchConstraints: {
        resourceRules: [configMaps],
        excludeResourceRules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE', 'UPDATE', 'DELETE'],
            resources: ['configmaps'],
            scope: '*',
            resourceNames: ['a'],
          },
        ],
      },
    },
    requests: [
      { object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } } },
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' }, data: {} },
        refused: `422 Invalid: configmaps "b" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: m`,
      },
    ],
  },
  {
    name: 'names',
    policy: {
      validations: [{ expression: 'false', message: 'm' }],
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE', 'UPDATE', 'DELETE'],
            resources: ['configmaps'],
            scope: '*',
            resourceNames: ['b'],
          },
        ],
      },
    },
    requests: [
      { object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } } },
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' }, data: {} },
        refused: `422 Invalid: configmaps "b" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: m`,
      },
    ],
  },
  {
    name: 'scope',
    policy: {
      validations: [{ expression: 'false', message: 'm' }],
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: [''],
            apiVersions: ['v1'],
            operations: ['CREATE', 'UPDATE', 'DELETE'],
            resources: ['configmaps'],
            scope: 'Cluster',
          },
        ],
      },
    },
    requests: [{ object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } } }],
  },
  {
    name: 'binding match',
    policy: { validations: [{ expression: 'false', message: 'm' }] },
    binding: {
      matchResources: {
        matchPolicy: 'Equivalent',
        namespaceSelector: { matchLabels: { team: 'b' } },
        objectSelector: {},
      },
    },
    requests: [{ object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } } }],
  },
  {
    name: 'audit',
    policy: {
      auditAnnotations: [
        { key: 'k', valueExpression: 'string(object.zz)' },
        { key: 'j', valueExpression: 'null' },
      ],
    },
    requests: [
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } },
        refused: `422 Invalid: configmaps "a" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: expression 'string(object.zz)' resulted in error: no such key: zz`,
      },
    ],
  },
  {
    name: 'events equivalent',
    policy: {
      validations: [
        {
          expression: 'object.note == "n" && request.kind.group == "events.k8s.io" && request.requestKind.group == ""',
          messageExpression: 'object.note + " " + object.apiVersion',
        },
      ],
      matchConstraints: {
        resourceRules: [
          { apiGroups: ['events.k8s.io'], apiVersions: ['v1'], operations: ['*'], resources: ['events'] },
        ],
      },
    },
    requests: [
      {
        path: '/api/v1/namespaces/o3ns/events',
        object: {
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: 'e' },
          message: 'hello',
          involvedObject: { namespace: 'o3ns' },
        },
        refused: `422 Invalid: events "e" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: hello events.k8s.io/v1`,
      },
    ],
  },
  {
    name: 'delete',
    policy: {
      validations: [
        { expression: 'object == null && oldObject.data.max == "x"', messageExpression: 'string(oldObject.data.max)' },
      ],
    },
    requests: [
      {
        method: 'DELETE',
        path: '/api/v1/namespaces/o3ns/configmaps/param',
        old: param,
        refused: `422 Invalid: configmaps "param" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: 5`,
      },
    ],
  },
  {
    name: 'update',
    policy: {
      validations: [
        {
          expression: 'object.data.max == oldObject.data.max',
          messageExpression: 'oldObject.data.max + object.data.max + request.operation',
        },
      ],
    },
    requests: [
      {
        method: 'PUT',
        path: '/api/v1/namespaces/o3ns/configmaps/param',
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'param' }, data: { max: '6' } },
        old: param,
        refused: `422 Invalid: configmaps "param" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: 56UPDATE`,
      },
    ],
  },
  {
    name: 'cost',
    policy: { validations: [{ expression: costly }] },
    requests: [
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } },
        refused: `422 Invalid: configmaps "a" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: expression '${costly}' resulted in error: operation cancelled: actual cost limit exceeded`,
      },
    ],
  },
  {
    name: 'var cost',
    policy: { variables: [{ name: 'x', expression: costly }], validations: [{ expression: 'variables.x' }] },
    requests: [
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } },
        refused: `422 Invalid: configmaps "a" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: expression 'variables.x' resulted in error: composited variable "x" fails to evaluate: operation cancelled: actual cost limit exceeded`,
      },
    ],
  },
  {
    name: 'authz checks',
    policy: { validations: [{ expression: '[1,2,3].all(x, authorizer.path("/x").check("get").allowed())' }] },
    requests: [
      {
        object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } },
        refused: `422 Invalid: configmaps "a" is forbidden: ValidatingAdmissionPolicy 'o3p' with binding 'o3b' denied request: expression '[1,2,3].all(x, authorizer.path("/x").check("get").allowed())' resulted in error: operation cancelled: actual cost limit exceeded`,
      },
    ],
  },
];
