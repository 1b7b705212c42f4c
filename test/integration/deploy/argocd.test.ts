import { beforeAll, expect, test } from '@jest/globals';

import type { AnyObject, ApiAnswer, ApiRequest } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

import { argoCdObjects, configWithToken } from '../../../src/domain/agent/argocd.js';
import { ACCOUNTS, AGENTS, CLUSTERS } from './agentattempts.js';
import { apply, merge as tried, post, remove, stored as written } from './attempts.js';
import { applyOverlay } from './overlay.js';

const NAMESPACE = 'argocd';
const SECRETS = `/api/v1/namespaces/${NAMESPACE}/secrets`;
const RBAC = `/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}`;
const OWN = `${SECRETS}/cluster-edge-1`;
const HUB_ADDRESS = 'https://kubernetes.default.svc';
/** As an API server makes them: three parts of base64url. */
const TOKEN = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJzeXN0ZW06c2VydmljZWFjY291bnQ6YSJ9.a-_Zz09';

type Data = Readonly<Record<string, string>>;
/** Written, so that what was stored can be compared. */
const merge = (path: string, body: unknown): ApiRequest => written(tried(path, body));
const encoded = (text: string): string => Buffer.from(text).toString('base64');
const decoded = (text = ''): string => Buffer.from(text, 'base64').toString();
/** A text as a string of JSON whose characters are all escaped, as those of a token are. */
const escaped = (text: string): string => Array.from(text, (one) => `\\u00${encodedHex(one)}`).join('');
const encodedHex = (one: string): string => one.charCodeAt(0).toString(16).padStart(2, '0');

/** Secrets as `cluster add --argo-cd` makes them, by their cluster. */
function objectsOf(cluster: string, uid = 'uid'): readonly AnyObject[] {
  const owner = { apiVersion: 'cluster.fleetmgmt.io/v1alpha1', kind: 'ManagedCluster', name: cluster, uid };
  const of = { cluster, server: `https://${cluster}:6443`, ca: 'CERTIFICATE', namespaces: ['web'] };
  return argoCdObjects({ ...of, argoCdNamespace: NAMESPACE }, owner);
}

const dataOf = (object: AnyObject | undefined): Data => Object(object)['data'];
const CONFIG = decoded(dataOf(objectsOf('edge-1')[0])['config']);
/** The configuration up to the token, and after it. */
const [HEAD = '', TAIL = ''] = configWithToken(CONFIG, '~').split('\\u007e');

const data = (changed: Readonly<Record<string, string | null>>): ApiRequest =>
  merge(OWN, {
    data: Object.fromEntries(
      Object.entries(changed).map(([key, value]) => [key, value === null ? null : encoded(value)]),
    ),
  });
const config = (text: string): ApiRequest => data({ config: text });
const meta = (metadata: object): ApiRequest => merge(OWN, { metadata });
const command = '"execProviderConfig":{"command":"sh","args":["-c","id"]}';

