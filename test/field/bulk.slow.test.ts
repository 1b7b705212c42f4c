import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { DECISION_RESOURCES, readFleetWorld } from '../../src/answers/world/worlds.js';
import { labelChange } from '../../src/answers/plan/changes.js';
import { overlay } from '../../src/answers/world/overlay.js';
import { planFleet } from '../../src/answers/plan/plan.js';
import type { PlannedPlacement } from '../../src/answers/plan/document.js';
import type { World } from '../../src/answers/world/world.js';
import { predicate } from '../support/builders/world.js';
import { Fleet, PlacementServerRig } from '../support/rigs/server/placement.js';

/*
 * `kubectl label` takes six clusters out of a Placement whose budget is two removals. `plan` foresaw that none leaves and six
 * are held; two left, since kubectl writes one cluster after the other and the first two fitted. Right: removals that come
 * shortly one after the other are judged together, and what `plan` foresees is what happens.
 */

const LONG_MS = 120_000;

describeWithServer('a bulk command under a disruption budget', { own: true }, (server) => {
  let fleet: Fleet;
  let rig: PlacementServerRig;

  beforeAll(async () => {
    await installCrds(server());
    fleet = new Fleet(server());
    rig = new PlacementServerRig(server());
    await rig.synced();
  }, LONG_MS);
  afterAll(async () => {
    await rig.stop();
    await fleet.close();
  }, LONG_MS);

  /** A Placement of six gold clusters, in a namespace and with a set of its own; returns their names. */
  async function place(namespace: string): Promise<readonly string[]> {
    const names = [1, 2, 3, 4, 5, 6].map((number) => `${namespace}-${number}`);
    await fleet.set(`${namespace}-set`);
    await fleet.namespace(namespace, `${namespace}-set`);
    for (const name of names) await fleet.cluster(name, `${namespace}-set`, { tier: 'gold' });
    const disruptionBudget = { maxRemovals: 2 };
    await fleet.place(namespace, 'web', { predicates: [predicate({ tier: 'gold' })], disruptionBudget } as object);
    await until(namespace, 'Satisfied 6');
    return names;
  }

  async function until(namespace: string, wanted: string): Promise<void> {
    await waitFor(`Placement web of ${namespace} to be ${wanted}`, async (seen) => {
      const { phase, numberOfSelectedClusters } = (await fleet.placement(namespace, 'web'))?.status ?? {};
      const found = `${phase} ${numberOfSelectedClusters}`;
      seen(found);
      return found === wanted || undefined;
    });
  }

  async function planned(namespace: string, names: readonly string[]): Promise<PlannedPlacement | undefined> {
    const read = await readFleetWorld(fleet.client, {
      namespace,
      fallback: () => namespace,
      resources: DECISION_RESOURCES,
    });
    const world: World = { ...read.world, at: Date.now() };
    const changes = names.map((name) => labelChange(`mcl/${name}:tier=silver`));
    return planFleet(world, overlay(world, changes)).find((one) => one.namespace === namespace);
  }

  const label = (names: readonly string[], value: string): Promise<unknown> =>
    kubectlOk(['label', 'mcl', ...names, `tier=${value}`, '--overwrite'], { kubeconfig: server().adminKubeconfig });

  it(
    'kubectl label over six clusters holds all of them, as plan foresees, and none leaves',
    async () => {
      const names = await place('bulk');
      const plan = await planned('bulk', names);

      await label(names, 'silver');
      await until('bulk', 'Held 6');

      expect([plan?.remove, plan?.held.map(({ name }) => name)]).toEqual([[], names]);
      const changed = rig.events.filter(({ reason }) => reason === 'DecisionChanged');
      expect(changed).toEqual([]);
      await label(names, 'gold');
      await until('bulk', 'Satisfied 6');
    },
    LONG_MS,
  );

  it(
    'kubectl label over two clusters, which fit, removes both',
    async () => {
      const two = (await place('two')).slice(0, 2);
      const plan = await planned('two', two);

      await label(two, 'silver');
      await until('two', 'Satisfied 4');

      expect([plan?.remove.map(({ name }) => name), plan?.held]).toEqual([two, []]);
    },
    LONG_MS,
  );
});
