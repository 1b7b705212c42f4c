/**
 * Nobody could tell which role a person needs: no page said that installing gives rights to everybody with `view`, `edit` or
 * `admin`, and no role of the product sufficed for `check`, which named none.
 *
 * Right is: docs/security.md has a row for each job, its bindings suffice for the commands that the row names, and for no
 * command of another row.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { kindsServed } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { kubectl } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { applyOverlay } from '../support/hub/overlays.js';
import { root } from '../support/repository/root.js';
import { Fleet, PlacementServerRig } from '../support/rigs/server/placement.js';

const LONG_MS = 580_000;
const PROGRAM = path.join(root, 'dist', 'src', 'main.js');
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
/** One for each job; the last has no role. */
const USERS = ['alice', 'bob', 'carol', 'dave', 'erin'] as const;

/** By the name that the page has. Each leaves the hub as the next one needs it. */
const COMMANDS: Readonly<Record<string, string>> = {
  explain: 'explain placement web -n shop',
  plan: 'plan --set mcl/prod-1:tier=x',
  'who-selects': 'who-selects prod-1',
  tree: 'tree -A',
  status: 'status',
  check: 'check',
  history: 'history placement web -n shop',
  'cluster list': 'cluster list',
  pause: 'pause placement web -n shop',
  resume: 'resume placement web -n shop',
  release: 'release placement web -n shop --clusters *',
  'cluster add': 'cluster add edge-1 --image registry.example.com/agent:1 --hub-url https://hub.example.com:6443',
  'cluster remove': 'cluster remove edge-1',
  'clusterset bind': 'clusterset bind spare -n shop',
  cordon: 'cordon prod-1',
  drain: 'drain prod-1 --yes --timeout=1m',
  uncordon: 'uncordon prod-1',
};
/** What an administrator does before: without it there is nothing to do, and no right is needed. */
const BEFORE: Readonly<Record<string, string>> = {
  pause: 'resume',
  resume: 'pause',
  cordon: 'uncordon',
  drain: 'uncordon',
  uncordon: 'cordon',
};
const EVERYBODY = Object.keys(COMMANDS).slice(0, 8);

/** By the first cell of the page: its bindings, as `NAMESPACE/ROLE` with a RoleBinding. */
const JOBS: Readonly<Record<string, readonly string[]>> = {
  looks: ['multicluster-engine-reader'],
  'runs the Placements of a namespace': ['multicluster-engine-reader', 'shop/multicluster-engine-edit'],
  'owns clusters': [
    'multicluster-engine-reader',
    'multicluster-engine-cluster-owner',
    'multicluster-engine-enroller',
    'multicluster-engine-agents/multicluster-engine-enroller',
  ],
  'runs the hub': ['multicluster-engine-reader', 'multicluster-engine-hub-admin'],
};