/** What a stolen token of an agent could gain on the hub if its Secret were its own. */
const ATTACKS: readonly (readonly [string, ApiRequest])[] = [
  ['turn the address to the hub', data({ server: HUB_ADDRESS })],
  ['turn the address to the hub, and give no token', data({ server: HUB_ADDRESS, config: '{}' })],
  ['take the name of another cluster', data({ name: 'edge-2' })],
  ['widen the namespaces', data({ namespaces: 'web,kube-system' })],
  ['remove the namespaces', data({ namespaces: null })],
  ['ask for rights on cluster-scoped objects', data({ clusterResources: 'true' })],
  ['move to another project', data({ project: 'default' })],
  ['add a key by stringData', merge(OWN, { stringData: { server: HUB_ADDRESS } })],
  ['change the configuration by stringData', merge(OWN, { stringData: { config: `{${command}}` } })],
  ['remove the configuration', data({ config: null })],
  ['remove all data', merge(OWN, { data: null })],
  ['match another ApplicationSet by a label', meta({ labels: { tier: 'gold' } })],
  ['be no cluster of Argo CD any more', meta({ labels: { 'argocd.argoproj.io/secret-type': null } })],
  ['have Argo CD refresh by an annotation', meta({ annotations: { 'argocd.argoproj.io/refresh': 'hard' } })],
  ['survive the ManagedCluster', meta({ ownerReferences: null })],
  ['keep the Secret by a finalizer', meta({ finalizers: ['example.com/x'] })],
  ['make the Secret immutable', merge(OWN, { immutable: true })],
  ['run a command in a pod of Argo CD', config(`{${command}}\n`)],
  ['run a command, after the certificates', config(`${HEAD}${escaped(TOKEN)}",${command}}`)],
  ['run a command, before them', config(`{${command},${CONFIG.slice(1)}`)],
  ['end the text of the token by a quotation mark', config(`${HEAD}a",${command},"username":"b${TAIL}`)],
  [
    'end it, where each other character is escaped',
    config(`${HEAD}${escaped('a')}",${command},"c":"${escaped('b')}${TAIL}`),
  ],
  ['escape a quotation mark wrongly', config(`${HEAD}${escaped('a')}\\"${TAIL}`)],
  ['leave the token empty', config(HEAD + TAIL)],
  ['put a line break into the token', config(HEAD + escaped('a\r\nX-Remote-User: admin') + TAIL)],
  ['write the token without escapes', config(HEAD + TOKEN + TAIL)],
  ['append another value', config(`${HEAD}${escaped(TOKEN)}${TAIL}{${command}}`)],
  [
    'skip the verification of certificates',
    config(HEAD.replace('{"caData"', '{"insecure":true,"caData"') + escaped('a') + TAIL),
  ],
  [
    'replace the certificates',
    config(HEAD.replace(encoded('CERTIFICATE'), encoded('certificate')) + escaped('a') + TAIL),
  ],
  ['write the same value in another form', config(JSON.stringify(JSON.parse(configWithToken(CONFIG, TOKEN))))],
  ['write more than 64 KiB', config(HEAD + escaped('a'.repeat(9_000)) + TAIL)],
  ['write a text that is no base64 of a configuration', merge(OWN, { data: { config: encoded(HEAD).slice(0, -4) } })],
];

/** Objects in the namespace of Argo CD that are not the agent's. */
const FOREIGN: readonly (readonly [string, ApiRequest])[] = [
  ['the Secret of another cluster', merge(`${SECRETS}/cluster-edge-2`, { data: { config: encoded('{}') } })],
  ['the Secret of another cluster, by an apply', apply(`${SECRETS}/cluster-edge-2`, objectsOf('edge-2')[0] ?? {})],
  ['a Secret of Argo CD', merge(`${SECRETS}/argocd-secret`, { data: { 'server.secretkey': encoded('x') } })],
  ['a Secret that did not exist', post(SECRETS, { ...objectsOf('edge-3')[0], metadata: { name: 'cluster-edge-3' } })],
  ['its Secret, by a deletion', remove(OWN)],
  ['its Role', merge(`${RBAC}/roles/cluster-edge-1`, { rules: [] })],
];
/** What RBAC allows an agent whom somebody has given all rights on Secrets. */
const BY_POLICY = FOREIGN.slice(0, 5);

