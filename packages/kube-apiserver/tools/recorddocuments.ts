import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { digest, digests } from '../test/unit/discovery/digest.js';
import { KEYWORDS_CRD } from '../test/unit/discovery/keywords.js';
import { THING } from '../test/unit/discovery/thing.js';
import { ROWS } from '../test/unit/table/rows.js';
import type { Node, Send } from './http.js';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const CUSTOM = 'apis/o6.example.com/v1';
const GROUP_VERSIONS = [
  'api/v1',
  'apis/apps/v1',
  'apis/events.k8s.io/v1',
  'apis/coordination.k8s.io/v1',
  'apis/policy/v1',
  'apis/networking.k8s.io/v1',
  'apis/rbac.authorization.k8s.io/v1',
  'apis/apiextensions.k8s.io/v1',
  'apis/admissionregistration.k8s.io/v1',
  'apis/authentication.k8s.io/v1',
  'apis/authorization.k8s.io/v1',
  CUSTOM,
  'apis/o6.example.com/v1alpha1',
];

/** Records the discovery and OpenAPI documents of kube-apiserver, and a Table of each kind. */
export async function recordDocuments(root: string, send: Send): Promise<void> {
  await send({ method: 'POST', target: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', body: THING });
  await served(send);
  const legacy: Record<string, unknown> = {
    api: (await send({ target: '/api' })).body,
    apis: (await send({ target: '/apis' })).body,
  };
  const openapi: Record<string, unknown> = {};
  for (const groupVersion of GROUP_VERSIONS) {
    legacy[groupVersion] = (await send({ target: `/${groupVersion}` })).body;
    openapi[groupVersion] = digests((await send({ target: `/openapi/v3/${groupVersion}` })).body);
  }
  const aggregated = {
    api: (await send({ target: '/api', accept: AGGREGATED })).body,
    apis: (await send({ target: '/apis', accept: AGGREGATED })).body,
  };
  const folder = path.join(root, 'test/unit/discovery/recorded');
  for (const [name, value] of Object.entries({ legacy, openapi, aggregated }))
    writeFileSync(path.join(folder, `${name}.json`), `${JSON.stringify(value, null, 1)}\n`);
  await recordSwagger(folder, send);
  writeFileSync(path.join(root, 'test/unit/table/recorded.json'), `${JSON.stringify(await tables(send), null, 1)}\n`);
}

/** The OpenAPI v2 document by digests, with the definition of unusual schemas in full. */
async function recordSwagger(folder: string, send: Send): Promise<void> {
  await send({ method: 'POST', target: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', body: KEYWORDS_CRD });
  const document = await until(send, '/openapi/v2', (body) =>
    Object.hasOwn(body['definitions'] as Node, 'com.example.odd.v2.Oddity'),
  );
  const each = (map: unknown): Node =>
    Object.fromEntries(Object.entries(map as Node).map(([name, value]) => [name, digest(value)]));
  const { paths, definitions, parameters, ...rest } = document;
  writeFileSync(
    path.join(folder, 'swagger.json'),
    `${JSON.stringify({ ...rest, paths: each(paths), definitions: each(definitions), parameters: each(parameters) }, null, 1)}\n`,
  );
}

/** A new definition is served asynchronously, and its OpenAPI document later still. */
async function served(send: Send): Promise<void> {
  await until(send, `/openapi/v3/${CUSTOM}`, (body) => body['paths'] !== undefined);
  await until(send, '/apis/o6.example.com/v1/things', (body) => body['items'] !== undefined);
}

async function until(send: Send, target: string, good: (body: Node) => boolean): Promise<Node> {
  for (let tried = 0; tried < 300; tried += 1) {
    const { body } = await send({ target });
    if (good(body)) return body;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${target}: the definition is not served`);
}

async function tables(send: Send): Promise<Record<string, Node>> {
  const found: Record<string, Node> = {};
  for (const { name, collection, object, status } of ROWS) {
    const made = await send({ method: 'POST', target: collection, body: object });
    if (made.code !== 201) throw new Error(JSON.stringify(made.body));
    const item = `${collection}/${encodeURIComponent((made.body['metadata'] as { readonly name: string }).name)}`;
    if (status !== undefined) await send({ method: 'PUT', target: `${item}/status`, body: { ...made.body, status } });
    const table = await send({ target: item, accept: TABLE });
    found[name] = {
      object: (await send({ target: item })).body,
      columns: table.body['columnDefinitions'],
      cells: ((table.body['rows'] as readonly Node[])[0] ?? {})['cells'],
    };
    await send({ method: 'DELETE', target: item });
  }
  return found;
}
