import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import type { Placement } from '../../../src/api/generated/placement.js';
import { explainPlacement } from '../../../src/cli/explain/explain.js';
import { history, HISTORY_RESOURCES } from '../../../src/cli/history/run.js';
import { changePause } from '../../../src/cli/pause/pause.js';
import { DECISION_RESOURCES, readFleetWorld, type FleetReading } from '../../../src/answers/world/worlds.js';
import { overlay } from '../../../src/answers/world/overlay.js';
import { planFleet } from '../../../src/answers/plan/fleetplan.js';
import { errorText } from '../../../src/runtime/errors.js';
import { Fleet, PlacementServerRig } from '../../support/rigs/server/placement.js';

const LONG_MS = 300_000;
const gold = { requiredClusterSelector: { labelSelector: { matchLabels: { tier: 'gold' } } } };
const HOUR = 3_600_000;

/** `* 07:15`, by the clock of UTC. */
function startAt(ms: number): string {
  return `* ${new Date(ms).toISOString().slice(11, 16)}`;
}

describeWithServer('a Placement with change windows', { own: true }, (server) => {
  let fleet: Fleet;
  let running: PlacementServerRig;

  beforeAll(async () => {
    await installCrds(server());
    fleet = new Fleet(server());
    await fleet.set('ovens');
    await fleet.namespace('bakery', 'ovens');
    for (const name of ['oven-1', 'oven-2', 'oven-3']) await fleet.cluster(name, 'ovens', { tier: 'gold' });
    running = new PlacementServerRig(server());
    await running.synced();
  }, LONG_MS);
  afterAll(async () => {
    await running.stop();
    await fleet.close();
  }, LONG_MS);

  const place = (spec: object, name = 'bread'): Promise<Placement> => fleet.place('bakery', name, spec);
  const reading = async (): Promise<FleetReading> => {
    const scope = {
      namespace: 'bakery',
      fallback: () => 'bakery',
      resources: [...DECISION_RESOURCES, ...HISTORY_RESOURCES],
    };
    const found = await readFleetWorld(fleet.client, scope);
    return { ...found, world: { ...found.world, at: Date.now() } };
  };
  const phase = (wanted: string): Promise<true> =>
    waitFor(`the phase ${wanted}`, async (seen) => {
      const found = await fleet.placement('bakery', 'bread');
      seen(found?.status?.phase);
      const isObserved = found?.status?.observedGeneration === found?.metadata.generation;
      return (isObserved && found?.status?.phase === wanted) || undefined;
    });
  const selects = (...clusters: readonly string[]): Promise<true> =>
    waitFor(`bread to select ${clusters.join()}`, async (seen) => {
      const selected = await fleet.selected('bakery', 'bread');
      seen(selected);
      return selected?.join() === clusters.join() || undefined;
    });
  const message = async (type: string): Promise<string> =>
    (await fleet.placement('bakery', 'bread'))?.status?.conditions?.find((one) => one.type === type)?.message ?? '';

  it.each<[object, string, string]>([
    [
      { start: 'Mon 24:00' },
      'start',
      '"Mon 24:00": must be a weekday (Mon to Sun) or *, and a time from 00:00 to 23:59',
    ],
    [{ duration: '0h' }, 'duration', '"0h": must be hours and minutes from 1m to 168h'],
    [{ duration: '169h' }, 'duration', '"169h": must be hours and minutes from 1m to 168h'],
    [{ timeZone: '+01:00' }, 'timeZone', '"+01:00": must be a time zone of the IANA database'],
    [
      { timeZone: 'Mars/Base' },
      'timeZone',
      'unknown time zone Mars/Base evaluating rule: must be a time zone of the IANA',
    ],
    [{ timeZone: 'UTC+2' }, 'timeZone', 'unknown time zone UTC+2'],
  ])('%j is refused by the API server, with field, value and rule', async (wrong, field, text) => {
    const window = { start: 'Mon 22:00', duration: '4h', timeZone: 'Europe/Berlin', ...wrong };
    const refused = place({ changeWindows: [window] }, 'wrong');

    const message = await refused.then(() => 'accepted', errorText);
    expect(message).toContain(`spec.changeWindows[0].${field}: Invalid value`);
    expect(message).toContain(text);
  });

  it('a change outside of the window is planned, waits, is explained, and is made inside of one', async () => {
    const opens = Math.ceil(Date.now() / 60_000) * 60_000 + 6 * HOUR;
    const window = { start: startAt(opens), duration: '2h', timeZone: 'UTC' };
    const iso = new Date(opens).toISOString().replace('.000Z', 'Z');
    await place({ predicates: [gold], changeWindows: [window] });
    await phase('Satisfied');

    const { world } = await reading();
    const relabelled = overlay(world, [
      { kind: 'label', resource: 'managedclusters', object: { name: 'oven-2' }, key: 'tier', value: 'silver' },
    ]);
    const [plan] = planFleet(world, relabelled);
    const why = `label tier=silver, wanted tier=gold; waits for the change window that opens at ${iso} (${window.start} UTC)`;
    expect(plan).toMatchObject({ change: 'Changed', add: [], remove: [] });
    expect(plan?.held).toEqual([
      { name: 'oven-2', cause: 'NotMatched', why, waitsFor: 'changeWindows', waitsUntil: iso },
    ]);

    await fleet.cluster('oven-2', 'ovens', { tier: 'silver' });
    await phase('Waiting');
    expect(await fleet.selected('bakery', 'bread')).toEqual(['oven-1', 'oven-2', 'oven-3']);
    const waits = `outside of spec.changeWindows; the next one opens at ${iso} (${window.start} UTC); then these leave: oven-2 (label tier=silver, wanted tier=gold)`;
    expect(await message('ChangesWaiting')).toBe(waits);
    const shown = {
      output: 'text',
      colored: false,
      namespace: 'bakery',
      placement: 'bread',
      cluster: undefined,
    } as const;
    expect(explainPlacement((await reading()).world, { ...shown, nearest: 3 })).toContain(waits);

    // With a window that is open now; an edit of the spec waits for none in any case.
    await place({ predicates: [gold], changeWindows: [{ ...window, start: startAt(opens - 6 * HOUR - 60_000) }] });
    await selects('oven-1', 'oven-3');
    await phase('Satisfied');
    await fleet.cluster('oven-3', 'ovens', { tier: 'silver' });
    await selects('oven-1');

    const text = history(await reading(), 'bread', { output: 'text', colored: false });
    expect(text).toMatch(
      /^TIME .*\n\S+ +ManagedCluster\/oven-3 +removed +oven-3 +label tier=silver, wanted tier=gold\n/,
    );
    expect(text).toMatch(/\n\S+ +Placement\/bread +removed +oven-2 +label tier=silver, wanted tier=gold\n/);
    expect(text).toMatch(/\n\S+ +Placement\/bread +added +oven-1, oven-2, oven-3 +-\n$/);
  });

  it('a pause is written by the command, freezes the decision, and its end shows what changes', async () => {
    const request = { namespace: 'bakery', placement: 'bread', dryRun: false, now: Date.now() };
    expect(await changePause(fleet.client, { ...request, command: 'pause' })).toEqual([
      'bakery/bread is paused',
      '  1 cluster stays, and none comes in: oven-1',
    ]);
    await phase('Paused');
    await fleet.cluster('oven-2', 'ovens', { tier: 'gold' });
    await waitFor('the paused Placement to miss oven-2', async () => {
      return (await message('PlacementSatisfied')) === 'spec.paused keeps matching clusters out' || undefined;
    });
    expect(await fleet.selected('bakery', 'bread')).toEqual(['oven-1']);

    expect(await changePause(fleet.client, { ...request, command: 'resume' })).toEqual([
      'bakery/bread is resumed',
      '  + oven-2  predicate 0',
    ]);
    await selects('oven-1', 'oven-2');
    expect(await changePause(fleet.client, { ...request, command: 'resume' })).toEqual(['bakery/bread is not paused']);
  });
});
