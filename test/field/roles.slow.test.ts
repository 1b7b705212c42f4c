/**
 * Nobody could tell which role a person needs: no page said that installing gives rights to everybody with `view`, `edit` or
 * `admin`, and no role of the product sufficed for `check`, which named none.
 *
 * Right is: docs/how-to/roles.md has a row for each job. Whoever has what its commands bind may run the commands that the row
 * names and no other, and may do with each kind what its last table says and nothing else.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { kindsServed } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { kubectl } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import {
  ManagedClusters,
  ManagedClusterSetBindings,
  ManagedClusterSets,
  MultiClusterEngines,
  PlacementDecisions,
  Placements,
} from '../../src/api/resources.js';
import { pathWithKubectl } from '../support/clients/kubectl.js';
import { applyOverlay } from '../support/hub/overlays.js';
import { readPage } from '../support/repository/documents.js';
import { stepsIn } from '../support/repository/markdown.js';
import { root } from '../support/repository/root.js';
import { ReaderSession } from '../support/repository/session.js';
import { Fleet, PlacementServerRig } from '../support/rigs/server/placement.js';

const LONG_MS = 580_000;
const PROGRAM = path.join(root, 'dist', 'src', 'main.js');
const PAGE = readPage('docs/how-to/roles.md');
/** The person and the group of each job, as the page has them. */
const PEOPLE: Readonly<Record<string, { readonly user: string; readonly groups: readonly string[] }>> = {
  looks: { user: 'ann', groups: ['on-call'] },
  'runs the Placements of a namespace': { user: 'ben', groups: ['shop-team'] },
  'owns one cluster set': { user: 'cleo', groups: ['production-owners'] },
  'owns all clusters': { user: 'dan', groups: ['fleet-owners'] },
  'runs the hub': { user: 'eve', groups: ['hub-admins'] },
};
const JOBS = Object.keys(PEOPLE);

/** By the name that the page has. Each leaves the hub as the next one needs it. */
const COMMANDS: Readonly<Record<string, string>> = {
  explain: 'explain placement web -n shop',
  plan: 'plan --set mcl/prod-us-1:tier=x',
  'who-selects': 'who-selects prod-us-1',
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
  'clusterset bind': 'clusterset bind production -n shop',
  cordon: 'cordon prod-us-1',
  drain: 'drain prod-us-1 --yes --timeout=1m',
  uncordon: 'uncordon prod-us-1',
};
/** What an administrator does before: without it there is nothing to do, and no right is needed. */
const BEFORE: Readonly<Record<string, readonly string[]>> = {
  pause: ['resume'],
  resume: ['pause'],
  cordon: ['uncordon'],
  drain: ['uncordon', 'resume'],
  uncordon: ['cordon'],
};
const EVERYBODY = Object.keys(COMMANDS).slice(0, 8);

const KINDS = [
  Placements,
  PlacementDecisions,
  ManagedClusterSetBindings,
  ManagedClusters,
  ManagedClusterSets,
  MultiClusterEngines,
];
const READING = ['get', 'list', 'watch'];
const VERBS = [...READING, 'create', 'update', 'patch', 'delete', 'deletecollection'];
/** Of the set owner's names, and of nobody's. */
const NAMES = [undefined, 'production', 'prod-us-1', 'another'];

/** The rows of the table whose first header this is, without the header. */
function rowsOf(header: string): readonly (readonly string[])[] {
  const [, text = ''] = PAGE.split(`| ${header} |`);
  const lines = text.slice(text.indexOf('\n') + 1).split('\n');
  const end = lines.findIndex((line) => !line.startsWith('|'));
  return lines.slice(1, end).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

/** The commands that the row of a job names, besides those that everybody has. */
function commandsOf(job: string): readonly string[] {
  const text = rowsOf('job').find(([name]) => name === job)?.[2] ?? '';
  return [...text.matchAll(/`([^`]+)`/g)].map(([, one = '']) => one).filter((one) => one in COMMANDS);
}

/** What a cell of the table of kinds allows. */
interface Allowed {
  readonly verbs: readonly string[];
  readonly where: 'there' | 'by name' | undefined;
}

/** By resource: what a job may do besides reading. */
function allowed(job: string): ReadonlyMap<string, readonly Allowed[]> {
  const column = JOBS.indexOf(job);
  return new Map(
    rowsOf('resource').map(([resource = '', ...cells]) => {
      // Who looks has no column.
      const parts = (cells[column - 1] ?? '').split(';').filter((part) => part !== '');
      return [resource.replaceAll('`', ''), parts.map(partOf)];
    }),
  );
}

