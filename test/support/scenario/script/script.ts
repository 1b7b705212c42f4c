import { judge } from '../checks/model.js';
import { CLUSTER_MOVES, MOVES, throwMove } from './moves.js';
import { opening } from './opening.js';
import { Dice } from '@multicluster-engine/kube-apiserver/testing/random';
import { after, EMPTY, type World, type Write } from './world.js';

export interface Step {
  /** From 1. */
  readonly number: number;
  readonly title: string;
  readonly writes: readonly Write[];
  readonly before: World;
  readonly after: World;
}

/**
 * A script of `length` steps. Each step leaves exactly one right way from its beginning to its end: of its writes at
 * most one matters to any one placement, so that it does not matter which of them is seen first or together. Two runs
 * of one script therefore end alike, whatever happens to the controller on the way.
 */
export function script(seed: number, length: number): Step[] {
  const dice = new Dice(seed);
  return play(opening(dice), length, (world) => nextWrites(dice, world));
}

/** A script whose steps after the opening change `size` clusters at once: where a run ends depends on what is seen together. */
export function storms(seed: number, length: number, size: number): Step[] {
  const dice = new Dice(seed);
  return play(opening(dice), length, (world) => {
    const writes = new Map<string, Write>();
    for (let n = 0; n < size; n++) {
      const write = throwMove(dice, CLUSTER_MOVES)(dice, world);
      if (write !== undefined) writes.set(write.name, write);
    }
    return [...writes.values()];
  });
}

function play(first: readonly Write[][], length: number, next: (world: World) => Write[]): Step[] {
  const steps: Step[] = [];
  let world = EMPTY;
  while (steps.length < length) {
    const writes = first[steps.length] ?? next(world);
    const to = after(world, writes);
    steps.push({ number: steps.length + 1, title: writes.map(titleOf).join('; '), writes, before: world, after: to });
    world = to;
  }
  return steps;
}

function nextWrites(dice: Dice, world: World): Write[] {
  const wanted = dice.chance(0.35) ? dice.between(2, 3) : 1;
  const writes: Write[] = [];
  for (let attempt = 0; writes.length < wanted && attempt < 40; attempt++) {
    const write = throwMove(dice, MOVES)(dice, world);
    if (write === undefined || writes.some((one) => one.kind === write.kind && one.name === write.name)) continue;
    if (nothingNew(world, write)) continue;
    if (inAnyOrder(world, [...writes, write])) writes.push(write);
  }
  return writes;
}

function nothingNew(world: World, { kind, name, to }: Write): boolean {
  const now = { cluster: world.clusters, set: world.sets, binding: world.bindings, placement: world.placements }[
    kind
  ].get(name);
  return JSON.stringify(now) === JSON.stringify(to);
}

/** Whether of `writes`, in every order, at most one changes what a placement may select. */
export function inAnyOrder(world: World, writes: readonly Write[]): boolean {
  if (writes.length === 1) return true;
  const states: Map<string, string>[] = [];
  for (let subset = 0; subset < 2 ** writes.length; subset++) {
    states.push(
      signatures(
        after(
          world,
          writes.filter((_, n) => ((subset >> n) & 1) === 1),
        ),
      ),
    );
  }
  const keys = new Set(states.flatMap((state) => [...state.keys()]));
  return [...keys].every((key) => writes.filter((_, n) => matters(states, n, key)).length <= 1);
}

/** Whether the write with this number changes anything for the placement, whichever others were there before it. */
function matters(states: readonly ReadonlyMap<string, string>[], n: number, key: string): boolean {
  return states.some(
    (state, subset) => ((subset >> n) & 1) === 0 && state.get(key) !== states[subset | (1 << n)]?.get(key),
  );
}

function signatures(world: World): Map<string, string> {
  return new Map([...world.placements.keys()].map((key) => [key, signature(world, key)]));
}

// All that a decision can come from, what an unreadable set keeps included.
function signature(world: World, key: string): string {
  const placement = world.placements.get(key);
  if (placement === undefined) return '';
  const { candidates, matching, ...rest } = judge(world, key, new Set());
  const living = rest.misconfigured || rest.unreadable.length > 0 ? alive(world) : [];
  return JSON.stringify({
    placement,
    rest,
    candidates: [...candidates].sort(),
    matching: [...matching].sort(),
    living,
  });
}

function alive(world: World): string[] {
  return [...world.clusters]
    .filter(([, cluster]) => !cluster.deleting)
    .map(([name, { labels, claims }]) => JSON.stringify({ name, labels, claims }));
}

function titleOf({ kind, name, to }: Write): string {
  if (to === undefined) return `${kind} ${name} goes`;
  return `${kind} ${name} becomes ${JSON.stringify(to)}`;
}
