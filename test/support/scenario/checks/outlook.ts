import type { Outlook } from './history.js';
import { judge } from './model.js';
import type { Step } from '../script/script.js';
import { after, type World } from '../script/world.js';

/**
 * What may, and what must, be selected by each placement while a step goes on, whatever order its writes are seen in:
 * every subset of the writes to sets, bindings and placements, each with all and with none of the writes to clusters
 * (a cluster's match depends on no other cluster).
 */
export function outlookOf(step: Step, selected: ReadonlyMap<string, ReadonlySet<string>>): Map<string, Outlook> {
  const worlds = statesOf(step);
  const outlook = new Map<string, Outlook>();
  for (const key of step.after.placements.keys()) {
    const before = selected.get(key) ?? new Set<string>();
    let always: Set<string> | undefined;
    const ever = new Set<string>();
    for (const world of worlds) {
      if (!world.placements.has(key)) continue;
      const now = selectable(world, key, before);
      for (const name of now) ever.add(name);
      always = always === undefined ? new Set(now) : new Set([...always].filter((name) => now.has(name)));
    }
    outlook.set(key, { always: always ?? new Set(), ever });
  }
  return outlook;
}

function statesOf({ before, writes }: Step): World[] {
  const clusters = writes.filter((write) => write.kind === 'cluster');
  const others = writes.filter((write) => write.kind !== 'cluster');
  const worlds: World[] = [];
  for (let subset = 0; subset < 2 ** others.length; subset++) {
    const done = others.filter((_, n) => ((subset >> n) & 1) === 1);
    worlds.push(after(before, done), after(before, [...done, ...clusters]));
  }
  return worlds;
}

function selectable(world: World, key: string, before: ReadonlySet<string>): ReadonlySet<string> {
  const { misconfigured, matching } = judge(world, key, before);
  if (!misconfigured) return matching;
  return new Set([...before].filter((name) => world.clusters.get(name)?.deleting === false));
}
