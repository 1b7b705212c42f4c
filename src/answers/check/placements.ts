import { TIME_ZONE_DATA_ANNOTATION } from '../../api/names.js';
import { timeZoneData } from '../../domain/placement/spec/changewindows.js';
import { setView } from '../../domain/placement/select/eligible.js';
import { field } from '../../runtime/vocabulary/json.js';
import { keyOf } from '../../runtime/vocabulary/names.js';
import { isOff, type HubSummary, type PlacementSummary } from '../status.js';
import {
  endCommand,
  releaseLine,
  restoreText,
  activeReleases,
  type ActiveRelease,
} from '../../domain/placement/report/releases.js';
import { LONGEST_RELEASE_MS } from '../../domain/placement/spec/budget.js';
import { someNames } from '../output.js';
import { undecided } from '../undecided.js';
import { missingKinds } from './definitions.js';
import { type HubInput, isLeaseHeld, podsOf } from './input.js';
import { failed, passed, unread, warning, type CheckResult } from './result.js';

/** The checks of Placements: whether a controller maintains them, their holds, pauses, releases and groups, and the zones of their windows. */

const MOST_NAMES = 3;
const LOSS_PAGE = 'docs/how-to/recover-from-a-mistake.md#a-definition-was-deleted';
const MOST_LINES = 3;

interface OwnedRelease {
  readonly owner: { readonly namespace: string; readonly name: string };
  readonly release: ActiveRelease;
}

/** Whether a placement controller maintains the decisions: Placements and decisions outlive a deleted engine. */
export function checkPlacements(input: HubInput, hub: HubSummary): CheckResult {
  const { reading, placementLease, now, targetNamespace, definitions } = input;
  const name = 'placements';
  const missing = missingKinds(definitions);
  const stop = undecided(reading.world, hub, missing);
  // Where all are missing nothing is installed, and whether a controller runs its Lease says.
  if (stop !== undefined && missing.length > 0 && missing.length < definitions.length)
    return failed(name, stop.message, stop.remedy);
  const withheld = reading.world.withheld.find(({ resource }) => resource === 'placements');
  if (withheld !== undefined) return unread(name, 'whether Placements are kept', withheld);
  const count = hub.placements.length;
  const noun = nounOf(hub.placements);
  const isMaintained = isLeaseHeld(placementLease, now);
  const [refused] = reading.refused;
  if (refused !== undefined && (count === 0 || isMaintained === true))
    return unread(name, `whether Placements of other namespaces than ${reading.namespace} are kept`, refused);
  if (count === 0) return checkNoPlacement(name, input);
  if (placementLease.lease.kind === 'Withheld')
    return unread(name, `whether ${count} ${noun} are kept`, placementLease.lease);
  if (isMaintained === true) return passed(name, `${count} ${noun} kept`);
  const message = `no controller maintains the decisions of ${count} ${noun}: no placement controller runs`;
  const [engine] = hub.engines;
  if (engine === undefined) return failed(name, message, 'kubectl get mce');
  const remedy = isOff(engine, 'placement-controller') ? `kubectl edit mce ${engine.name}` : podsOf(targetNamespace);
  return failed(name, message, remedy);
}

/** A namespace that does not exist is most often a misspelt one. */
function checkNoPlacement(name: string, { reading, absence }: HubInput): CheckResult {
  if (absence === undefined) return passed(name, 'there is no Placement');
  const { namespace = '' } = reading;
  if (absence.kind === 'Withheld')
    return unread(name, `whether there is a namespace ${namespace}, which has no Placement,`, absence);
  return absence.value === undefined
    ? passed(name, `there is no Placement in namespace ${namespace}`)
    : failed(name, absence.value, 'kubectl get namespaces');
}

/**
 * The Placements that hold clusters. It is a failure where a definition was deleted with its objects: it exists again, and nothing
 * else shows that the decisions are of a fleet that the hub no longer knows. Other holds are what a budget is for: they end with
 * time, or by the Placement's owner.
 */
export function checkHolds({ placements }: HubSummary): readonly CheckResult[] {
  const others = placements.filter((one) => one.held && !isLost(one));
  const results: CheckResult[] = [];
  const text = lossText(placements);
  if (text !== undefined) results.push(failed('holds', text, LOSS_PAGE));
  if (others.length > 0)
    results.push(
      warning(
        'holds',
        `${others.length} ${nounOf(others)} ${others.length === 1 ? 'holds' : 'hold'} clusters: ${namesOf(others)}`,
        'kubectl mce status -o wide',
      ),
    );
  return results;
}

/** A pause that is forgotten, of a Placement or a set, looks like a decision that nobody has to change. */
export function checkPaused({ placements }: HubSummary, input: HubInput): readonly CheckResult[] {
  const paused = placements
    .flatMap((one) => (one.pausedSince === undefined ? [] : [{ ...one, pausedSince: one.pausedSince }]))
    .sort((a, b) => (a.pausedSince < b.pausedSince ? -1 : 1));
  const [first] = paused;
  const sets = checkPausedSets(input);
  if (first === undefined) return sets;
  const are = paused.length === 1 ? 'is' : 'are';
  const since = `${paused.length === 1 ? '' : 'the first '}since ${first.pausedSince}`;
  const text = `${paused.length} ${nounOf(paused)} ${are} paused, so nothing comes in or leaves: ${namesOf(paused)}, ${since}`;
  return [warning('paused', text, `kubectl mce resume placement ${first.name} -n ${first.namespace}`), ...sets];
}

