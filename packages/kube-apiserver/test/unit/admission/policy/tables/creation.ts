import type { JsonObject } from '@multicluster-engine/values/json';

/** A spec, and the error of kube-apiserver 1.36.3 when it is created: reason, field and message. */
export type Row = readonly [spec: JsonObject, causes: readonly string[]];

/** Without matchConstraints they match the creation of ConfigMaps. */
export const policies: readonly Row[] = [
  [{ validations: [{ expression: 'true' }] }, []],
  [{ validations: [{ expression: 'object.nope == 1' }] }, []],
  [
    { validations: [{ expression: 'object.' }] },
    [
      `FieldValueInvalid|spec.validations[0].expression|Invalid value: "object.": compilation failed: ERROR: <input>:1:8: Syntax error: no viable alternative at input '.'\n | object.\n | .......^`,
    ],
  ],
  [
    { validations: [{ expression: '1' }] },
    ['FieldValueInvalid|spec.validations[0].expression|Invalid value: "1": must evaluate to bool but got int'],
  ],
  [
    { validations: [{ expression: 'object.x' }] },
    ['FieldValueInvalid|spec.validations[0].expression|Invalid value: "object.x": must evaluate to bool but got dyn'],
  ],
  [
    { validations: [{ expression: '"a"' }] },
    ['FieldValueInvalid|spec.validations[0].expression|Invalid value: "\\"a\\"": must evaluate to bool but got string'],
  ],
  [
    { validations: [{ expression: 'request.nope == 1' }] },
    [
      `FieldValueInvalid|spec.validations[0].expression|Invalid value: "request.nope == 1": compilation failed: ERROR: <input>:1:8: undefined field 'nope'\n | request.nope == 1\n | .......^`,
    ],
  ],
  [
    { validations: [{ expression: 'request.userInfo.username == 1' }] },
    [
      `FieldValueInvalid|spec.validations[0].expression|Invalid value: "request.userInfo.username == 1": compilation failed: ERROR: <input>:1:27: found no matching overload for '_==_' applied to '(string, int)'\n | request.userInfo.username == 1\n | ..........................^`,
    ],
  ],
  [
    { validations: [{ expression: 'params.x == 1' }] },
    [
      `FieldValueInvalid|spec.validations[0].expression|Invalid value: "params.x == 1": compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params.x == 1\n | ^`,
    ],
  ],
  [{ validations: [{ expression: 'params.x == 1' }], paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }, []],
  [
    { validations: [{ expression: 'variables.x == 1' }] },
    [
      `FieldValueInvalid|spec.validations[0].expression|Invalid value: "variables.x == 1": compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')\n | variables.x == 1\n | ^`,
    ],
  ],
  [{ validations: [{ expression: 'variables.x == 1' }], variables: [{ name: 'x', expression: '1' }] }, []],
  [
    { validations: [{ expression: 'variables.y == 1' }], variables: [{ name: 'x', expression: '1' }] },
    [
      `FieldValueInvalid|spec.validations[0].expression|Invalid value: "variables.y == 1": compilation failed: ERROR: <input>:1:10: undefined field 'y'\n | variables.y == 1\n | .........^`,
    ],
  ],
  [
    { validations: [{ expression: 'variables.x == "a"' }], variables: [{ name: 'x', expression: '1' }] },
    [
      `FieldValueInvalid|spec.validations[0].expression|Invalid value: "variables.x == \\"a\\"": compilation failed: ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(int, string)'\n | variables.x == "a"\n | ............^`,
    ],
  ],
  [
    { validations: [{ expression: 'variables.x == 1' }], variables: [{ name: 'x', expression: 'nope' }] },
    [
      `FieldValueInvalid|spec.variables[0].expression|Invalid value: "nope": compilation failed: ERROR: <input>:1:1: undeclared reference to 'nope' (in container '')\n | nope\n | ^`,
    ],
  ],
  [
    {
      validations: [{ expression: 'variables.x == 1' }],
      variables: [
        { name: '1x', expression: '1' },
        { name: '', expression: '' },
      ],
    },
    [
      'FieldValueInvalid|spec.variables[0].name|Invalid value: "1x": must be a valid CEL identifier',
      'FieldValueRequired|spec.variables[1].name|Required value: name is not specified',
      'FieldValueRequired|spec.variables[1].expression|Required value: expression is not specified',
      `FieldValueInvalid|spec.validations[0].expression|Invalid value: "variables.x == 1": compilation failed: ERROR: <input>:1:10: undefined field 'x'\n | variables.x == 1\n | .........^`,
    ],
  ],
  [
    {
      validations: [{ expression: 'variables.b' }],
      variables: [
        { name: 'b', expression: 'variables.a == 1' },
        { name: 'a', expression: '1' },
      ],
    },
    [
      `FieldValueInvalid|spec.variables[0].expression|Invalid value: "variables.a == 1": compilation failed: ERROR: <input>:1:10: undefined field 'a'\n | variables.a == 1\n | .........^`,
      'FieldValueInvalid|spec.validations[0].expression|Invalid value: "variables.b": must evaluate to bool but got dyn',
    ],
  ],
  [
    {
      validations: [
        { expression: 'variables.l == ["a"] && variables.m.x == 1 && variables.o.foo && variables.op.hasValue()' },
      ],
      variables: [
        { name: 'l', expression: '["a"]' },
        { name: 'm', expression: '{"x": 1}' },
        { name: 'o', expression: 'request' },
        { name: 'op', expression: 'optional.of(1)' },
      ],
    },
    [],
  ],
  [{ validations: [{ expression: 'authorizer.group("").resource("pods").check("get").allowed()' }] }, []],
  [{ validations: [{ expression: 'authorizer.requestResource.check("get").allowed()' }] }, []],
  [
    { validations: [{ expression: 'authorizer.requestResource.foo' }] },
    [
      `FieldValueInvalid|spec.validations[0].expression|Invalid value: "authorizer.requestResource.foo": compilation failed: ERROR: <input>:1:27: unexpected failed resolution of 'kubernetes.authorization.ResourceCheck'\n | authorizer.requestResource.foo\n | ..........................^`,
    ],
  ],
  [
    { validations: [{ expression: 'true', messageExpression: 'authorizer.path("/").check("get").reason()' }] },
    [
      `FieldValueInvalid|spec.validations[0].messageExpression|Invalid value: "authorizer.path(\\"/\\").check(\\"get\\").reason()": compilation failed: ERROR: <input>:1:1: undeclared reference to 'authorizer' (in container '')\n | authorizer.path("/").check("get").reason()\n | ^`,
    ],
  ],
  [
    { validations: [{ expression: 'true', messageExpression: '1' }] },
    ['FieldValueInvalid|spec.validations[0].messageExpression|Invalid value: "1": must evaluate to string but got int'],
  ],
  [
    { validations: [{ expression: 'true', messageExpression: ' ' }] },
    ['FieldValueInvalid|spec.validations[0].messageExpression|Invalid value: " ": must be non-empty if specified'],
  ],
  [
    { validations: [{ expression: 'true', message: 'a\nb' }] },
    ['FieldValueInvalid|spec.validations[0].message|Invalid value: "a\\nb": must not contain line breaks'],
  ],
  [
    { validations: [{ expression: 'true', message: ' ' }] },
    ['FieldValueInvalid|spec.validations[0].message|Invalid value: " ": must be non-empty if specified'],
  ],
  [
    { validations: [{ expression: 'true', reason: 'Bad' }] },
    [
      'FieldValueNotSupported|spec.validations[0].reason|Unsupported value: "Bad": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ],
  ],
  [
    { validations: [{ expression: 'true', reason: 'Unauthorized' }] },
    [
      'FieldValueNotSupported|spec.validations[0].reason|Unsupported value: "Unauthorized": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ],
  ],
  [
    { validations: [{ expression: '' }] },
    ['FieldValueRequired|spec.validations[0].expression|Required value: expression is not specified'],
  ],
  [
    { validations: [{ expression: ' ' }] },
    ['FieldValueRequired|spec.validations[0].expression|Required value: expression is not specified'],
  ],
  [
    {},
    [
      'FieldValueRequired|spec.validations|Required value: validations or auditAnnotations must contain at least one item',
      'FieldValueRequired|spec.auditAnnotations|Required value: validations or auditAnnotations must contain at least one item',
    ],
  ],
  [
    { validations: [] },
    [
      'FieldValueRequired|spec.validations|Required value: validations or auditAnnotations must contain at least one item',
      'FieldValueRequired|spec.auditAnnotations|Required value: validations or auditAnnotations must contain at least one item',
    ],
  ],
  [
    {
      auditAnnotations: [
        { key: 'a', valueExpression: '"x"' },
        { key: 'a', valueExpression: 'null' },
      ],
    },
    ['FieldValueDuplicate|spec.auditAnnotations[1].key|Duplicate value: "a"'],
  ],
  [
    {
      auditAnnotations: [
        { key: 'a b', valueExpression: '1' },
        { key: '', valueExpression: '' },
      ],
    },
    [
      `FieldValueInvalid|spec.auditAnnotations[0].key|Invalid value: "p/a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      'FieldValueInvalid|spec.auditAnnotations[0].valueExpression|Invalid value: "1": must evaluate to one of [string null_type] but got int',
      'FieldValueInvalid|spec.auditAnnotations[1].key|Invalid value: "p/": name part must be non-empty',
      `FieldValueInvalid|spec.auditAnnotations[1].key|Invalid value: "p/": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      'FieldValueRequired|spec.auditAnnotations[1].valueExpression|Required value: valueExpression is not specified',
    ],
  ],
  [
    {
      validations: [{ expression: 'true' }],
      matchConditions: [
        { name: 'a', expression: 'true' },
        { name: 'a', expression: '1' },
        { name: '', expression: '' },
        { name: 'b c', expression: 'variables.x' },
      ],
    },
    [
      'FieldValueInvalid|spec.matchConditions[1].expression|Invalid value: "1": must evaluate to bool but got int',
      'FieldValueDuplicate|spec.matchConditions[1].name|Duplicate value: "a"',
      'FieldValueRequired|spec.matchConditions[2].expression|Required value',
      'FieldValueRequired|spec.matchConditions[2].name|Required value',
      `FieldValueInvalid|spec.matchConditions[3].expression|Invalid value: "variables.x": compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')\n | variables.x\n | ^`,
      `FieldValueInvalid|spec.matchConditions[3].name|Invalid value: "b c": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
  ],
  [
    { validations: [{ expression: 'true' }], failurePolicy: 'Bad' },
    ['FieldValueNotSupported|spec.failurePolicy|Unsupported value: "Bad": supported values: "Fail", "Ignore"'],
  ],
  [
    { validations: [{ expression: 'true' }], paramKind: { apiVersion: 'a/b/c', kind: '' } },
    [
      'FieldValueInvalid|spec.paramKind.apiVersion|Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      'FieldValueRequired|spec.paramKind.kind|Required value',
    ],
  ],
  [
    { validations: [{ expression: 'true' }], paramKind: { apiVersion: 'A_/v1', kind: 'a b' } },
    [
      `FieldValueInvalid|spec.paramKind.apiVersion|Invalid value: "A_": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      `FieldValueInvalid|spec.paramKind.kind|Invalid value: "a b": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`,
    ],
  ],
  [
    { validations: [{ expression: 'true' }], paramKind: { apiVersion: 'x.io/', kind: 'K' } },
    ['FieldValueInvalid|spec.paramKind.apiVersion|Invalid value: "x.io/": version must be specified'],
  ],
  [
    { validations: [{ expression: 'true' }], paramKind: { apiVersion: '', kind: 'K' } },
    ['FieldValueRequired|spec.paramKind.apiVersion|Required value'],
  ],
  [
    { validations: [{ expression: 'true' }], paramKind: { apiVersion: '/', kind: 'K' } },
    ['FieldValueInvalid|spec.paramKind.apiVersion|Invalid value: "/": version must be specified'],
  ],
  [
    { validations: [{ expression: 'true' }], matchConstraints: {} },
    ['FieldValueRequired|spec.matchConstraints.resourceRules|Required value'],
  ],
  [
    { validations: [{ expression: 'true' }], matchConstraints: { resourceRules: [{}] } },
    [
      'FieldValueRequired|spec.matchConstraints.resourceRules[0].operations|Required value',
      'FieldValueRequired|spec.matchConstraints.resourceRules[0].apiGroups|Required value',
      'FieldValueRequired|spec.matchConstraints.resourceRules[0].apiVersions|Required value',
      'FieldValueRequired|spec.matchConstraints.resourceRules[0].resources|Required value',
    ],
  ],
  [
    {
      validations: [{ expression: 'true' }],
      matchConstraints: {
        matchPolicy: 'Bad',
        namespaceSelector: { matchLabels: { 'a b': 'x y' } },
        objectSelector: {
          matchExpressions: [
            { key: 'a', operator: 'Bad' },
            { key: 'a', operator: 'In' },
          ],
        },
        resourceRules: [
          {
            apiGroups: ['*', ''],
            apiVersions: ['*', ''],
            operations: ['*', 'X'],
            resources: ['*/*', 'a', '', 'b/*', 'b/c', '*/d', 'x/d'],
            scope: 'Bad',
            resourceNames: ['a', 'a', 'b/c'],
          },
        ],
        excludeResourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['*', 'pods'] },
        ],
      },
    },
    [
      'FieldValueNotSupported|spec.matchConstraints.matchPolicy|Unsupported value: "Bad": supported values: "Equivalent", "Exact"',
      `FieldValueInvalid|spec.matchConstraints.namespaceSelector.matchLabels|Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      `FieldValueInvalid|spec.matchConstraints.namespaceSelector.matchLabels|Invalid value: "x y": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      'FieldValueInvalid|spec.matchConstraints.objectSelector.matchExpressions[0].operator|Invalid value: "Bad": not a valid selector operator',
      "FieldValueRequired|spec.matchConstraints.objectSelector.matchExpressions[1].values|Required value: must be specified when `operator` is 'In' or 'NotIn'",
      'FieldValueDuplicate|spec.matchConstraints.resourceRules[0].resourceNames[1]|Duplicate value: "a"',
      `FieldValueInvalid|spec.matchConstraints.resourceRules[0].resourceNames[2]|Invalid value: "b/c": may not contain '/'`,
      `FieldValueInvalid|spec.matchConstraints.resourceRules[0].operations|Invalid value: ["*","X"]: if '*' is present, must not specify other operations`,
      'FieldValueNotSupported|spec.matchConstraints.resourceRules[0].operations[1]|Unsupported value: "X": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
      `FieldValueInvalid|spec.matchConstraints.resourceRules[0].apiGroups|Invalid value: ["*",""]: if '*' is present, must not specify other API groups`,
      `FieldValueInvalid|spec.matchConstraints.resourceRules[0].apiVersions|Invalid value: ["*",""]: if '*' is present, must not specify other API versions`,
      'FieldValueRequired|spec.matchConstraints.resourceRules[0].apiVersions[1]|Required value',
      'FieldValueRequired|spec.matchConstraints.resourceRules[0].resources[2]|Required value',
      `FieldValueInvalid|spec.matchConstraints.resourceRules[0].resources[3]|Invalid value: "b/*": if '*/*' is present, must not specify b/*`,
      `FieldValueInvalid|spec.matchConstraints.resourceRules[0].resources[4]|Invalid value: "b/c": if 'b/*' is present, must not specify b/c`,
      `FieldValueInvalid|spec.matchConstraints.resourceRules[0].resources[5]|Invalid value: "*/d": if '*/*' is present, must not specify */d`,
      `FieldValueInvalid|spec.matchConstraints.resourceRules[0].resources[6]|Invalid value: "x/d": if '*/d' is present, must not specify x/d`,
      `FieldValueInvalid|spec.matchConstraints.resourceRules[0].resources|Invalid value: ["*/*","a","","b/*","b/c","*/d","x/d"]: if '*/*' is present, must not specify other resources`,
      'FieldValueNotSupported|spec.matchConstraints.resourceRules[0].scope|Unsupported value: "Bad": supported values: "*", "Cluster", "Namespaced"',
      `FieldValueInvalid|spec.matchConstraints.excludeResourceRules[0].resources|Invalid value: ["*","pods"]: if '*' is present, must not specify other resources without subresources`,
    ],
  ],
  [
    { validations: [{ expression: 'object.x.matches("[")' }] },
    [
      'FieldValueInvalid|spec.validations[0].expression|Invalid value: "object.x.matches(\\"[\\")": compilation failed: ERROR: <input>:1:18: invalid matches argument\n | object.x.matches("[")\n | .................^',
    ],
  ],
  [{ validations: [{ expression: 'namespaceObject.metadata.name == "x"' }] }, []],
  [
    { validations: [{ expression: 'namespaceObject.metadata.foo == "x"' }] },
    [
      `FieldValueInvalid|spec.validations[0].expression|Invalid value: "namespaceObject.metadata.foo == \\"x\\"": compilation failed: ERROR: <input>:1:25: undefined field 'foo'\n | namespaceObject.metadata.foo == "x"\n | ........................^`,
    ],
  ],
  [
    { validations: [{ expression: 'url("a").x == 1' }] },
    [
      `FieldValueInvalid|spec.validations[0].expression|Invalid value: "url(\\"a\\").x == 1": compilation failed: ERROR: <input>:1:9: unexpected failed resolution of 'kubernetes.URL'\n | url("a").x == 1\n | ........^`,
    ],
  ],
  [{ validations: [{ expression: 'request.options.dryRun == [""]' }] }, []],
  [{ validations: [{ expression: '"%s".format([object]) == "a"' }] }, []],
  [{ validations: [{ expression: 'oldObject.x == object.x || has(object.metadata)' }] }, []],
  [
    { validations: [{ expression: 'int("x") == 1' }] },
    [
      "InternalError|spec.validations[0].expression|Internal error: program instantiation failed: type conversion error from 'string' to 'int'",
    ],
  ],
  [{ validations: [{ expression: 'object.list.all(x, x.y)' }] }, []],
  [
    { validations: [{ expression: 'variables == 1' }] },
    [
      `FieldValueInvalid|spec.validations[0].expression|Invalid value: "variables == 1": compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')\n | variables == 1\n | ^`,
    ],
  ],
  [
    { validations: [{ expression: 'oldSelf == self' }] },
    [
      `FieldValueInvalid|spec.validations[0].expression|Invalid value: "oldSelf == self": compilation failed: ERROR: <input>:1:1: undeclared reference to 'oldSelf' (in container '')\n | oldSelf == self\n | ^\nERROR: <input>:1:12: undeclared reference to 'self' (in container '')\n | oldSelf == self\n | ...........^`,
    ],
  ],
  [
    { validations: [{ expression: '[1,2,"a"].size() == 3' }] },
    [
      `FieldValueInvalid|spec.validations[0].expression|Invalid value: "[1,2,\\"a\\"].size() == 3": compilation failed: ERROR: <input>:1:6: expected type 'int' but found 'string'\n | [1,2,"a"].size() == 3\n | .....^`,
    ],
  ],
  [
    { validations: [{ expression: 'object.metadata.labels.map(k, k == 1)' }] },
    [
      'FieldValueInvalid|spec.validations[0].expression|Invalid value: "object.metadata.labels.map(k, k == 1)": must evaluate to bool but got list(bool)',
    ],
  ],
  [{ validations: [{ expression: 'type(object) == int' }] }, []],
  [{ validations: [{ expression: 'authorizer == authorizer' }] }, []],
];

