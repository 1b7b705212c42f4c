import { ALLOW_ADDITIONS_ANNOTATION, ALLOW_REMOVALS_ANNOTATION } from '../../../api/names.js';
import { boundedList, clip } from '../../conditions.js';
import { timestamp } from '../../../runtime/vocabulary/meta.js';
import { wordText } from '../explain/requirementtext.js';
import { readBasis } from '../stored/basis.js';
import { readRelease, type Release } from '../spec/budget.js';

/** What an annotation of a Placement lets leave or come in now, for people: nobody ends a release that nobody sees. */
export interface ActiveRelease {
  readonly annotation: string;
  readonly direction: 'Removals' | 'Additions';
  /** Undefined for a text that cannot be read, which releases nothing. */
  readonly release: Release | undefined;
  /** It is older than the loss of a definition, and does not release what is held for that. */
  readonly isOlderThanLoss: boolean;
}

/** A Placement as it is in the API. */
interface StoredPlacement {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly status?: unknown;
}

/** Characters of the clusters that a text names. */
const NAMES_LIMIT = 300;
const DIRECTIONS: Readonly<Record<ActiveRelease['direction'], { readonly all: string; readonly what: string }>> = {
  Removals: { all: 'all clusters that fail a rule', what: 'leave' },
  Additions: { all: 'all clusters that match', what: 'come in' },
};

/** The releases that have not ended at `now`, and those that cannot be read. */
export function activeReleases(
  { metadata: { annotations = {} }, status }: StoredPlacement,
  now: number,
): readonly ActiveRelease[] {
  const rows = [
    [ALLOW_REMOVALS_ANNOTATION, 'Removals'],
    [ALLOW_ADDITIONS_ANNOTATION, 'Additions'],
  ] as const;
  const releaseBefore = readBasis(status)?.releaseBefore;
  return rows.flatMap(([annotation, direction]) => {
    const text = annotations[annotation];
    if (text === undefined) return [];
    const release = readRelease(text);
    if (release !== undefined && now >= release.until) return [];
    const isOlderThanLoss = direction === 'Removals' && release !== undefined && release.id === releaseBefore;
    return [{ annotation, direction, release, isOlderThanLoss }];
  });
}

/** `prod-eu-2 may leave until 2026-11-22T12:10:00Z, and nothing holds them`. */
export function releaseLine({ annotation, direction, release, isOlderThanLoss }: ActiveRelease): string {
  if (release === undefined)
    return `annotation ${annotation} cannot be read and releases nothing: it must be TIME/NAMES or TIME/*`;
  const until = timestamp(release.until);
  const named = releasedText(direction, release);
  if (isOlderThanLoss) return `the release of ${named} until ${until} does not count: a definition was lost after it`;
  return `${named} may ${DIRECTIONS[direction].what} until ${until}, and nothing holds them`;
}

/** What brings back what went with a definition: not a release, which lets it go. Without a namespace: for all Placements. */
export function restoreText(namespace?: string): string {
  const of = namespace === undefined ? '' : ` of namespace ${namespace}`;
  return `to recover, create the clusters, sets and bindings${of} again, from Git or a backup`;
}

/** As {@link releaseLine}, with the command that takes the annotation away. */
export function endableLine(one: ActiveRelease, owner: Owner): string {
  return `${releaseLine(one)}; to ${one.release === undefined ? 'remove' : 'end'} it: ${endCommand(one, owner)}`;
}

/** The command that takes the annotation away. */
export function endCommand({ annotation }: ActiveRelease, { namespace, name }: Owner): string {
  return `kubectl annotate placement ${name} -n ${namespace} ${annotation}-`;
}

/** The Placement that has the annotation. */
interface Owner {
  readonly namespace: string;
  readonly name: string;
}

function releasedText(direction: ActiveRelease['direction'], { clusters, isDigested }: Release): string {
  if (clusters === undefined) return DIRECTIONS[direction].all;
  if (isDigested) return `${clusters.size} clusters`;
  // Anybody who may write the annotation writes these.
  const names = [...clusters].sort().map((one) => clip(wordText(one), NAMES_LIMIT));
  return boundedList(names, ', ', NAMES_LIMIT);
}
