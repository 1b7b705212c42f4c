import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ControlPlane } from '../testing/controlplane/plane.js';
import { startControlPlane } from '../testing/controlplane/start.js';
import { sender, type Node } from './http.js';

/** Writes src/data, here and in the package values, from a kube-apiserver and its Go structs: `npm run data`. */

/** The group-versions with the served kinds of each. */
const SERVED: Readonly<Record<string, readonly string[]>> = {
  'api/v1': ['Namespace', 'Node', 'Pod', 'PodTemplate', 'Secret', 'ConfigMap', 'ServiceAccount', 'Service', 'Event'],
  'apis/apps/v1': ['Deployment', 'ReplicaSet'],
  'apis/events.k8s.io/v1': ['Event'],
  'apis/coordination.k8s.io/v1': ['Lease'],
  'apis/policy/v1': ['PodDisruptionBudget'],
  'apis/networking.k8s.io/v1': ['NetworkPolicy'],
  'apis/rbac.authorization.k8s.io/v1': ['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding'],
  'apis/apiextensions.k8s.io/v1': ['CustomResourceDefinition'],
  'apis/admissionregistration.k8s.io/v1': ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'],
  'apis/authentication.k8s.io/v1': ['TokenReview', 'SelfSubjectReview'],
  'apis/authorization.k8s.io/v1': [
    'SubjectAccessReview',
    'SelfSubjectAccessReview',
    'LocalSubjectAccessReview',
    'SelfSubjectRulesReview',
  ],
};
/** Kinds of subresources, which are in the documents of their resources. */
const OF_SUBRESOURCES = ['Scale', 'TokenRequest'];
/** Schemas that documents of custom resources refer to, and those of embedded objects. */
const ALWAYS = [
  'DeleteOptions',
  'ObjectMeta',
  'ListMeta',
  'Status',
  'Patch',
  'APIGroup',
  'APIGroupList',
  'APIResourceList',
  'APIVersions',
  'WatchEvent',
];
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
/** Their `x-kubernetes-group-version-kind` contains the group of the document; discovery/openapi.ts adds it again. */
const PER_GROUP = [`${META}DeleteOptions`, `${META}WatchEvent`];
const REFERENCE = '#/components/schemas/';

const LICENSE = `/*
Copyright The Kubernetes Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/
`;

async function generate(root: string): Promise<void> {
  const structs = readStructs(root);
  const { definitions, parameters, columns, rights } = await readDocuments(Object.keys(structs));
  const folder = path.join(root, 'src/data');
  const values = path.join(root, '../values/src/data');
  for (const one of [folder, values]) mkdirSync(one, { recursive: true });
  writeFileSync(
    path.join(values, 'definitions.ts'),
    table('DEFINITIONS', definitions, [
      'Schemas of the built-in kinds, as JSON by name, from the OpenAPI documents that kube-apiserver publishes.',
    ]),
  );
  writeFileSync(
    path.join(folder, 'parameters.ts'),
    table('PARAMETERS', parameters, [
      'Query parameters of the API as OpenAPI documents describe them, as JSON by name.',
    ]),
  );
  writeFileSync(
    path.join(folder, 'columns.ts'),
    table('COLUMNS', columns, ['Columns of tables of the built-in kinds, as JSON by group and plural.']),
  );
  writeFileSync(
    path.join(folder, 'rights.ts'),
    table('RIGHTS', rights, [
      'Roles and bindings that every cluster begins with, as JSON by plural, namespace and name.',
    ]),
  );
  writeFileSync(
    path.join(values, 'structs.ts'),
    table('STRUCTS', structs, [
      'The Go structs behind the built-in kinds, as JSON by name of their schema: schemas.ts says what is in it.',
    ]),
  );
}

