import { ManagedClusters, Placements } from '../../api/resources.js';
import { maintenanceOf } from '../../domain/clusters/maintenance.js';
import { asRecord, field } from '../../runtime/vocabulary/json.js';
import type { RawObject, ResourceType } from '../../runtime/vocabulary/meta.js';
import { keyOf } from '../../runtime/vocabulary/names.js';
import { USUAL_RELEASE_MS } from '../../domain/placement/spec/budget.js';
import { drainedPlacements, maintainedIn, type DrainedPlacement } from '../drain.js';
import { meantAmong } from '../meant.js';
import { NotFoundError } from '../output.js';
import type { World } from '../world/world.js';
import {
  MAINTENANCES,
  maintenanceText,
  maintenanceWrite,
  type AnnotationWrite,
  type SpecWrite,
  frozenLines,
  pauseText,
  pauseWrite,
  withObject,
  withSpec,
} from './write.js';
import { releaseOf } from './release.js';

/** What somebody does to one object, and what comes of it, before it is done. */

const PLACEMENT_ACTIONS = ['pause', 'resume', 'release', 'releaseAdditions'] as const;
const CLUSTER_ACTIONS = ['cordon', 'drain', 'uncordon'] as const;

export type PlacementAction = (typeof PLACEMENT_ACTIONS)[number];
export type ClusterAction = (typeof CLUSTER_ACTIONS)[number];

export interface Action {
  /** As the command of this name; `releaseAdditions` as `release --additions`. */
  readonly kind: PlacementAction | ClusterAction;
  /** Empty for a cluster. */
  readonly namespace: string;
  readonly name: string;
}

export function isAction(kind: string): kind is Action['kind'] {
  return [...PLACEMENT_ACTIONS, ...CLUSTER_ACTIONS].some((one) => one === kind);
}

/** What an action says, and how it is made and ended on a command line. */
export interface ActionText {
  /** `shop/web is paused`; where nothing is to be written, why. */
  readonly done: string;
  /** What it keeps, lets go or moves, beside the decisions that it changes. */
  readonly lines: readonly string[];
  /** The worst that it can do, what bounds that, and how one gets back. */
  readonly notes: readonly string[];
  /** The words of the command, and of the one that ends it. */
  readonly command: readonly string[];
  readonly undo: readonly string[];
}

export interface ActionOutcome extends ActionText {
  /** Undefined where it is so already. */
  readonly write: SpecWrite | AnnotationWrite | undefined;
  /** The world once it is written. */
  readonly after: World;
}

/**
 * What the action writes and says. `onDecision` runs before each decision that is computed for it. @throws NotFoundError,
 * RefusedError as the command does
 */
export function actionOutcome(world: World, action: Action, onDecision?: () => void): ActionOutcome {
  const { kind, namespace, name } = action;
  switch (kind) {
    case 'cordon':
    case 'drain':
    case 'uncordon':
      return maintained(
        world,
        { kind, cluster: found(world, ManagedClusters, { namespace: undefined, name }) },
        onDecision,
      );
    case 'pause':
    case 'resume':
      return paused(world, { kind, placement: found(world, Placements, { namespace, name }) });
    case 'release':
    case 'releaseAdditions':
      return released(world, { kind, placement: found(world, Placements, { namespace, name }) });
  }
}

function found(
  world: World,
  type: ResourceType,
  { namespace, name }: { readonly namespace: string | undefined; readonly name: string },
): RawObject {
  const all = type === Placements ? world.objects.placements : world.objects.managedclusters;
  const key = keyOf({ ...(namespace !== undefined && { namespace }), name });
  const object = all.find(({ metadata }) => keyOf(metadata) === key);
  if (object !== undefined) return object;
  throw new NotFoundError(`${type.kind} ${key} was not found${meantAmong(all, namespace, name)}`);
}

function mce(...words: readonly string[]): readonly string[] {
  return ['kubectl', 'mce', ...words];
}

/** The words of the command that does it. */
export function commandOf({ kind, namespace, name }: Action): readonly string[] {
  if (namespace === '') return mce(kind, name);
  const [verb, flags] = kind === 'releaseAdditions' ? ['release', ['--additions']] : [kind, []];
  return mce(verb, 'placement', name, '-n', namespace, ...flags);
}

