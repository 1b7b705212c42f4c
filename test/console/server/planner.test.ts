import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { listKey } from '../../../src/console/server/plan.js';
import { Planner } from '../../../src/console/server/planner.js';
import { Snapshot } from '../../../src/console/server/snapshot.js';
import type { Timer } from '../../../src/runtime/clock.js';
import { exampleWorld } from '../../support/builders/examplefleet.js';
import { readingOf } from '../../support/builders/hubinput.js';
import { consoleWorld } from '../../support/rigs/console/worlds.js';

const MANIFEST =
  'apiVersion: cluster.fleetmgmt.io/v1alpha1\nkind: Placement\nmetadata: {name: web, namespace: shop}\nspec: {numberOfClusters: 1}\n';
const EMPTY = { manifests: '', labels: [], drains: [], losses: [], each: [] };
const DRAFTS = [
  { ...EMPTY, manifests: MANIFEST },
  { ...EMPTY, manifests: 'a: [' },
  { ...EMPTY, labels: ['prod-us-1:tier=silver'], drains: ['prod-eu-2'] },
  { ...EMPTY, losses: ['mclset/edge'] },
  { ...EMPTY, each: ['label/tier'] },
];
/** Somebody who waits for the answer. */
const waiting = { namespace: 'shop', gone: new AbortController().signal };

/** A clock that goes on by a second each time that it is read: every plan takes too long for the event loop. */
class SlowClock extends ManualClock {
  #now = 0;

  override monotonic(): number {
    return (this.#now += 1_000);
  }
}

/** A slow clock whose timers fire at once: every plan in a thread takes longer than it may. */
class LateClock extends SlowClock {
  override after(_ms: number, fire: () => void): Timer {
    fire();
    return { cancel: () => undefined };
  }
}

function snapshot(): Snapshot {
  return new Snapshot(readingOf(exampleWorld()));
}

describe('a plan that moves many clusters', () => {
  it('names the first of them, and has the others for whoever may read as much', async () => {
    const reading = readingOf(consoleWorld(120));
    const planner = new Planner(new ManualClock());
    const all = MANIFEST.replace('name: web', 'name: all').replace('{numberOfClusters: 1}', '{}');
    const made = await planner.plan(new Snapshot(reading), { ...EMPTY, manifests: all }, waiting);
    if ('fault' in made) throw new Error(made.fault);
    const { basedOn, placements } = made.plan;
    const [list] = placements.flatMap(({ lists }) => lists);
    expect([list?.sign, list?.total, list?.rows.length]).toEqual(['+', 72, 20]);

    const key = listKey('shop/all', '+');
    const kept = planner.listOf(basedOn, key, reading);
    expect([kept?.length, kept?.slice(0, 20)]).toEqual([72, list?.rows]);
    expect(planner.listOf(basedOn, listKey('shop/all', '−'), reading)).toBeUndefined();
    expect(planner.listOf('another', key, reading)).toBeUndefined();
    expect(planner.listOf(basedOn, key, { ...reading, namespace: 'shop' })).toBeUndefined();
    // Of the plans of others, only so many are kept.
    for (const name of 'abcdefgh')
      await planner.plan(new Snapshot(reading), { ...EMPTY, manifests: all.replace('all', name) }, waiting);
    expect(planner.listOf(basedOn, key, reading)).toBeUndefined();
  });
});

describe('a long plan', () => {
  it.each(DRAFTS)('a plan that a thread makes says the same as one of the event loop: draft %#', async (draft) => {
    const planned = await new Planner(new ManualClock()).plan(snapshot(), draft, waiting);
    const plannedInThread = await new Planner(new SlowClock()).plan(snapshot(), draft, waiting);
    expect(plannedInThread).toEqual(JSON.parse(JSON.stringify(planned)));
  });

  it('a plan is ended when its time is over, and the answer says so', async () => {
    expect(await new Planner(new LateClock(), 10_000).plan(snapshot(), EMPTY, waiting)).toEqual({
      fault: 'planning it takes longer than 10 s: plan fewer changes at once, or take kubectl mce plan, which waits',
    });
  });

  it('a plan is ended when nobody waits for it any more', async () => {
    const gone = new AbortController();
    const planned = new Planner(new SlowClock()).plan(snapshot(), EMPTY, { namespace: 'shop', gone: gone.signal });
    gone.abort(new Error('gone'));
    await expect(planned).rejects.toThrow('gone');
  });
});
