import { CLUSTER_SET_LABEL } from '../../../../src/api/names.js';
import { isMisconfigured } from '../checks/model.js';
import {
  BAD_PREDICATES,
  BINDINGS,
  clusterName,
  EXCLUSIVE,
  NAMESPACES,
  newcomer,
  PLACEMENTS,
  PLATFORMS,
  PREDICATES,
  REGIONS,
  SETS,
  TIERS,
} from './opening.js';
import type { Dice } from '@multicluster-engine/kube-apiserver/testing/random';
import type { Cluster, Placement, World, Write } from './world.js';

/** One thing that a user (or an agent) may do next in this world; undefined where there is nothing to do it to. */
export type Move = (dice: Dice, world: World) => Write | undefined;

/** With the weight that each has in the dice. */
export const MOVES: readonly (readonly [number, Move])[] = [
  [14, relabel],
  [10, changeSet],
  [10, changeClaim],
  [5, report],
  [5, join],
  [4, leaveAtOnce],
  [4, beginLeaving],
  [6, finishLeaving],
  [5, changeClusterSet],
  [6, changeBinding],
  [14, changeCount],
  [6, changeScope],
  [5, changePredicates],
  [4, misconfigure],
  [6, cure],
  [5, removeOrReturn],
];

/** What only happens to clusters: for steps of many writes at once. */
export const CLUSTER_MOVES: readonly (readonly [number, Move])[] = [
  [6, relabel],
  [5, changeSet],
  [5, changeClaim],
  [1, report],
  [2, join],
  [1, leaveAtOnce],
  [1, beginLeaving],
  [1, finishLeaving],
];

/** Throws the dice for a move. */
export function throwMove(dice: Dice, moves: typeof MOVES): Move {
  const total = moves.reduce((sum, [weight]) => sum + weight, 0);
  let at = dice.next() * total;
  for (const [weight, move] of moves) {
    at -= weight;
    if (at < 0) return move;
  }
  return relabel;
}

function someCluster(dice: Dice, world: World): readonly [string, Cluster] | undefined {
  const live = [...world.clusters].filter(([, cluster]) => !cluster.deleting);
  return live.length === 0 ? undefined : dice.pick(live);
}

function edit(dice: Dice, world: World, change: (cluster: Cluster) => Partial<Cluster>): Write | undefined {
  const found = someCluster(dice, world);
  if (found === undefined) return undefined;
  const [name, cluster] = found;
  return { kind: 'cluster', name, to: { ...cluster, ...change(cluster) } };
}

function relabel(dice: Dice, world: World): Write | undefined {
  return edit(dice, world, ({ labels }) => {
    const throwOf = dice.next();
    if (throwOf < 0.4) return { labels: { ...labels, region: dice.pick(REGIONS) } };
    if (throwOf < 0.7) return { labels: { ...labels, tier: dice.pick(TIERS) } };
    if (throwOf < 0.8) return { labels: { ...labels, owner: `team-${dice.between(1, 9)}` } };
    if (labels['canary'] === undefined) return { labels: { ...labels, canary: '' } };
    return { labels: without(labels, 'canary') };
  });
}

function changeSet(dice: Dice, world: World): Write | undefined {
  return edit(dice, world, ({ labels }) => {
    if (dice.chance(0.15)) return { labels: without(labels, CLUSTER_SET_LABEL) };
    return { labels: { ...labels, [CLUSTER_SET_LABEL]: dice.pick(EXCLUSIVE) } };
  });
}

function changeClaim(dice: Dice, world: World): Write | undefined {
  return edit(dice, world, ({ claims }) => {
    if (dice.chance(0.2)) return { claims: without(claims, 'platform') };
    if (dice.chance(0.2)) return { claims: { ...claims, id: `${dice.between(1, 9)}` } };
    return { claims: { ...claims, platform: dice.pick(PLATFORMS) } };
  });
}

function report(dice: Dice, world: World): Write | undefined {
  return edit(dice, world, ({ heartbeat }) => ({ heartbeat: heartbeat + 1 }));
}

function join(dice: Dice, world: World): Write | undefined {
  for (let attempt = 0; attempt < 20; attempt++) {
    const name = clusterName(dice.between(0, 280));
    if (!world.clusters.has(name)) return { kind: 'cluster', name, to: newcomer(dice) };
  }
  return undefined;
}

function leaveAtOnce(dice: Dice, world: World): Write | undefined {
  const found = someCluster(dice, world);
  return found === undefined ? undefined : { kind: 'cluster', name: found[0] };
}