interface OfPlacement<Kind> {
  readonly kind: Kind;
  readonly placement: RawObject;
}

function paused(world: World, { kind, placement }: OfPlacement<'pause' | 'resume'>): ActionOutcome {
  const { namespace = '', name } = placement.metadata;
  const isPause = kind === 'pause';
  const write = pauseWrite(placement, isPause);
  return {
    done: pauseText({ namespace, name }, isPause, write === undefined),
    lines: isPause ? frozenLines(world, { namespace, name }).map((line) => line.trim()) : [],
    notes: isPause ? PAUSE_NOTES : [boundNote(placement), RESUME_NOTE],
    command: commandOf({ kind, namespace, name }),
    undo: commandOf({ kind: isPause ? 'resume' : 'pause', namespace, name }),
    write,
    after: write === undefined ? world : withSpec(world, placement, asRecord(write.spec)),
  };
}

const PAUSE_NOTES = [
  'While it is paused nothing takes the place of a cluster that is lost, and nothing leaves, whatever rule it fails.',
  'It ends when somebody resumes it: no time ends it.',
];
const RESUME_NOTE = 'Another pause stops what has not moved yet; it brings nothing back that has left.';

function boundNote({ spec }: RawObject): string {
  return field(spec, 'disruptionBudget') === undefined
    ? 'The Placement has no disruption budget: all of this happens at once.'
    : 'Its disruption budget bounds how much of this happens at once.';
}

function released(world: World, { kind, placement }: OfPlacement<'release' | 'releaseAdditions'>): ActionOutcome {
  const { namespace = '', name } = placement.metadata;
  const additions = kind === 'releaseAdditions';
  const release = releaseOf(world, placement, { additions, clusters: undefined, until: world.at + USUAL_RELEASE_MS });
  const { line, write } = release;
  const annotations = { ...placement.metadata.annotations, ...write?.annotations };
  const after = { ...placement, metadata: { ...placement.metadata, annotations } };
  const [annotation = ''] = Object.keys(write?.annotations ?? {});
  return {
    done: line,
    lines: [line],
    notes: [
      `Only the clusters that are held now ${additions ? 'come in' : 'leave'}, within ten minutes; no budget bounds these.`,
      additions
        ? 'The end of the release takes none of them out again.'
        : 'One that has left comes back only where it is selected anew.',
    ],
    command: commandOf({ kind, namespace, name }),
    undo: ['kubectl', 'annotate', 'placement', name, '-n', namespace, `${annotation}-`],
    write,
    after: write === undefined ? world : withObject(world, 'placements', after),
  };
}

const MAINTENANCE_NOTES: Readonly<Record<ClusterAction, readonly string[]>> = {
  cordon: [
    'Placements that have selected it keep it; none selects it anew, also where it would be the only replacement.',
    'It ends when somebody uncordons it: no time ends it.',
  ],
  drain: [
    'It leaves the decision of every Placement that does not tolerate this, also where nothing takes its place; disruption budgets bound how many leave at once.',
    'Uncordon lets Placements select it again; what has come in for it stays.',
  ],
  uncordon: ['Placements that want more clusters, or any better one, may select it at once.'],
};

/** Those that move are in the plan. */
const STAYING: readonly DrainedPlacement['kind'][] = ['Tolerated', 'Held', 'Waits', 'Misconfigured'];

function maintained(
  world: World,
  { kind, cluster }: { readonly kind: ClusterAction; readonly cluster: RawObject },
  onDecision?: () => void,
): ActionOutcome {
  const { name } = cluster.metadata;
  const write = maintenanceWrite(cluster, kind);
  const drained = kind === 'drain' ? drainedPlacements(world, name, onDecision) : [];
  const stays = drained.filter((one) => STAYING.includes(one.kind));
  const before = maintenanceOf(asRecord(cluster.spec)) === 'Draining' ? 'drain' : 'cordon';
  return {
    done: maintenanceText(name, kind, write === undefined),
    lines: stays.map((one) => `${one.namespace}/${one.name}: ${one.text}`),
    notes: MAINTENANCE_NOTES[kind],
    command: mce(kind, name),
    undo: mce(kind === 'uncordon' ? before : 'uncordon', name),
    write,
    after: write === undefined ? world : maintainedIn(world, name, MAINTENANCES[kind]),
  };
}
