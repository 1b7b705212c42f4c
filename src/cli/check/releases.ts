import {
  endCommand,
  releaseLine,
  standingReleases,
  type StandingRelease,
} from '../../domain/placement/report/standingrelease.js';
import type { HubFacts } from './facts.js';
import { passed, warning, type CheckResult } from './result.js';

const NAME = 'releases';
const MOST_LINES = 3;
/** As long as the command `release` makes them, at most. */
const LONGEST_MS = 86_400_000;

interface OwnedRelease {
  readonly owner: { readonly namespace: string; readonly name: string };
  readonly release: StandingRelease;
}

/** The releases of Placements: nothing bounds what they name, so one that lasts is a warning, and one that does nothing too. */
export function checkReleases({ reading, now }: HubFacts): readonly CheckResult[] {
  const all = reading.world.objects.placements.flatMap((placement) => {
    const { namespace = '', name } = placement.metadata;
    return standingReleases(placement, now).map((release): OwnedRelease => ({ owner: { namespace, name }, release }));
  });
  const unreadable = all.filter(({ release }) => release.release === undefined);
  const long = all.filter(({ release }) => (release.release?.until ?? now) - now > LONGEST_MS);
  const short = all.filter((one) => !unreadable.includes(one) && !long.includes(one));
  return [
    ...textsOf(short).map(({ text }) => passed(NAME, text)),
    ...[long, unreadable].flatMap((some) => textsOf(some).map(({ text, end }) => warning(NAME, text, end))),
  ];
}

/** One text, with the command that ends the first of the releases; none without a release. */
function textsOf(some: readonly OwnedRelease[]): readonly { readonly text: string; readonly end: string }[] {
  const [first] = some;
  if (first === undefined) return [];
  const lines = some.slice(0, MOST_LINES).map(({ owner, release }) => {
    return `${owner.namespace}/${owner.name}: ${releaseLine(release)}`;
  });
  const more = some.length > MOST_LINES ? ` and ${some.length - MOST_LINES} more` : '';
  return [{ text: `${lines.join('; ')}${more}`, end: endCommand(first.release, first.owner) }];
}
