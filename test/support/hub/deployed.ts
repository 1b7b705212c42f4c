import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { load, loadAll } from 'js-yaml';

import { AGENTS_NAMESPACE, COMPONENT_ROLE_PREFIX, DEFAULT_TARGET_NAMESPACE } from '../../../src/api/names.js';
import type { AnyObject } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import { kindsServed } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import type { ControlPlane, Subject } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { applyOverlay } from './overlays.js';
import { root } from '../repository/root.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { fields } from '../scenario/checks/reading.js';

const COMPONENT = 'placement-controller';

/** The account of the placement controller, as its component declares it. */
export const ACCOUNT: Subject = { serviceAccount: { namespace: DEFAULT_TARGET_NAMESPACE, name: COMPONENT } };

/** The ClusterRoleBinding of the placement controller. */
export const BINDING_PATH = `/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/${COMPONENT_ROLE_PREFIX}${COMPONENT}`;

const BINDINGS: readonly string[] = ['ClusterRoleBinding', 'RoleBinding'];

const ENGINE: AnyObject = {
  apiVersion: 'multicluster.platform.io/v1alpha1',
  kind: 'MultiClusterEngine',
  metadata: { name: 'engine' },
};

/**
 * Applies the default overlay as a user does and an engine, and of the placement controller's component what the
 * operator would: its ServiceAccount and its bindings (which the policies refuse where there is no engine).
 */
export async function deploy(server: ControlPlane): Promise<void> {
  await applyOverlay(server, 'default');
  await makeNamespaces(server, [DEFAULT_TARGET_NAMESPACE]);
  await install(server);
  await kindsServed(server);
  await applyObject(server, ENGINE);
  for (const object of component()) if (object.kind === 'ServiceAccount') await applyObject(server, object);
  await bind(server);
}

/** Applies the definitions of `crds/` and waits until each is served. */
export async function install(server: ControlPlane): Promise<void> {
  const folder = path.join(root, 'crds');
  for (const file of readdirSync(folder)) {
    const crd: AnyObject = fields(load(readFileSync(path.join(folder, file), 'utf8')));
    const name = crd.metadata?.name ?? '';
    const address = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
    await waitFor(`CRD ${name} to be applied and served`, async (seen) => {
      const applied = await server.call({
        method: 'PATCH',
        path: `${address}?fieldManager=script&force=true`,
        contentType: 'application/apply-patch+yaml',
        body: crd,
      });
      seen(`${applied.status} ${applied.text.slice(0, 500)}`);
      if (applied.status >= 300 || applied.body.metadata?.deletionTimestamp !== undefined) return false;
      const plural = name.slice(0, name.indexOf('.'));
      const list = await server.call({ path: `/apis/${name.slice(plural.length + 1)}/v1alpha1/${plural}?limit=1` });
      seen(`${list.status} ${list.text.slice(0, 500)}`);
      return list.status === 200;
    });
  }
}

export async function makeNamespaces(server: ControlPlane, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const { status, text } = await server.call({
      method: 'POST',
      path: '/api/v1/namespaces',
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    });
    if (status !== 201 && status !== 409) throw new Error(`namespace ${name}: ${status} ${text}`);
  }
}

/** Puts the rights of the placement controller back. */
export async function bind(server: ControlPlane): Promise<void> {
  for (const object of component()) if (BINDINGS.includes(object.kind ?? '')) await applyObject(server, object);
}

function component(): AnyObject[] {
  const folder = path.join(root, 'deploy', 'components', COMPONENT);
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  return files.flatMap((name) =>
    loadAll(readFileSync(path.join(folder, name), 'utf8')).map((one): AnyObject => fields(one)),
  );
}

const COLLECTIONS: Readonly<Record<string, string>> = {
  MultiClusterEngine: '/apis/multicluster.platform.io/v1alpha1/multiclusterengines',
  ServiceAccount: `/api/v1/namespaces/${DEFAULT_TARGET_NAMESPACE}/serviceaccounts`,
  ClusterRoleBinding: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  RoleBinding: `/apis/rbac.authorization.k8s.io/v1/namespaces/${AGENTS_NAMESPACE}/rolebindings`,
};

/** How long a started or restarted server may take to find the kind of a policy's parameters: it polls every 30 s. */
const POLICY_MS = 90_000;

async function applyObject(server: ControlPlane, object: AnyObject): Promise<void> {
  const collection = COLLECTIONS[object.kind ?? ''] ?? '';
  const request = {
    method: 'PATCH',
    path: `${collection}/${object.metadata?.name ?? ''}?fieldManager=script&force=true`,
    contentType: 'application/apply-patch+yaml',
    body: object,
  } as const;
  const { status, text } = await waitFor(
    'the policies to find their parameters',
    async (seen) => {
      const answer = await server.call(request);
      seen(answer.text);
      return /failed to configure (policy|binding)/.test(answer.text) ? undefined : answer;
    },
    { deadlineMs: POLICY_MS, everyMs: 500 },
  );
  if (status >= 300) throw new Error(`${object.kind ?? ''} ${object.metadata?.name ?? ''}: ${status} ${text}`);
}
