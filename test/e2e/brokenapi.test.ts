import { beforeAll, beforeEach, expect, it } from '@jest/globals';

import type { ResourceType } from '../../src/runtime/vocabulary/meta.js';
import { ALLOW_DELETION_ANNOTATION, ALLOW_REMOVALS_ANNOTATION } from '../../src/api/names.js';
import { ManagedClusters, ManagedClusterSets, PlacementDecisions, Placements } from '../../src/api/resources.js';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { FAULTS } from '../support/proxy/fault.js';
import { KEPT, withRig } from '../support/scenario/run/campaign.js';
import { ACCOUNT, BINDING_PATH, bind, deploy } from '../support/scenario/run/deployed.js';
import { OPENING } from '../support/scenario/script/opening.js';
import { Dice } from '@multicluster-engine/kube-apiserver/testing/random';
import { fields, items, text, type Fields } from '../support/scenario/checks/reading.js';
import { pathOf, requestsFor } from '../support/scenario/script/requests.js';
import { decisionWrites, IDENTITY, withScene } from '../support/scenario/run/resting.js';
import { play, report, send } from '../support/scenario/run/runner.js';
import type { Scene } from '../support/scenario/run/scene.js';
import { script } from '../support/scenario/script/script.js';
import { crds, install, lax } from '../support/scenario/run/stage.js';
import { EMPTY, type Write } from '../support/scenario/script/world.js';
import { quietWindow, waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

const MINUTE = 60_000;
const SEED = Number(process.env['SCRIPT_SEED'] ?? 4);

function crdOf(type: ResourceType): string {
  return `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${type.plural}.${type.group}`;
}

async function annotate(server: ControlPlane, at: string, annotation: string, value: string): Promise<void> {
  const body = { metadata: { annotations: { [annotation]: value } } };
  await server.call({ method: 'PATCH', path: at, body, contentType: 'application/merge-patch+json' });
}

async function placements(server: ControlPlane): Promise<readonly Fields[]> {
  const { body } = await server.call({ path: `/apis/${Placements.group}/v1alpha1/${Placements.plural}` });
  return items(fields(body)['items']).map(fields);
}

/** Waits until every Placement has noted the new definition of `type`, and so holds no decision because of it any more. */
async function waitUntilNoted(server: ControlPlane, type: ResourceType): Promise<void> {
  const { body } = await server.call({ path: crdOf(type) });
  await waitFor(`every placement to know the definition of ${type.plural}`, async (seen) => {
    const known = (await placements(server)).map((one) => {
      const { basis } = fields(one['status']);
      return basis === undefined ? undefined : fields(fields(basis)['definitions'] ?? {})[type.plural];
    });
    seen(known);
    return known.every((uid) => uid === undefined || uid === body.metadata?.uid);
  });
}

async function removeCrd(server: ControlPlane, type: ResourceType): Promise<void> {
  await annotate(server, crdOf(type), ALLOW_DELETION_ANNOTATION, 'true');
  await server.call({ method: 'DELETE', path: crdOf(type) });
  await waitFor(
    `the CRD of ${type.plural} to be gone`,
    async () => (await server.call({ path: crdOf(type) })).status === 404,
  );
}

/** Creates all objects of one kind again, apart from the object named `without`. */
async function remake(
  server: ControlPlane,
  kind: Write['kind'],
  { scene, without }: { readonly scene: Scene; readonly without?: string },
): Promise<void> {
  const { clusters, sets, bindings, placements } = scene.world;
  const writes: Record<Write['kind'], Write[]> = {
    cluster: [...clusters].map(([name, to]) => ({ kind: 'cluster', name, to })),
    set: [...sets].map(([name, to]) => ({ kind: 'set', name, to })),
    binding: [...bindings].map(([name, to]) => ({ kind: 'binding', name, to })),
    placement: [...placements].map(([name, to]) => ({ kind: 'placement', name, to })),
  };
  for (const write of writes[kind]) {
    if (write.name === without) continue;
    for (const request of requestsFor(EMPTY, write)) await send(server, request);
  }
}

describeWithServer('a broken API', { own: true, capabilities: ['requestLog', 'restart'] }, (server) => {
  beforeAll(() => deploy(server(), 'lax'), 6 * MINUTE);
  beforeEach(async () => {
    await install(server(), crds().map(lax));
    await bind(server());
  }, 6 * MINUTE);

  it(
    'an API that is killed and restarted shrinks no decision, and reconciliation continues',
    async () => {
      await withScene(server(), async ({ rig, scene }) => {
        const mark = await server().logMark();
        await server().restart('SIGKILL');
        await quietWindow(2000);
        expect(await decisionWrites(server(), mark)).toEqual([]);
        await scene.stir();

        let killed = false;
        rig.proxy.plan = ({ write, resource }) => {
          if (killed || !write || resource !== 'placementdecisions') return undefined;
          killed = true;
          return { kind: 'interrupt', applied: true, passOn: false, run: () => server().restart('SIGKILL') };
        };
        await scene.step([{ kind: 'set', name: 'stage' }]);
        expect(killed).toBe(true);
        await scene.step([{ kind: 'set', name: 'stage', to: {} }]);
      });
    },
    8 * MINUTE,
  );

  // That of ManagedClusters is in a test below and in docs/how-to/recover-from-a-mistake.md, that of bindings in test/field/.
  it.each<[string, ResourceType, Write['kind'] | 'decision']>([
    ['ManagedClusterSets', ManagedClusterSets, 'set'],
    ['Placements', Placements, 'placement'],
    ['PlacementDecisions', PlacementDecisions, 'decision'],
  ])(
    'an API without the CRD of %s, and with it again, shrinks no decision, and reconciliation continues',
    async (_what, type, kind) => {
      await withScene(server(), async ({ rig, scene }) => {
        const mark = await server().logMark();
        await removeCrd(server(), type);
        await quietWindow(2000);
        expect(await decisionWrites(server(), mark)).toEqual([]);
        await install(server(), crds().map(lax));
        if (kind === 'decision') {
          await waitFor('the decisions to be back', () => rig.observer.objects('PlacementDecision').size >= 6);
          scene.frames.length = 0;
        } else {
          await remake(server(), kind, { scene });
          if (kind !== 'placement') await waitUntilNoted(server(), type);
        }
        await scene.step([]);
        if (kind !== 'decision' && kind !== 'placement') expect(await decisionWrites(server(), mark)).toEqual([]);
        await scene.stir();
      });
    },
    8 * MINUTE,
  );

  it(
    'an API whose CRD was created again without one of the clusters drops that one, but not before somebody releases it',
    async () => {
      await withScene(server(), async ({ scene }) => {
        const mark = await server().logMark();
        await removeCrd(server(), ManagedClusters);
        await install(server(), crds().map(lax));
        await remake(server(), 'cluster', { scene, without: 'member-001' });
        await waitFor('a placement to hold the cluster', async () =>
          (await placements(server())).some((one) =>
            items(fields(one['status'])['conditions'] ?? []).some(
              (condition) => fields(condition)['reason'] === 'DefinitionsReplaced',
            ),
          ),
        );
        expect(await decisionWrites(server(), mark)).toEqual([]);
        const until = new Date(Date.now() + 10 * MINUTE).toISOString();
        for (const one of await placements(server())) {
          const { namespace, name } = fields(one['metadata']);
          const at = pathOf(Placements, text(namespace));
          await annotate(server(), `${at}/${text(name)}`, ALLOW_REMOVALS_ANNOTATION, `${until}/*`);
        }
        await scene.forget('member-001');
        expect(await decisionWrites(server(), mark)).not.toEqual([]);
      });
    },
    8 * MINUTE,
  );

  it(
    'an API that revokes permissions and grants them again shrinks no decision, and reconciliation continues',
    async () => {
      await withScene(server(), async ({ rig, scene }) => {
        const mark = await server().logMark();
        const token = await server().tokenFor(ACCOUNT);
        await annotate(server(), BINDING_PATH, ALLOW_DELETION_ANNOTATION, 'true');
        await server().call({ method: 'DELETE', path: BINDING_PATH });
        // The authorizer observes it with a delay; a watch that was started before continues for minutes.
        await waitFor(
          'the right to be gone',
          async () => (await server().call({ path: pathOf(ManagedClusters), token })).status === 403,
        );
        rig.proxy.cutWatches();
        await waitFor('the controller to be refused', async () => {
          const log = await server().requestLog({ after: mark });
          return log.some(
            ({ code, userAgent, resource }) =>
              code === 403 && userAgent.endsWith(IDENTITY) && resource === 'managedclusters',
          );
        });
        await quietWindow(2000);
        expect(await decisionWrites(server(), mark)).toEqual([]);
        await scene.resize('script-a/wide', 110, () => void quietWindow(3000).then(() => bind(server())));
        await scene.stir();
      });
    },
    8 * MINUTE,
  );

  it(
    'an API that answers with random errors of every kind violates no invariant, and reconciliation continues',
    async () => {
      await withRig(server(), IDENTITY, async (rig) => {
        const steps = script(SEED, OPENING + 60);
        const dice = new Dice(SEED);
        const hit = new Set<string>();
        const mark = await server().logMark();
        const { observer, controller, proxy } = rig;
        const { pid } = controller;
        const before = (step: { readonly number: number }): void => {
          if (step.number !== OPENING) return;
          proxy.plan = () => {
            if (!dice.chance(0.2)) return undefined;
            const [name, fault] = dice.pick(FAULTS);
            hit.add(name);
            return fault;
          };
        };
        const run = await play(steps, { server: server(), observer, seed: SEED, before });
        proxy.plan = () => undefined;
        expect(report(await rig.judge(run.frames), SEED)).toBe(KEPT);
        // Requests that are made only after errors need permissions, too.
        const refused = (await server().requestLog({ after: mark })).filter(
          ({ code, userAgent }) => code === 403 && userAgent.endsWith(IDENTITY),
        );
        expect(refused.map(({ verb, uri }) => `${verb} ${uri}`)).toEqual([]);
        expect([controller.pid, controller.exit()]).toEqual([pid, undefined]);
        expect(hit.size).toBeGreaterThan(FAULTS.length / 2);
      });
    },
    12 * MINUTE,
  );
});
