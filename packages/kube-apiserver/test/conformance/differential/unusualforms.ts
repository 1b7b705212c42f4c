import type { Dice } from '../../../testing/random.js';
import { isFields, type Value } from './features.js';
import type { RandomRequest } from './request.js';
import { yamlText } from './yamltext.js';

/** Gives some requests a YAML body, an unusual media type or an impersonated user. */
export function withUnusualForm(dice: Dice, move: RandomRequest): RandomRequest {
  const written = withText(dice, move);
  return withUser(dice, withTypes(dice, written));
}

function withText(dice: Dice, move: RandomRequest): RandomRequest {
  const { method, body, contentType } = move;
  const isApply = contentType === 'application/apply-patch+yaml';
  const takesYaml =
    isApply ||
    ((method === 'POST' || method === 'PUT') && (contentType === undefined || contentType === 'application/yaml'));
  if (body === undefined || !takesYaml || !dice.chance(0.12)) return move;
  return { ...move, contentType: isApply ? contentType : 'application/yaml', text: yamlText(dice, body) };
}

const BROKEN = [
  '',
  '{',
  '[]',
  'null',
  '"text"',
  '5',
  '{"kind":5}',
  '{"apiVersion":"v1","kind":"Odd"}',
  '{"metadata":{"name":"x"}} {}',
  '{"metadata":{"name":"x","name":"y"}}',
  "{'metadata': {}}",
  '{"metadata":[]}',
  '{"a":"\\ud800"}',
  '\uFEFF{}',
] as const;
const TYPES = [
  'text/plain',
  'application/xml',
  'application/json; charset=utf-8',
  'application/json;odd=1',
  'APPLICATION/JSON',
  'application/yaml; charset=utf-8',
  'application/cbor',
  'application/x-www-form-urlencoded',
  'json',
  '*/*',
  'application/merge-patch+json',
  'application/json-patch+json;v=1',
  'application/apply-patch+cbor',
] as const;
const ACCEPTS = [
  'application/*',
  'application/json;q=0.1, application/yaml',
  'application/yaml, application/json',
  'text/*',
  'application/json;pretty=1',
  'application/json; charset=utf-8',
  'application/json;stream=watch',
  'application/json;as=Table;g=meta.k8s.io;v=v1, application/json',
  'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json',
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1beta1',
  'application/json;as=Table;v=v1beta1;g=meta.k8s.io',
  'application/yaml;as=Table;v=v1;g=meta.k8s.io',
  'application/cbor',
  'application/cbor, application/json',
  ',',
  'json',
  'application/json;as=Table',
  'application/json;as=Table;g=meta.k8s.io;v=v1;pretty=1',
  'application/json;stream=watch, */*;q=0.1',
] as const;

function withTypes(dice: Dice, move: RandomRequest): RandomRequest {
  const accept: Partial<RandomRequest> = dice.chance(0.04) ? { accept: dice.pick(ACCEPTS) } : {};
  if (move.body === undefined || move.text !== undefined) return { ...move, ...accept };
  if (dice.chance(0.015))
    return {
      ...move,
      ...accept,
      text: dice.pick(BROKEN),
      ...(move.contentType === undefined ? { contentType: 'application/json' } : {}),
    };
  return { ...move, ...accept, ...(dice.chance(0.02) ? { contentType: dice.pick(TYPES) } : {}) };
}

/** Impersonated users. The groups get their permissions by {@link GRANTS}; no binding of a sequence names them. */
const USERS: readonly Readonly<Record<string, string | readonly string[]>>[] = [
  { 'Impersonate-User': 'someone' },
  { 'Impersonate-User': 'someone', 'Impersonate-Group': ['differential:readers'] },
  { 'Impersonate-User': 'someone', 'Impersonate-Group': ['differential:writers', 'differential:readers'] },
  {
    'Impersonate-User': 'chief',
    'Impersonate-Group': ['system:masters'],
    'Impersonate-Extra-Reason': ['test'],
    'Impersonate-Uid': '7',
  },
  { 'Impersonate-User': 'system:serviceaccount:{{namespace}}:someone' },
  { 'Impersonate-User': 'system:serviceaccount:{{namespace}}:some:one' },
  { 'Impersonate-User': 'system:anonymous' },
  { 'Impersonate-Group': ['differential:readers'] },
  { 'Impersonate-Uid': '7' },
];

function withUser(dice: Dice, move: RandomRequest): RandomRequest {
  return dice.chance(0.05) ? { ...move, headers: dice.pick(USERS) } : move;
}

const READ = ['get', 'list', 'watch'];
const grant = (name: string, rules: readonly Value[]): readonly Value[] => [
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: `differential:${name}` },
    rules,
  },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: `differential:${name}` },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: `differential:${name}` },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: `differential:${name}` }],
  },
];

/** Readers can read everything; writers can write ConfigMaps and Roles, without escalation of their permissions. */
export const GRANTS: readonly Value[] = [
  ...grant('readers', [{ apiGroups: ['*'], resources: ['*'], verbs: READ }]),
  ...grant('writers', [
    {
      apiGroups: ['', 'rbac.authorization.k8s.io'],
      resources: ['configmaps', 'roles', 'clusterroles'],
      verbs: ['create', 'update', 'patch'],
    },
  ]),
];

/** The collection of an object of {@link GRANTS}. */
export function grantPath(object: Value): string {
  return `/apis/rbac.authorization.k8s.io/v1/${isFields(object) && object['kind'] === 'ClusterRole' ? 'clusterroles' : 'clusterrolebindings'}`;
}