function checkPausedSets({ reading }: HubInput): readonly CheckResult[] {
  const paused = reading.world.objects.managedclustersets.filter((one) => setView(one).times?.paused === true);
  const [first] = paused;
  if (first === undefined) return [];
  const [sets, are] = paused.length === 1 ? ['cluster set', 'is'] : ['cluster sets', 'are'];
  const names = someNames(paused.map(({ metadata }) => metadata.name).sort(), MOST_NAMES);
  const text = `${paused.length} ${sets} ${are} paused, so their clusters come into no decision and leave none: ${names}`;
  return [warning('paused', text, `kubectl edit mclset ${first.metadata.name}`)];
}

/** Groups without a cluster: a rollout that begins with one of them begins with the rest of the fleet. */
export function checkGroups({ placements }: HubSummary): readonly CheckResult[] {
  const lines = placements.flatMap(({ namespace, name, emptyGroups }) =>
    emptyGroups === undefined ? [] : [{ namespace, name, text: `${keyOf({ namespace, name })}: ${emptyGroups}` }],
  );
  const [first] = lines;
  if (first === undefined) return [];
  const more = lines.length > MOST_LINES ? ` and ${lines.length - MOST_LINES} more` : '';
  const texts = lines.slice(0, MOST_LINES).map(({ text }) => text);
  return [
    warning('groups', `${texts.join('; ')}${more}`, `kubectl mce tree placement ${first.name} -n ${first.namespace}`),
  ];
}

function isLost({ held, reason }: PlacementSummary): boolean {
  return held && reason === 'DefinitionsReplaced';
}

/** Of Placements that hold clusters since a definition was made anew; undefined without one. */
export function lossText(placements: readonly PlacementSummary[]): string | undefined {
  const lost = placements.filter(isLost);
  if (lost.length === 0) return undefined;
  const kept = `${lost.length} ${nounOf(lost)} ${lost.length === 1 ? 'keeps its decision' : 'keep their decisions'}`;
  return `a definition was deleted and made anew, and its objects are lost; ${kept} as before: ${namesOf(lost)}; ${restoreText()}`;
}

function nounOf({ length }: readonly PlacementSummary[]): string {
  return length === 1 ? 'Placement' : 'Placements';
}

function namesOf(placements: readonly PlacementSummary[]): string {
  return someNames(placements.map(keyOf), MOST_NAMES);
}

/** The releases of Placements: nothing bounds what they name, so one that lasts is a warning, and one that does nothing too. */
export function checkReleases({ reading, now }: HubInput): readonly CheckResult[] {
  const all = reading.world.objects.placements.flatMap((placement) => {
    const { namespace = '', name } = placement.metadata;
    return activeReleases(placement, now).map((release): OwnedRelease => ({ owner: { namespace, name }, release }));
  });
  const ofTerm = (term: Term): readonly OwnedRelease[] => all.filter(({ release }) => termOf(release, now) === term);
  return [
    ...textsOf(ofTerm('short')).map(({ text }) => passed('releases', text)),
    ...[ofTerm('long'), ofTerm('unreadable')].flatMap((some) =>
      textsOf(some).map(({ text, end }) => warning('releases', text, end)),
    ),
  ];
}

type Term = 'short' | 'long' | 'unreadable';

function termOf({ release }: ActiveRelease, now: number): Term {
  if (release === undefined) return 'unreadable';
  return release.until - now > LONGEST_RELEASE_MS ? 'long' : 'short';
}

/** One text, with the command that ends the first of the releases; none without a release. */
function textsOf(some: readonly OwnedRelease[]): readonly { readonly text: string; readonly end: string }[] {
  const [first] = some;
  if (first === undefined) return [];
  const lines = some.slice(0, MOST_LINES).map(({ owner, release }) => {
    return `${keyOf(owner)}: ${releaseLine(release)}`;
  });
  const more = some.length > MOST_LINES ? ` and ${some.length - MOST_LINES} more` : '';
  return [{ text: `${lines.join('; ')}${more}`, end: endCommand(first.release, first.owner) }];
}

/** Whether the controller and this program open change windows by the same zones. Without a window there is nothing to check. */
export function checkTimeZones({ reading, placementLease: { lease } }: HubInput): readonly CheckResult[] {
  const windows = [...reading.world.objects.placements, ...reading.world.objects.managedclustersets].flatMap(
    ({ spec }) => field(spec, 'changeWindows') ?? [],
  );
  if (windows.length === 0 || lease.kind === 'Withheld' || lease.value === undefined) return [];
  const [check, own] = ['time-zones', timeZoneData()];
  const theirs = lease.value.metadata.annotations?.[TIME_ZONE_DATA_ANNOTATION];
  if (theirs === own) return [passed(check, `change windows open by time zone data ${own}`)];
  const text =
    theirs === undefined
      ? 'change windows open by time zone data that the placement controller does not name'
      : `change windows open by time zone data ${theirs} of the placement controller`;
  return [warning(check, `${text}; this program computes with ${own}, and may name other times`)];
}
