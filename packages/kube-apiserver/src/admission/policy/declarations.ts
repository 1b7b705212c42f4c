import {
  BOOL,
  DYN,
  INT,
  STRING,
  TIMESTAMP,
  isOptional,
  listOf,
  mapOf,
  parameterOf,
  struct,
  type CelType,
  joinLibraries,
  type Declarations,
  type Functions,
  baseFunctions,
} from '@multicluster-engine/cel';
import { authz } from './authz.js';

type Fields = Readonly<Record<string, CelType>>;

const TEXTS = listOf(STRING);
const LABELS = mapOf(STRING, STRING);
const KIND = struct('kubernetes.GroupVersionKind');
const RESOURCE = struct('kubernetes.GroupVersionResource');
const USER = struct('kubernetes.UserInfo');

/** Type name of `variables`. */
const VARIABLES = 'kubernetes.variables';

/** Fields of the types that policy expressions can use. */
const TYPES: Readonly<Record<string, Fields>> = {
  [KIND.name]: { group: STRING, version: STRING, kind: STRING },
  [RESOURCE.name]: { group: STRING, version: STRING, resource: STRING },
  [USER.name]: { username: STRING, uid: STRING, groups: TEXTS, extra: mapOf(STRING, TEXTS) },
  'kubernetes.AdmissionRequest': {
    kind: KIND,
    resource: RESOURCE,
    subResource: STRING,
    requestKind: KIND,
    requestResource: RESOURCE,
    requestSubResource: STRING,
    name: STRING,
    namespace: STRING,
    operation: STRING,
    userInfo: USER,
    dryRun: BOOL,
    options: DYN,
  },
  'kubernetes.Namespace': {
    metadata: struct('kubernetes.NamespaceMetadata'),
    spec: struct('kubernetes.NamespaceSpec'),
    status: struct('kubernetes.NamespaceStatus'),
  },
  'kubernetes.NamespaceMetadata': {
    name: STRING,
    generateName: STRING,
    namespace: STRING,
    labels: LABELS,
    annotations: LABELS,
    UID: STRING,
    creationTimestamp: TIMESTAMP,
    deletionGracePeriodSeconds: INT,
    deletionTimestamp: TIMESTAMP,
    generation: INT,
    resourceVersion: STRING,
    finalizers: TEXTS,
  },
  'kubernetes.NamespaceSpec': { finalizers: TEXTS },
  'kubernetes.NamespaceStatus': { conditions: listOf(struct('kubernetes.NamespaceCondition')), phase: STRING },
  'kubernetes.NamespaceCondition': {
    status: STRING,
    type: STRING,
    lastTransitionTime: TIMESTAMP,
    message: STRING,
    reason: STRING,
  },
};

const fieldMaps = new Map(Object.entries(TYPES).map(([name, fields]) => [name, new Map(Object.entries(fields))]));

let functions: Functions | undefined;

/** All functions for policies: the common ones, and those of the authorizer. */
function policyFunctions(): Functions {
  functions ??= joinLibraries(baseFunctions(), authz().functions);
  return functions;
}

export interface Declared {
  readonly params: boolean;
  readonly authorizer: boolean;
  /** Types of the policy's variables; undefined where `variables` is not declared. */
  readonly variables: ReadonlyMap<string, CelType> | undefined;
}

/** The names that an expression of a policy can use. */
export function declarePolicy({ params, authorizer, variables }: Declared): Declarations {
  const names = new Map<string, CelType>([
    ['object', DYN],
    ['oldObject', DYN],
    ['namespaceObject', struct('kubernetes.Namespace')],
    ['request', struct('kubernetes.AdmissionRequest')],
  ]);
  if (params) names.set('params', DYN);
  if (variables !== undefined) names.set('variables', struct(VARIABLES));
  if (authorizer) {
    names.set('authorizer', struct('kubernetes.authorization.Authorizer'));
    names.set('authorizer.requestResource', struct('kubernetes.authorization.ResourceCheck'));
  }
  return {
    functions: policyFunctions(),
    variables: names,
    fields: (name) => (name === VARIABLES ? variables : fieldMaps.get(name)),
  };
}

/** The declared type of a policy variable: structs and optionals are dyn. */
export function variableType(type: CelType): CelType {
  if (type.kind === 'list') return listOf(variableType(parameterOf(type)));
  if (type.kind === 'map') return mapOf(variableType(parameterOf(type)), variableType(parameterOf(type, 1)));
  return type.kind === 'struct' || type.kind === 'opaque' || type.kind === 'type' || isOptional(type) ? DYN : type;
}
