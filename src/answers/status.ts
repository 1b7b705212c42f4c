import type { RawObject } from '../runtime/vocabulary/meta.js';
import { field, recordsIn, textField } from '../runtime/vocabulary/json.js';
import { Deployments } from '../runtime/vocabulary/kinds.js';
import { conditionIn } from '../domain/conditions.js';
import { fleetSummary, type FleetSummary } from './fleetsummary.js';
import { CLI_API_VERSION } from './output.js';
import { undecided, type Undecided } from './undecided.js';
import { isWithheld, limitsOf, type Limits, type FleetReading } from './world/worlds.js';
import type { World } from './world/world.js';

/** How a hub is: kind HubStatus (docs/reference/cli/hubstatus.schema.json). */
export interface HubStatus extends Limits {
  readonly apiVersion: string;
  readonly kind: 'HubStatus';
  readonly engines: readonly EngineSummary[];
  /** Absent where nothing that is known keeps the hub from deciding. */
  readonly undecided?: Undecided;
  readonly placements: {
    readonly total: number;
    /** How many have each phase that one of them has, the best first; `Satisfied` always. */
    readonly phases: Readonly<Record<string, number>>;
    /** How many hold clusters in their decision, or keep them out of it. */
    readonly held: number;
    /** Those that are held or not satisfied. */
    readonly others: readonly PlacementSummary[];
  };
  /** Absent where clusters could not be read: a count of zero would be a claim. */
  readonly clusters?: FleetSummary;
}

/** The engine and the Placements of a hub, as their statuses have them. */
export interface HubSummary {
  /** By name; a hub has one. */
  readonly engines: readonly EngineSummary[];
  /** By namespace and name. */
  readonly placements: readonly PlacementSummary[];
}

export interface EngineSummary {
  readonly name: string;
  /** `Pending` without a status. */
  readonly phase: string;
  /** Empty until every component was ready once. */
  readonly version: string;
  /** The condition Ready; empty without one. */
  readonly message: string;
  readonly components: readonly ComponentSummary[];
  /** The components that its spec turns off, by name, with what does not happen meanwhile. */
  readonly off: readonly Pick<ComponentSummary, 'name' | 'message'>[];
}

/** Whether the spec of the engine turns the component off. */
export function isOff({ off }: EngineSummary, component: string): boolean {
  return off.some(({ name }) => name === component);
}

export interface ComponentSummary {
  readonly name: string;
  readonly available: boolean;
  readonly message: string;
}

export interface PlacementSummary {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  /**
   * The message of RemovalsHeld, AdditionsHeld, Paused or ChangesWaiting, the first that is True; else that of
   * PlacementSatisfied.
   */
  readonly message: string;
  /** The reason of the same condition. */
  readonly reason: string;
  /** Whether clusters are held in the decision, or kept out of it. */
  readonly held: boolean;
  /** Since when it is paused, as the condition has it; undefined while it is not. */
  readonly pausedSince?: string;
  /** The message of the condition GroupsEmpty; undefined unless it is True. */
  readonly emptyGroups?: string;
}

/** Phases of a Placement in the order in which they are counted. */
const PHASES = [
  'Satisfied',
  'Waiting',
  'PartiallySatisfied',
  'Unsatisfied',
  'Held',
  'Paused',
  'Misconfigured',
  'Pending',
];

export function hubStatus(reading: FleetReading): HubStatus {
  const summary = hubSummary(reading.world);
  const { engines, placements } = summary;
  const stop = undecided(reading.world, summary);
  return {
    apiVersion: CLI_API_VERSION,
    kind: 'HubStatus',
    engines,
    ...(stop === undefined ? {} : { undecided: stop }),
    placements: {
      total: placements.length,
      phases: Object.fromEntries(phaseCounts(placements)),
      held: placements.filter(({ held }) => held).length,
      others: placements.filter(({ phase, held }) => phase !== 'Satisfied' || held),
    },
    ...(isWithheld(reading, 'managedclusters')
      ? {}
      : { clusters: fleetSummary(reading.world.objects.managedclusters) }),
    ...limitsOf(reading),
  };
}

