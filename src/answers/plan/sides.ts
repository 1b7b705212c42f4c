import { scorerOfSnapshot, type Scorer } from '../../domain/placement/select/scores.js';
import { forecastOf, type Forecast } from '../world/forecast.js';
import type { Start } from './movesahead.js';
import type { PlacementInput, World, WorldInputs } from '../world/world.js';

/** A Placement in one world, and in another one: what is compared. */

export interface Name {
  readonly namespace: string;
  readonly name: string;
}

/** One Placement on both sides; undefined where it does not exist. */
export interface Sides {
  readonly before: Side | undefined;
  readonly after: Side | undefined;
}

export interface Side {
  readonly input: PlacementInput;
  readonly inputs: WorldInputs;
  readonly forecast: Forecast;
  readonly scorer: Scorer | undefined;
}

/** What is decided last of a Placement counts for the scores of the next one, as in the controller: before a change, and after it. */
export function continueAfter(names: readonly Name[], before: WorldInputs, after: WorldInputs): void {
  for (const name of names) sideOf(before.input(name), before);
  after.continueFrom(before);
}

/** The Placements of these worlds, sorted by namespace and name. */
export function placementsIn(...worlds: readonly World[]): readonly Name[] {
  const all = worlds.flatMap(({ objects }) => objects.placements);
  // By a key that sorts by namespace and then by name: a line feed sorts before every character of a name.
  const names = all.map(
    ({ metadata: { namespace = '', name } }) => [`${namespace}\n${name}`, { namespace, name }] as const,
  );
  return [...new Map(names)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, name]) => name);
}

/** The controller leaves the decisions of a Placement that is being deleted to garbage collection. */
export function sideOf(input: PlacementInput | undefined, inputs: WorldInputs): Side | undefined {
  if (input === undefined || input.deleting) return undefined;
  const [forecast, scorer] = [forecastOf(input.snapshot), scorerOfSnapshot(input.snapshot)];
  inputs.decided(input.snapshot.placement, forecast.clusters);
  return { input, inputs, forecast, scorer };
}

/** What was published before counts as stored, unless the Placement is another one of the same name. */
export function secondSide(name: Name, first: Side | undefined, after: WorldInputs): Side | undefined {
  const fresh = after.input(name);
  const isSame = fresh?.snapshot.placement.uid === first?.input.snapshot.placement.uid;
  return sideOf(isSame ? after.input(name, first?.forecast.published) : fresh, after);
}

export function startOf(side: Side | undefined): Start | undefined {
  if (side === undefined) return undefined;
  const {
    input: { snapshot },
    forecast,
    inputs,
  } = side;
  return { snapshot, forecast, decided: (clusters) => inputs.decided(snapshot.placement, clusters) };
}
