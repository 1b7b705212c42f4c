import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ManagedClusters, ManagedClusterSets, Placements } from '../../../src/api/resources.js';
import { apiVersionOf } from '../../../src/runtime/vocabulary/kinds.js';
import type { PlacementSpec } from '../../../src/api/generated/placement.js';
import { eventOf } from '../../../src/runtime/events/event.js';
import { WRITES } from '@multicluster-engine/kube-apiserver/testing/controlplane/audit';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { Fleet, PlacementServerRig } from '../../support/rigs/server/placement.js';
import { root } from '../../support/repository/root.js';

const LONG_MS = 300_000;
const PROGRAM = path.join(root, 'dist', 'src', 'main.js');
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const placementReference = { apiVersion: apiVersionOf(Placements), kind: Placements.kind };
const AGENT = / \(explain\)$/;

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `explain` as a process, without a terminal. */
async function run(kubeconfig: string, ...argv: readonly string[]): Promise<Outcome> {
  const args = [PROGRAM, 'explain', ...argv, '--kubeconfig', kubeconfig];
  try {
    return { code: 0, ...(await promisify(execFile)(process.execPath, args, { timeout: 60_000 })) };
  } catch (error) {
    const { code, stdout, stderr } = error as Outcome;
    return { code, stdout, stderr };
  }
}

const labels = (matchLabels: Record<string, string>): PlacementSpec => ({
  numberOfClusters: 1,
  predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels } } }],
});

describeWithServer('explain on a server', { own: true, capabilities: ['requestLog'] }, (server) => {
  let fleet: Fleet;
  let running: PlacementServerRig;
  const admin = (): string => server().adminKubeconfig;

  beforeAll(async () => {
    await installCrds(server());
    fleet = new Fleet(server());
    await fleet.set('edge');
    await fleet.set('production');
    await fleet.namespace('shop', 'edge', 'production');
    await fleet.cluster('edge-1', 'edge', { tier: 'silver' });
    await fleet.cluster('prod-1', 'production', { tier: 'gold' });
    await fleet.claim('prod-1', { platform: 'Google Cloud' });
    running = new PlacementServerRig(server());
    await running.synced();
  }, LONG_MS);
  afterAll(async () => {
    await running.stop();
    await fleet.close();
  }, LONG_MS);

  const phase = (name: string, wanted: string): Promise<true> =>
    waitFor(`${name} to be ${wanted}`, async (seen) => {
      const found = (await fleet.placement('shop', name))?.status?.phase;
      seen(found);
      return found === wanted || undefined;
    });

  it('explain says what the controller has published, and only reads', async () => {
    await fleet.place('shop', 'web', labels({ tier: 'gold' }));
    await phase('web', 'Satisfied');
    const mark = await server().logMark();
    const { code, stdout, stderr } = await run(admin(), 'placement', 'web', '-n', 'shop');
    const requests = (await server().requestLog({ after: mark })).filter((one) => AGENT.test(one.userAgent));

    expect(stderr).toBe('');
    expect(stdout.split('\n')).toEqual([
      'shop/web: Satisfied, 1 wanted, cluster sets edge, production',
      "1/2 clusters are selected: 1 didn't match label tier=gold.",
      'CLUSTER  VERDICT     RANK  WHY',
      'prod-1   Selected    1     predicate 0, kept',
      'edge-1   NotMatched  -     label tier=silver, wanted tier=gold',
      '',
    ]);
    expect(code).toBe(0);
    expect(requests.map((one) => `${one.verb} ${one.resource}`).sort()).toEqual([
      'get placements',
      'list events',
      'list managedclusters',
      'list managedclustersetbindings',
      'list managedclustersetbindings',
      'list managedclustersets',
      'list placementdecisions',
      'list placementdecisions',
      'list placements',
    ]);
    expect(requests.filter((one) => WRITES.some((verb) => verb === one.verb))).toEqual([]);
  });

  it('a cluster that left is explained with the events about it, and with no others', async () => {
    await event('web', 'removed 1 cluster: prod-9');
    await event('other', 'removed 1 cluster: prod-8');
    const { stdout } = await run(admin(), 'placement', 'web', '-n', 'shop', '--cluster', 'prod-9');

    expect(stdout).toMatch(
      /^ManagedCluster prod-9 was not found: it is not in cluster sets edge, production\n\d+ [sm] ago: removed 1 cluster: prod-9\n$/,
    );
    expect((await run(admin(), 'placement', 'web', '-n', 'shop', '--cluster', 'prod-8')).code).toBe(1);
  });

  it('what the caller may not read is reported, and nothing is guessed', async () => {
    const kubeconfig = await server().kubeconfigFor({ user: 'alice' });
    await put(`${RBAC}/clusterroles`, {
      metadata: { name: 'tenant' },
      rules: [
        {
          apiGroups: ['cluster.fleetmgmt.io'],
          resources: ['placements', 'placementdecisions', 'managedclustersetbindings'],
          verbs: ['get', 'list'],
        },
      ],
    });
    await put(`${RBAC}/namespaces/shop/rolebindings`, {
      metadata: { name: 'tenant' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'tenant' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'alice' }],
    });
    const seen = await waitFor('the rights of the tenant', async () => {
      const outcome = await run(kubeconfig, 'placement', 'web', '-n', 'shop');
      return outcome.code === 3 ? outcome : undefined;
    });

    expect(seen.stdout.split('\n')).toEqual([
      'shop/web: Satisfied, 1 wanted, cluster sets not known',
      '1 cluster is selected.',
      `not readable: ${ManagedClusters.plural} (list: 403), ${ManagedClusterSets.plural} (list: 403): verdicts Unknown; the rest is from status and decisions`,
      'CLUSTER  VERDICT  RANK  WHY',
      'prod-1   Unknown  -     not readable',
      'not readable: events (list: 403): which clusters left earlier is not known',
      '',
    ]);
  });

  it.each([
    ['a Placement that does not exist', ['placement', 'nope', '-n', 'shop'], 'Placement shop/nope was not found'],
    ['a context that does not exist', ['placement', 'web', '--context', 'nope'], 'there is no context "nope"'],
    ['a user that may read nothing', ['placement', 'web', '-n', 'shop', '--as', 'nobody'], 'nobody'],
  ])('%s ends with code 1 and one line', async (_what, argv, message) => {
    const { code, stdout, stderr } = await run(admin(), ...argv);

    expect(stdout).toBe('');
    expect(stderr).toMatch(/^multicluster-engine explain: [^\n]+\n$/);
    expect(stderr).toContain(message);
    expect(code).toBe(1);
  });

  /** An event about a Placement, as the controller's recorder writes it. */
  async function event(placement: string, note: string): Promise<void> {
    const regarding = { ...placementReference, metadata: { namespace: 'shop', name: placement } };
    const event = { regarding, type: 'Normal', reason: 'DecisionChanged', action: 'Schedule', note } as const;
    const reporter = { controller: 'cluster.fleetmgmt.io/placement', instance: 'test', fieldManager: 'test' };
    await put('/apis/events.k8s.io/v1/namespaces/shop/events', eventOf(event, reporter, Date.now(), 0));
  }

  async function put(at: string, body: unknown): Promise<void> {
    const { status, text } = await server().call({ method: 'POST', path: at, body });
    if (status !== 201) throw new Error(`POST ${at}: ${status} ${text}`);
  }
});