/** The commands that each row names, without those of who looks, which the others have too. */
function rows(): ReadonlyMap<string, { readonly bindings: string; readonly commands: readonly string[] }> {
  const page =
    readFileSync(path.join(root, 'docs', 'security.md'), 'utf8')
      .split('## People')[1]
      ?.split('\n## ')[0] ?? '';
  const cells = [...page.matchAll(/^\| ([a-z].*?) \| (.*?) \| (.*?) \|$/gm)].slice(1);
  return new Map(
    cells.map(([, job = '', bindings = '', text = '']) => [
      job,
      {
        bindings,
        commands: [...text.matchAll(/`([^`]+)`/g)].map(([, one = '']) => one).filter((one) => one in COMMANDS),
      },
    ]),
  );
}

describeWithServer('the roles of people', { own: true }, (server) => {
  let fleet: Fleet;
  let running: PlacementServerRig;

  async function put(path_: string, body: unknown): Promise<void> {
    const { status, text } = await server().call({ method: 'POST', path: path_, body });
    if (status !== 201) throw new Error(`POST ${path_}: ${status} ${text}`);
  }

  async function grant(user: string, binding: string): Promise<void> {
    const [role = '', namespace] = binding.split('/').reverse();
    const kind = namespace === 'multicluster-engine-agents' ? 'Role' : 'ClusterRole';
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name: role };
    const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user }];
    const where = namespace === undefined ? 'clusterrolebindings' : `namespaces/${namespace}/rolebindings`;
    await put(`${RBAC}/${where}`, { metadata: { name: `${user}-${role}` }, roleRef, subjects });
  }

  function run(kubeconfig: string, command: string): { readonly status: number | null; readonly text: string } {
    const args = [PROGRAM, ...command.split(' '), '--kubeconfig', kubeconfig];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      env: {},
      timeout: 90_000,
    });
    return { status, text: `${stdout}${stderr}` };
  }

  /** `check` of a hub without an operator fails; what counts is that it could do every check. */
  function suffices(kubeconfig: string, name: string): boolean {
    const before = COMMANDS[BEFORE[name] ?? ''];
    if (before !== undefined) run(server().adminKubeconfig, before);
    const { status, text } = run(kubeconfig, COMMANDS[name] ?? name);
    return name === 'check' ? status === 1 && !text.includes('not readable') : status === 0;
  }

  beforeAll(async () => {
    await applyOverlay(server(), 'default');
    await kindsServed(server());
    fleet = new Fleet(server());
    for (const set of ['production', 'spare']) await fleet.set(set);
    await fleet.namespace('shop', 'production');
    for (const name of ['prod-1', 'prod-2']) await fleet.cluster(name, 'production', { tier: 'gold' });
    await fleet.place('shop', 'web', { numberOfClusters: 1 });
    running = new PlacementServerRig(server());
    await waitFor(
      'the decision',
      async () => (await fleet.placement('shop', 'web'))?.status?.numberOfSelectedClusters === 1,
    );
    for (const [index, bindings] of Object.values(JOBS).entries())
      for (const binding of bindings) await grant(USERS[index] ?? '', binding);
  }, LONG_MS);
  afterAll(async () => {
    await running.stop();
    await fleet.close();
  }, LONG_MS);

  it.each(Object.keys(JOBS))(
    'who %s may run the commands that the page says, and no other',
    async (job) => {
      const kubeconfig = await server().kubeconfigFor({ user: USERS[Object.keys(JOBS).indexOf(job)] ?? '' });
      const said = rows().get(job);
      const wanted = new Set([...EVERYBODY, ...(said?.commands ?? [])]);

      expect(Object.keys(COMMANDS).filter((name) => suffices(kubeconfig, name))).toEqual(
        Object.keys(COMMANDS).filter((name) => wanted.has(name)),
      );
    },
    LONG_MS,
  );

  it(
    'who runs the hub may write its engine, and who looks may not',
    async () => {
      const input = JSON.stringify({
        apiVersion: 'multicluster.platform.io/v1alpha1',
        kind: 'MultiClusterEngine',
        metadata: { name: 'engine' },
      });
      const apply = async (user: string): Promise<number> =>
        (await kubectl(['apply', '-f', '-'], { kubeconfig: await server().kubeconfigFor({ user }), input })).code;

      expect([await apply('alice'), await apply('dave')]).toEqual([1, 0]);
    },
    LONG_MS,
  );

  it('the page names the roles of each binding, and every command in one row', () => {
    const page = rows();

    expect([...page.keys()]).toEqual(Object.keys(JOBS));
    for (const [job, bindings] of Object.entries(JOBS))
      for (const role of bindings.map((one) => one.split('/').at(-1) ?? one))
        expect([job, page.get(job)?.bindings]).toEqual([
          job,
          expect.stringMatching(role.endsWith('-reader') ? /multicluster-engine-reader|the same/ : role),
        ]);
    expect([...page.values()].flatMap(({ commands }) => commands).sort()).toEqual(Object.keys(COMMANDS).sort());
  });

  it(
    'check names the role that has the right which it lacks',
    async () => {
      const { text } = run(await server().kubeconfigFor({ user: 'erin' }), 'check');

      expect(text).toContain(
        'not readable: validatingadmissionpolicies (list: 403): ClusterRole multicluster-engine-reader grants it: docs/security.md#people',
      );
    },
    LONG_MS,
  );
});