function partOf(text: string): Allowed {
  const [, verbs = '', where] = /^([a-z, ]+?)(?: \(.*\))?(?:: (there|by name))?$/.exec(text.trim()) ?? [];
  if (verbs === '' || verbs.split(', ').some((verb) => !VERBS.includes(verb)))
    throw new Error(`the table has a part that cannot be read: ${text}`);
  return { verbs: verbs.split(', '), where: where === 'there' || where === 'by name' ? where : undefined };
}

interface Asked {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string | undefined;
  readonly verb: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

/** Every kind, its status and `bind`, with every verb, in the namespace of the tenant and in another one. */
function questions(): readonly Asked[] {
  return KINDS.flatMap((kind) => {
    const { group, plural: resource, namespaced } = kind;
    const subresources = [undefined, 'status', ...(kind === ManagedClusterSets ? ['bind'] : [])];
    const namespaces = namespaced ? ['shop', 'library'] : [undefined];
    return subresources.flatMap((subresource) =>
      VERBS.flatMap((verb) =>
        namespaces.flatMap((namespace) =>
          NAMES.map((name) => ({ group, resource, subresource, verb, namespace, name })),
        ),
      ),
    );
  });
}

/** Whether the page says that who has the job may do this. */
function isSaid(table: ReturnType<typeof allowed>, { resource, subresource, verb, namespace, name }: Asked): boolean {
  if (subresource === undefined && READING.includes(verb)) return true;
  const own = resource === 'managedclusters' ? 'prod-us-1' : 'production';
  const parts = table.get(subresource === undefined ? resource : `${resource}/${subresource}`) ?? [];
  return parts.some(
    ({ verbs, where }) =>
      verbs.includes(verb) &&
      (where === undefined || (where === 'there' && namespace === 'shop') || (where === 'by name' && name === own)),
  );
}

const USERS = [...Object.values(PEOPLE), { user: 'frank', groups: [] }];

describeWithServer('the roles of people', { own: true, users: USERS }, (server) => {
  let fleet: Fleet;
  let running: PlacementServerRig;

  const kubeconfigOf = (job: string): Promise<string> => server().kubeconfigFor(PEOPLE[job] ?? { user: 'frank' });

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
    for (const before of BEFORE[name] ?? []) run(server().adminKubeconfig, COMMANDS[before] ?? before);
    const { status, text } = run(kubeconfig, COMMANDS[name] ?? name);
    return name === 'check' ? status === 1 && !text.includes('not readable') : status === 0;
  }

  /** Whether the server lets a person do this. */
  async function isAllowed(job: string, resourceAttributes: Asked): Promise<boolean> {
    const { user, groups = [] } = PEOPLE[job] ?? {};
    const { status, body, text } = await server().call({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      body: { spec: { user, groups: [...groups, 'system:authenticated'], resourceAttributes } },
    });
    if (status !== 201) throw new Error(`subjectaccessreviews: ${status} ${text}`);
    return Object(body.status).allowed === true;
  }

  beforeAll(async () => {
    await applyOverlay(server(), 'default');
    await kindsServed(server());
    fleet = new Fleet(server());
    // The set that its owner binds to the namespace is not that of the decision.
    for (const set of ['production', 'fleet']) await fleet.set(set);
    await fleet.namespace('shop', 'fleet');
    for (const name of ['prod-eu-1', 'edge-us-1']) await fleet.cluster(name, 'fleet', { tier: 'gold' });
    // Nothing selects the one that is drained: while a command runs, the controller in this process does not.
    await fleet.cluster('prod-us-1', 'fleet', { tier: 'silver' });
    const gold = { requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'gold' } } } };
    await fleet.place('shop', 'web', { numberOfClusters: 1, predicates: [gold] });
    running = new PlacementServerRig(server());
    await waitFor(
      'the decision',
      async () => (await fleet.placement('shop', 'web'))?.status?.numberOfSelectedClusters === 1,
    );
  }, LONG_MS);
  afterAll(async () => {
    await running.stop();
    await fleet.close();
  }, LONG_MS);

  it(
    'the commands of the page bind the roles, and print what the page shows',
    async () => {
      const env = { PATH: pathWithKubectl(), KUBECONFIG: server().adminKubeconfig };
      const reader = new ReaderSession(server().folder, env);
      for (const step of stepsIn(PAGE)) await reader.shows(step);
    },
    LONG_MS,
  );

  it.each(JOBS)(
    'who %s may run the commands that the page says, and no other',
    async (job) => {
      const kubeconfig = await kubeconfigOf(job);
      const wanted = new Set([...EVERYBODY, ...commandsOf(job)]);

      expect(Object.keys(COMMANDS).filter((name) => suffices(kubeconfig, name))).toEqual(
        Object.keys(COMMANDS).filter((name) => wanted.has(name)),
      );
    },
    LONG_MS,
  );

  it.each(JOBS)(
    'who %s may do with each kind what the page says, and nothing else',
    async (job) => {
      const table = allowed(job);
      const differs: Asked[] = [];
      for (const asked of questions()) if ((await isAllowed(job, asked)) !== isSaid(table, asked)) differs.push(asked);

      expect(differs).toEqual([]);
      expect(questions().filter((asked) => isSaid(table, asked)).length).toBeGreaterThan(0);
    },
    LONG_MS,
  );

  it(
    'who owns one set may not cordon a cluster that the role does not name, nor bind another set',
    async () => {
      const kubeconfig = await kubeconfigOf('owns one cluster set');

      expect(run(kubeconfig, 'cordon edge-us-1')).toMatchObject({
        status: 1,
        text: expect.stringContaining('forbidden'),
      });
      const input = JSON.stringify({
        apiVersion: 'cluster.fleetmgmt.io/v1alpha1',
        kind: 'ManagedClusterSetBinding',
        metadata: { name: 'fleet', namespace: 'default' },
        spec: { clusterSet: 'fleet' },
      });
      expect(await kubectl(['create', '-f', '-'], { kubeconfig, input })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('needs the right to create managedclustersets/bind'),
      });
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
      const apply = async (job: string): Promise<number> =>
        (await kubectl(['apply', '-f', '-'], { kubeconfig: await kubeconfigOf(job), input })).code;

      expect([await apply('looks'), await apply('runs the hub')]).toEqual([1, 0]);
    },
    LONG_MS,
  );

  it('the tables of the page have every job, every command, and the roles that its commands bind', () => {
    const jobs = rowsOf('job');
    const named = jobs.flatMap(([, bindings = '']) => [...bindings.matchAll(/`multicluster-engine-([a-z-]+)`/g)]);
    const bound = stepsIn(PAGE).flatMap(({ command }) => [...command.matchAll(/role=multicluster-engine-([a-z-]+)/g)]);
    const roles = (matches: readonly RegExpExecArray[]): readonly string[] =>
      [...new Set(matches.map(([, role = '']) => role))].filter((role) => role !== 'agents').sort();

    expect(jobs.map(([job]) => job)).toEqual(JOBS);
    expect(new Set(JOBS.flatMap(commandsOf))).toEqual(new Set(Object.keys(COMMANDS)));
    expect(roles(named)).toEqual(roles(bound));
  });

  it(
    'check names the role that has the right which it lacks',
    async () => {
      const { text } = run(await kubeconfigOf('has no role'), 'check');

      expect(text).toContain(
        'not readable: validatingadmissionpolicies (list: 403): ClusterRole multicluster-engine-reader grants it: docs/how-to/roles.md',
      );
    },
    LONG_MS,
  );
});
