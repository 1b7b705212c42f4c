import { CLUSTER_SET_LABEL } from '../../../../src/api/names.js';
import type { Frame } from '../checks/history.js';
import { clusterName } from '../script/opening.js';
import type { ScenarioRig } from '../../rigs/scenario.js';
import { play } from './runner.js';
import { after, EMPTY, type Cluster, type World, type Write } from '../script/world.js';

/** A fleet without claims (a claim is lost with its object and is reported again later) whose placements fill several objects. */
export const FLEET = 140;

function member(n: number): Cluster {
  const labels = { [CLUSTER_SET_LABEL]: n % 4 === 0 ? 'stage' : 'prod', region: n % 3 === 0 ? 'us' : 'eu' };
  return { labels, claims: {}, deleting: false, heartbeat: 0 };
}

const eu = { labelSelector: { matchLabels: { region: 'eu' } } };

const BEGINNING: readonly (readonly Write[])[] = [
  [
    { kind: 'set', name: 'prod', to: {} },
    { kind: 'set', name: 'stage', to: {} },
  ],
  Array.from({ length: FLEET }, (_, n) => ({ kind: 'cluster', name: clusterName(n), to: member(n) })),
  [
    { kind: 'binding', name: 'script-a/prod', to: 'prod' },
    { kind: 'binding', name: 'script-a/stage', to: 'stage' },
    { kind: 'binding', name: 'script-b/prod', to: 'prod' },
  ],
  [{ kind: 'placement', name: 'script-a/everything', to: { sets: [], predicates: [] } }],
  [{ kind: 'placement', name: 'script-a/wide', to: { sets: [], count: 120, predicates: [] } }],
  [{ kind: 'placement', name: 'script-a/three', to: { sets: ['stage'], count: 3, predicates: [eu] } }],
  [{ kind: 'placement', name: 'script-b/dozen', to: { sets: [], count: 12, predicates: [eu] } }],
];

/** A small world that a test changes step by step; each step settles, and all of them are judged in the end. */
export class Scene {
  world: World = EMPTY;
  readonly frames: Frame[] = [];
  readonly #rig: ScenarioRig;

  constructor(rig: ScenarioRig) {
    this.#rig = rig;
  }

  /** Makes the fleet, the sets and the placements. */
  async begin(): Promise<void> {
    for (const writes of BEGINNING) await this.step(writes);
  }

  /** Carries out writes and waits until they have settled; `meanwhile` runs just before them. */
  async step(writes: readonly Write[], meanwhile?: () => Promise<void> | void): Promise<void> {
    const next = after(this.world, writes);
    const title = writes
      .map(({ kind, name }) => `${kind} ${name}`)
      .slice(0, 5)
      .join(', ');
    const step = { number: this.frames.length + 1, title, writes, before: this.world, after: next };
    const { server, observer } = this.#rig;
    this.world = next;
    const { frames } = await play([step], {
      server,
      observer,
      seed: 0,
      ...(meanwhile === undefined ? {} : { before: meanwhile }),
    });
    this.frames.push(...frames);
  }

  /** Removes a cluster that is gone already from the model, and waits until the placements have settled. */
  async forget(name: string): Promise<void> {
    this.world = after(this.world, [{ kind: 'cluster', name }]);
    await this.step([]);
  }

  /** Gives one selected-from cluster another region and a new place: every placement has something to do. */
  async stir(): Promise<void> {
    const n = this.frames.length % FLEET;
    const name = clusterName(n);
    const now = this.world.clusters.get(name);
    if (now === undefined) return;
    const region = now.labels['region'] === 'eu' ? 'us' : 'eu';
    await this.step([{ kind: 'cluster', name, to: { ...now, labels: { ...now.labels, region } } }]);
    await this.resize('script-a/wide', 101 + (this.frames.length % 30));
    await this.resize('script-b/dozen', 5 + (this.frames.length % 9));
  }

  /** Changes the number of clusters of a placement. */
  async resize(key: string, count: number, meanwhile?: () => Promise<void> | void): Promise<void> {
    const now = this.world.placements.get(key);
    if (now === undefined) throw new Error(`there is no placement ${key}`);
    await this.step([{ kind: 'placement', name: key, to: { ...now, count } }], meanwhile);
  }
}