export const bindings: readonly Row[] = [
  [{ policyName: 'p', validationActions: ['Deny'] }, []],
  [
    {},
    [
      'FieldValueRequired|spec.policyName|Required value',
      'FieldValueRequired|spec.validationActions|Required value: at least one validation action is required',
    ],
  ],
  [
    { policyName: 'A_', validationActions: ['Deny', 'Warn', 'Bad', 'Deny'] },
    [
      `FieldValueInvalid|spec.policyName|Invalid value: "A_": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      'FieldValueNotSupported|spec.validationActions[2]|Unsupported value: "Bad": supported values: "Audit", "Deny", "Warn"',
      'FieldValueDuplicate|spec.validationActions[3]|Duplicate value: "Deny"',
      'FieldValueInvalid|spec.validationActions|Invalid value: ["Deny","Warn","Bad","Deny"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    ],
  ],
  [
    { policyName: 'p', validationActions: [] },
    ['FieldValueRequired|spec.validationActions|Required value: at least one validation action is required'],
  ],
  [
    { policyName: 'p', validationActions: ['Audit'], paramRef: {} },
    [
      'FieldValueRequired|spec.paramRef|Required value: one of name or selector must be specified',
      'FieldValueRequired|spec.paramRef.parameterNotFoundAction|Required value',
    ],
  ],
  [
    {
      policyName: 'p',
      validationActions: ['Audit'],
      paramRef: { name: 'a/b', selector: { matchLabels: { 'a b': '' } }, parameterNotFoundAction: 'Bad' },
    },
    [
      `FieldValueInvalid|spec.paramRef.name|Invalid value: "a/b": may not contain '/'`,
      'FieldValueForbidden|spec.paramRef.name|Forbidden: name and selector are mutually exclusive',
      `FieldValueInvalid|spec.paramRef.selector.matchLabels|Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      'FieldValueForbidden|spec.paramRef.selector|Forbidden: name and selector are mutually exclusive',
      'FieldValueNotSupported|spec.paramRef.parameterNotFoundAction|Unsupported value: "Bad": supported values: "Deny", "Allow"',
    ],
  ],
  [
    {
      policyName: 'p',
      validationActions: ['Audit'],
      paramRef: { name: 'x', parameterNotFoundAction: 'Allow' },
      matchResources: { resourceRules: [{ operations: ['CREATE'] }] },
    },
    [
      'FieldValueRequired|spec.matchResources.resourceRules[0].apiGroups|Required value',
      'FieldValueRequired|spec.matchResources.resourceRules[0].apiVersions|Required value',
      'FieldValueRequired|spec.matchResources.resourceRules[0].resources|Required value',
    ],
  ],
];
