import { beforeAll, beforeEach, expect, it } from '@jest/globals';

import type { ResourceType } from '../../src/runtime/vocabulary/meta.js';
import { ALLOW_DELETION_ANNOTATION, ALLOW_REMOVALS_ANNOTATION } from '../../src/api/names.js';
import { ManagedClusters, ManagedClusterSets, PlacementDecisions, Placements } from '../../src/api/resources.js';
import { collectionPath } from '../../src/runtime/client/path.js';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { Dice } from '@multicluster-engine/kube-apiserver/testing/random';
import { quietWindow, waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { deployOn, RealHands } from '../faults/real/hub.js';
import {
  addMembers,
  addPlacements,
  decisionWrites,
  IDENTITY,
  makeSets,
  makeStage,
  memberName,
  nothing,
  OBJECTS,
  stir,
  unmakeStage,
  wideFleet,
  withFleet,
} from './widefleet.js';
import type { Hands } from '../faults/hub/hands.js';
import { FAULTS } from '../support/proxy/fault.js';
import { ACCOUNT, BINDING_PATH, bind, install } from '../support/hub/deployed.js';
import { fields, items, text, type Fields } from '../support/scenario/checks/reading.js';

const MINUTE = 60_000;
const SEED = 4;
/** Each test does as many of these steps as it needs. */
const FLEET = await wideFleet([
  nothing,
  ...stir(0),
  unmakeStage,
  makeStage,
  ...[1, 2, 3, 4, 5].flatMap((n) => stir(n)),
]);

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

/** The names in the objects of all decisions. */
async function selected(server: ControlPlane): Promise<ReadonlyMap<string, readonly string[]>> {
  const { body } = await server.call({ path: collectionPath(PlacementDecisions) });
  return new Map(
    (body.items ?? []).map(({ metadata, status }) => [
      metadata?.name ?? '',
      items(fields(status)['decisions']).map(({ clusterName }) => text(clusterName)),
    ]),
  );
}

describeWithServer(
  'a broken API',
  { own: true, capabilities: ['requestLog', 'restart', 'garbageCollection'] },
  (server) => {
    beforeAll(() => deployOn(server()), 6 * MINUTE);
    beforeEach(async () => {
      await install(server());
      await bind(server());
    }, 6 * MINUTE);

    it(
      'an API that is killed and restarted shrinks no decision, and reconciliation continues',
      async () => {
        await withFleet(server(), FLEET, async (run, { proxy }) => {
          const mark = await server().logMark();
          await server().restart('SIGKILL');
          await quietWindow(2000);
          expect(await decisionWrites(server(), mark)).toEqual([]);
          for (const _ of [nothing, ...stir(0)]) await run.next();

          let killed = false;
          proxy.plan = ({ write, resource }) => {
            if (killed || !write || resource !== 'placementdecisions') return undefined;
            killed = true;
            return { kind: 'interrupt', applied: true, passOn: false, run: () => server().restart('SIGKILL') };
          };
          await run.next();
          expect(killed).toBe(true);
          await run.next();
        });
      },
      8 * MINUTE,
    );

    // That of ManagedClusters is in a test below and in docs/how-to/recover-from-a-mistake.md, that of bindings in test/field/.
    it.each<[string, ResourceType, (hands: Hands) => Promise<void>]>([
      ['ManagedClusterSets', ManagedClusterSets, makeSets],
      ['Placements', Placements, addPlacements],
      ['PlacementDecisions', PlacementDecisions, () => Promise.resolve()],
    ])(
      'an API without the CRD of %s, and with it again, shrinks no decision, and reconciliation continues',
      async (_what, type, remake) => {
        await withFleet(server(), FLEET, async (run) => {
          const [mark, before] = [await server().logMark(), await selected(server())];
          expect(before.size).toBe(OBJECTS);
          await removeCrd(server(), type);
          await quietWindow(2000);
          expect(await decisionWrites(server(), mark)).toEqual([]);
          await install(server());
          await remake(new RealHands(server()));
          if (type === ManagedClusterSets) {
            await waitUntilNoted(server(), type);
            expect(await decisionWrites(server(), mark)).toEqual([]);
          } else {
            await waitFor('the decisions to be back', async () => (await selected(server())).size === OBJECTS);
          }
          await run.restartChecks();
          for (const _ of [nothing, ...stir(0)]) await run.next();
        });
      },
      8 * MINUTE,
    );

    it(
      'an API whose CRD was created again without one of the clusters drops that one, but not before somebody releases it',
      async () => {
        await withFleet(server(), FLEET, async () => {
          const [mark, before] = [await server().logMark(), await selected(server())];
          await removeCrd(server(), ManagedClusters);
          await install(server());
          await addMembers(new RealHands(server()), memberName(1));
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
            const at = collectionPath(Placements, text(namespace));
            await annotate(server(), `${at}/${text(name)}`, ALLOW_REMOVALS_ANNOTATION, `${until}/*`);
          }
          await waitFor('no decision to name the cluster', async () =>
            [...(await selected(server())).values()].every((names) => !names.includes(memberName(1))),
          );
          for (const [name, clusters] of before) {
            const now = (await selected(server())).get(name) ?? [];
            expect([name, ...clusters.filter((one) => !now.includes(one) && one !== memberName(1))]).toEqual([name]);
          }
        });
      },
      8 * MINUTE,
    );

    it(
      'an API that revokes permissions and grants them again shrinks no decision, and reconciliation continues',
      async () => {
        await withFleet(server(), FLEET, async (run, { proxy }) => {
          const mark = await server().logMark();
          const token = await server().tokenFor(ACCOUNT);
          await annotate(server(), BINDING_PATH, ALLOW_DELETION_ANNOTATION, 'true');
          await server().call({ method: 'DELETE', path: BINDING_PATH });
          // The authorizer observes it with a delay; a watch that was started before continues for minutes.
          await waitFor(
            'the right to be gone',
            async () => (await server().call({ path: collectionPath(ManagedClusters), token })).status === 403,
          );
          proxy.cutWatches();
          await waitFor('the controller to be refused', async () => {
            const log = await server().requestLog({ after: mark });
            return log.some(
              ({ code, userAgent, resource }) =>
                code === 403 && userAgent.endsWith(IDENTITY) && resource === 'managedclusters',
            );
          });
          await quietWindow(2000);
          expect(await decisionWrites(server(), mark)).toEqual([]);
          await run.next();
          await run.next(() => void quietWindow(3000).then(() => bind(server())));
          for (const _ of stir(0).slice(1)) await run.next();
        });
      },
      8 * MINUTE,
    );

    it(
      'an API that answers with random errors of every kind violates no invariant, and reconciliation continues',
      async () => {
        await withFleet(server(), FLEET, async (run, { proxy }) => {
          const dice = new Dice(SEED);
          const hit = new Set<string>();
          const mark = await server().logMark();
          proxy.plan = () => {
            if (!dice.chance(0.2)) return undefined;
            const [name, fault] = dice.pick(FAULTS);
            hit.add(name);
            return fault;
          };
          for (const _ of FLEET.scenario.steps) await run.next();
          proxy.plan = () => undefined;
          await run.finish();
          // Requests that are made only after errors need permissions, too.
          const refused = (await server().requestLog({ after: mark })).filter(
            ({ code, userAgent }) => code === 403 && userAgent.endsWith(IDENTITY),
          );
          expect(refused.map(({ verb, uri }) => `${verb} ${uri}`)).toEqual([]);
          expect(hit.size).toBeGreaterThan(FAULTS.length / 2);
        });
      },
      12 * MINUTE,
    );
  },
);