describeWithServer('the token that an agent hands over to Argo CD', { own: true }, (server) => {
  let stolen = '';

  const send = (request: ApiRequest): Promise<ApiAnswer> => server().call({ ...request, token: stolen });
  /** Returns the uid. */
  const create = async (path: string, given: AnyObject): Promise<string> => {
    const { status, text, body } = await server().call({ method: 'POST', path, body: given });
    if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`);
    return body.metadata?.uid ?? '';
  };
  const stored = async (path = OWN): Promise<AnyObject> => {
    const { body } = await server().call({ path });
    return { ...body, metadata: { ...body.metadata, resourceVersion: '', managedFields: [] } };
  };

  beforeAll(async () => {
    await applyOverlay(server(), 'default');
    await waitFor('the CRDs to be established', async () => (await server().call({ path: CLUSTERS })).status === 200);
    await create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    const other = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'argocd-secret' } };
    await create(SECRETS, other);
    for (const cluster of ['edge-1', 'edge-2']) {
      await create(ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: cluster } });
      const fleet = { apiVersion: 'cluster.fleetmgmt.io/v1alpha1', kind: 'ManagedCluster' };
      const uid = await create(CLUSTERS, { ...fleet, metadata: { name: cluster } });
      const [secret, role, binding] = objectsOf(cluster, uid);
      await create(SECRETS, secret ?? {});
      await create(`${RBAC}/roles`, role ?? {});
      await create(`${RBAC}/rolebindings`, binding ?? {});
    }
    stolen = await server().tokenFor({ serviceAccount: { namespace: AGENTS, name: 'edge-1' } });
    await waitFor('the policy', async (seen) => {
      const { status, text } = await send(tried(OWN, { data: { config: encoded('{}') } }));
      seen(text);
      return status === 403 && text.includes('multicluster-engine-argo-cd');
    });
  }, 120_000);

  test('the token of an agent can replace the token, and read the Secret back', async () => {
    for (const token of [TOKEN, 'a', 'ab', 'abc', `${TOKEN}.${TOKEN}`]) {
      const { status, text } = await send(config(configWithToken(CONFIG, token)));
      expect(status === 200 ? '' : text).toBe('');
      const found = await send({ path: OWN });
      expect(JSON.parse(decoded(dataOf(found.body)['config']))).toEqual({
        tlsClientConfig: { caData: encoded('CERTIFICATE') },
        bearerToken: token,
      });
    }
  });

  test.each(ATTACKS)('the token of an agent cannot %s', async (_way, request) => {
    const before = await stored();
    const { status, text } = await send(request);

    expect({ status, text }).toEqual({
      status: 403,
      text: expect.stringContaining('an agent may change the token of Argo CD alone'),
    });
    expect(await stored()).toEqual(before);
  });

  test('the token of an agent can neither read nor write other objects there', async () => {
    const reads = ['', '/cluster-edge-2', '/argocd-secret'].map((name): ApiRequest => ({ path: `${SECRETS}${name}` }));
    const ways = [...FOREIGN.map(([, request]) => request), ...reads];

    expect(await Promise.all(ways.map(async (one) => (await send(one)).status))).toEqual(ways.map(() => 403));
  });

  test('no agent takes its Secret to another form, which its next token would be put into', async () => {
    const path = `${SECRETS}/cluster-edge-2`;
    const token = await server().tokenFor({ serviceAccount: { namespace: AGENTS, name: 'edge-2' } });
    const other = merge(path, { data: { config: encoded('{"username":"a"}') } });
    expect((await server().call(other)).status).toBe(200);
    const handOver = merge(path, { data: { config: encoded(configWithToken(CONFIG, TOKEN)) } });
    const { status } = await server().call({ ...handOver, token });
    expect(status).toBe(403);
  });

  test('with all rights on Secrets an agent still changes no other Secret', async () => {
    const rights = { apiGroups: [''], resources: ['secrets'], verbs: ['*'] };
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'all' },
      rules: [rights],
    };
    await create(`${RBAC}/roles`, role);
    await create(`${RBAC}/rolebindings`, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'all' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'all' },
      subjects: [{ kind: 'ServiceAccount', namespace: AGENTS, name: 'edge-1' }],
    });
    await waitFor('the rights', async () => (await send({ path: SECRETS })).status === 200);

    for (const [, request] of BY_POLICY) {
      const { status, text } = await send(request);
      expect({ status, text }).toEqual({ status: 403, text: expect.stringContaining('multicluster-engine-argo-cd') });
    }
  });
});