function readStructs(root: string): Record<string, unknown> {
  const cwd = path.join(root, 'testing/control-plane/kubernetes');
  const text = execFileSync('go', ['run', path.join(root, 'tools/structs.go')], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  return JSON.parse(text) as Record<string, unknown>;
}

interface Documents {
  readonly definitions: Record<string, unknown>;
  readonly parameters: Record<string, unknown>;
  readonly columns: Record<string, unknown>;
  readonly rights: Record<string, unknown>;
}

async function readDocuments(structs: readonly string[]): Promise<Documents> {
  const plane = await startControlPlane({ size: 'api', label: 'data' });
  try {
    const found: Record<string, unknown> = {};
    const parameters: Record<string, unknown> = {};
    for (const [groupVersion, kinds] of Object.entries(SERVED)) {
      const answer = await plane.call({ path: `/openapi/v3/${groupVersion}` });
      const document = JSON.parse(answer.text) as Node;
      for (const [name, schema] of Object.entries(reachable(document, kinds, structs))) {
        if (found[name] !== undefined && !isDeepStrictEqual(found[name], schema))
          throw new Error(`${name} differs between documents`);
        found[name] = schema;
      }
      if (groupVersion === 'apis/apps/v1') Object.assign(parameters, parametersOf(document));
    }
    return { definitions: found, parameters, columns: await readColumns(plane), rights: await readRights(plane) };
  } finally {
    await plane.stop();
  }
}

/** An empty list as a Table, for each resource that can be listed. */
async function readColumns(plane: ControlPlane): Promise<Record<string, unknown>> {
  const send = sender(plane);
  const found: Record<string, unknown> = {};
  for (const [groupVersion, kinds] of Object.entries(SERVED)) {
    const list = JSON.parse((await plane.call({ path: `/${groupVersion}` })).text) as {
      resources: readonly { name: string; kind: string; verbs: readonly string[] }[];
    };
    for (const { name } of list.resources.filter(
      (one) => kinds.includes(one.kind) && one.verbs.includes('list') && !one.name.includes('/'),
    )) {
      const answer = (await send({ target: `/${groupVersion}/${name}?limit=1`, accept: TABLE })).body;
      found[`${groupVersion === 'api/v1' ? '' : groupVersion.split('/')[1]}/${name}`] = answer['columnDefinitions'];
    }
  }
  return found;
}

/** The objects that kube-apiserver creates at its start, without system fields. */
async function readRights(plane: ControlPlane): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const kind of ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding']) {
    const plural = `${kind.toLowerCase()}s`;
    const list = JSON.parse((await plane.call({ path: `/apis/rbac.authorization.k8s.io/v1/${plural}` })).text) as {
      apiVersion: string;
      items: readonly Node[];
    };
    for (const { metadata, rules, ...rest } of list.items) {
      const { name, namespace, labels, annotations } = metadata as Node & {
        readonly name: string;
        readonly namespace?: string;
      };
      const object = {
        apiVersion: list.apiVersion,
        kind,
        metadata: { name, namespace, labels, annotations },
        ...rest,
        ...(rules === null ? {} : { rules }),
      };
      found[[plural, ...(namespace === undefined ? [] : [namespace]), name].join('/')] = object;
    }
  }
  return found;
}

/** The schemas that the operations of these kinds refer to, transitively. */
function reachable(document: Node, kinds: readonly string[], structs: readonly string[]): Record<string, unknown> {
  const schemas = at(at(document, 'components'), 'schemas');
  const todo = [...ALWAYS.map((name) => META + name), ...structs];
  for (const operations of Object.values(at(document, 'paths'))) {
    for (const operation of Object.values(operations as Node)) {
      const kind = at(operation as Node, 'x-kubernetes-group-version-kind')['kind'];
      if (typeof kind === 'string' && (kinds.includes(kind) || OF_SUBRESOURCES.includes(kind)))
        todo.push(...references(operation));
    }
  }
  const found: Record<string, unknown> = {};
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    const schema = schemas[name];
    if (schema === undefined || found[name] !== undefined) continue;
    found[name] = PER_GROUP.includes(name) ? withoutKinds(schema) : schema;
    todo.push(...references(schema));
  }
  return found;
}

/** Query parameters by name; the description of fieldManager differs for PATCH. */
function parametersOf(document: Node): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const operations of Object.values(at(document, 'paths'))) {
    for (const [method, operation] of Object.entries(operations as Node)) {
      const list = (method === 'parameters' ? operation : ((operation as Node)['parameters'] ?? [])) as readonly Node[];
      for (const one of list.filter((parameter) => parameter['in'] === 'query')) {
        found[method === 'patch' && one['name'] === 'fieldManager' ? 'fieldManager.patch' : String(one['name'])] = one;
      }
    }
  }
  return found;
}

function withoutKinds(schema: unknown): unknown {
  return Object.fromEntries(
    Object.entries(schema as Node).filter(([key]) => key !== 'x-kubernetes-group-version-kind'),
  );
}

function references(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner.slice(REFERENCE.length)] : references(inner),
  );
}

function at(node: Node, key: string): Node {
  return (node[key] ?? {}) as Node;
}

function table(name: string, values: Record<string, unknown>, about: readonly string[]): string {
  const rows = Object.keys(values)
    .sort()
    .map((key) => `  '${key}':\n    ${quote(JSON.stringify(values[key]))},\n`);
  const comment = about.map((line) => `// ${line}\n`).join('');
  return (
    `${LICENSE}\n// Made by tools/data.ts (npm run data) from Kubernetes 1.36.3. Do not edit.\n${comment}\n` +
    `export const ${name}: Readonly<Record<string, string>> = {\n${rows.join('')}};\n`
  );
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\u2028', '\\u2028')}'`;
}

await generate(process.cwd());