export function hubSummary({ objects }: World): HubSummary {
  return {
    engines: objects.multiclusterengines.map(engineSummary).sort((a, b) => (a.name < b.name ? -1 : 1)),
    placements: objects.placements
      .map(placementSummary)
      .sort((a, b) => (`${a.namespace}/${a.name}` < `${b.namespace}/${b.name}` ? -1 : 1)),
  };
}

/** How many Placements have each phase that one of them has, the best first; `Satisfied` always. */
export function phaseCounts(
  placements: readonly PlacementSummary[],
): readonly (readonly [phase: string, count: number])[] {
  const counts = new Map<string, number>(PHASES.map((phase) => [phase, 0]));
  for (const { phase } of placements) counts.set(phase, (counts.get(phase) ?? 0) + 1);
  return [...counts].filter(([phase, count]) => count > 0 || phase === PHASES[0]);
}

function engineSummary({ metadata, status }: RawObject): EngineSummary {
  const components = recordsIn(field(status, 'components'))
    .filter((row) => textField(row, 'kind') === Deployments.kind)
    .map((row) => ({
      name: textField(row, 'name'),
      off: textField(row, 'reason') === 'Disabled',
      available: textField(row, 'status') === 'True',
      message: textField(row, 'message'),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const phase = textField(status, 'phase') || 'Pending';
  const { deletionTimestamp: deleted } = metadata;
  // Without an operator the status is that from before the deletion.
  const isUnseen = deleted !== undefined && phase !== 'Uninstalling';
  return {
    name: metadata.name,
    phase: isUnseen ? 'Uninstalling' : phase,
    version: textField(status, 'currentVersion'),
    message: isUnseen
      ? `its deletion was requested at ${deleted}, and no operator has begun it`
      : textField(conditionIn(status, 'Ready'), 'message'),
    components: components.flatMap(({ off, ...one }) => (off ? [] : [one])),
    off: components.flatMap(({ name, message, off }) => (off ? [{ name, message }] : [])),
  };
}

function placementSummary({ metadata, status }: RawObject): PlacementSummary {
  const isTrue = (one: unknown): boolean => textField(one, 'status') === 'True';
  const hold = HOLDS.map((type) => conditionIn(status, type)).find(isTrue);
  const held = hold !== undefined;
  const paused = [conditionIn(status, 'Paused')].find(isTrue);
  const empty = [conditionIn(status, 'GroupsEmpty')].find(isTrue);
  const waits = paused ?? [conditionIn(status, 'ChangesWaiting')].find(isTrue);
  const shown = hold ?? waits ?? conditionIn(status, 'PlacementSatisfied');
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    phase: textField(status, 'phase') || 'Pending',
    message: textField(shown, 'message'),
    reason: textField(shown, 'reason'),
    held,
    ...(paused === undefined ? {} : { pausedSince: textField(paused, 'lastTransitionTime') }),
    ...(empty === undefined ? {} : { emptyGroups: textField(empty, 'message') }),
  };
}

const HOLDS = ['RemovalsHeld', 'AdditionsHeld'] as const;

/** The conditions by which a Placement has a phase, where it is not that of PlacementSatisfied: the first that is True. */
const PHASE_CONDITIONS: Readonly<Record<string, readonly string[]>> = {
  Held: HOLDS,
  Paused: ['Paused'],
  Waiting: ['ChangesWaiting'],
  Misconfigured: ['PlacementMisconfigured'],
};

/** Since when a Placement has the phase of its status, RFC 3339; empty where that is not known. */
export function phaseSince(status: unknown): string {
  const types = PHASE_CONDITIONS[textField(status, 'phase') ?? ''];
  const named = types?.map((type) => conditionIn(status, type)).find((one) => textField(one, 'status') === 'True');
  return textField(types === undefined ? conditionIn(status, 'PlacementSatisfied') : named, 'lastTransitionTime');
}

/** A condition as a status has it; a text that is not there is empty. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly since: string;
}

export function conditionsOf(status: unknown): readonly Condition[] {
  return recordsIn(field(status, 'conditions')).map((one) => ({
    type: textField(one, 'type'),
    status: textField(one, 'status'),
    reason: textField(one, 'reason'),
    message: textField(one, 'message'),
    since: textField(one, 'lastTransitionTime'),
  }));
}