function beginLeaving(dice: Dice, world: World): Write | undefined {
  return edit(dice, world, () => ({ deleting: true }));
}

function finishLeaving(dice: Dice, world: World): Write | undefined {
  const leaving = [...world.clusters].filter(([, cluster]) => cluster.deleting);
  return leaving.length === 0 ? undefined : { kind: 'cluster', name: dice.pick(leaving)[0] };
}

// A set is gone for a while, selects something else, cannot be read, and is put right again.
function changeClusterSet(dice: Dice, world: World): Write {
  const changed = [...SETS].filter(([name, home]) => JSON.stringify(world.sets.get(name)) !== JSON.stringify(home));
  if (changed.length > 0 && dice.chance(0.8)) {
    const [name, to] = dice.pick(changed);
    return { kind: 'set', name, to };
  }
  const name = dice.pick([...SETS.keys()]);
  if (dice.chance(0.4)) return { kind: 'set', name };
  const broken = { selector: { matchExpressions: [{ key: 'tier', operator: 'In' }] } };
  if (dice.chance(0.5)) return { kind: 'set', name, to: broken };
  return { kind: 'set', name, to: { selector: { matchLabels: { region: dice.pick(REGIONS) } } } };
}

function changeBinding(dice: Dice, world: World): Write {
  const missing = [...BINDINGS].filter(([key]) => !world.bindings.has(key));
  if (missing.length > 0 && dice.chance(0.8)) {
    const [name, to] = dice.pick(missing);
    return { kind: 'binding', name, to };
  }
  if (dice.chance(0.4)) return { kind: 'binding', name: dice.pick([...BINDINGS.keys()]) };
  const name = `${dice.pick(NAMESPACES)}/${dice.pick([...SETS.keys()])}`;
  if (world.bindings.has(name) && !BINDINGS.has(name)) return { kind: 'binding', name };
  // A binding whose name differs from its cluster set has passed admission by mistake, and is ignored.
  const set = dice.chance(0.3) ? dice.pick([...SETS.keys()]) : name.slice(name.indexOf('/') + 1);
  return { kind: 'binding', name, to: BINDINGS.get(name) ?? set };
}

function onPlacement(dice: Dice, world: World, change: (now: Placement) => Placement): Write | undefined {
  if (world.placements.size === 0) return undefined;
  const [name, now] = dice.pick([...world.placements]);
  return { kind: 'placement', name, to: change(now) };
}

function changeCount(dice: Dice, world: World): Write | undefined {
  return onPlacement(dice, world, ({ count, ...rest }) => {
    const throwOf = dice.next();
    if (throwOf < 0.1) return { ...rest, count: 0 };
    if (throwOf < 0.25) return rest;
    if (throwOf < 0.55) return { ...rest, count: dice.between(1, 12) };
    if (throwOf < 0.8 && count !== undefined) return { ...rest, count: Math.max(0, count + dice.between(-60, 60)) };
    return { ...rest, count: dice.between(90, 230) };
  });
}

function changeScope(dice: Dice, world: World): Write | undefined {
  return onPlacement(dice, world, (now) => ({
    ...now,
    sets: dice.chance(0.5) ? [] : dice.some([...SETS.keys()], dice.between(1, 3)),
  }));
}

function changePredicates(dice: Dice, world: World): Write | undefined {
  return onPlacement(dice, world, (now) => ({ ...now, predicates: dice.some(PREDICATES, dice.between(0, 2)) }));
}

function misconfigure(dice: Dice, world: World): Write | undefined {
  return onPlacement(dice, world, (now) => ({ ...now, predicates: [...now.predicates, dice.pick(BAD_PREDICATES)] }));
}

function cure(dice: Dice, world: World): Write | undefined {
  const ill = [...world.placements].filter(([, placement]) => isMisconfigured(placement));
  if (ill.length === 0) return undefined;
  const [name, now] = dice.pick(ill);
  return {
    kind: 'placement',
    name,
    to: { ...now, predicates: now.predicates.filter((one) => !BAD_PREDICATES.includes(one)) },
  };
}

function removeOrReturn(dice: Dice, world: World): Write {
  const missing = [...PLACEMENTS].filter(([key]) => !world.placements.has(key));
  if (missing.length > 0 && dice.chance(0.75)) {
    const [name, to] = dice.pick(missing);
    return { kind: 'placement', name, to };
  }
  return { kind: 'placement', name: dice.pick([...PLACEMENTS.keys()]) };
}

function without(map: Readonly<Record<string, string>>, key: string): Record<string, string> {
  const rest = { ...map };
  delete rest[key];
  return rest;
}
