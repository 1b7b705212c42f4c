import { nearestName } from '../../../answers/meant.js';
import { byNumbers, keyOf } from '../../../runtime/vocabulary/names.js';
import { HEALTHS } from '../../wire/fleet.js';
import type { Found, Meaning } from '../../wire/find.js';
import { shownPhase } from '../../wire/placement.js';
import { allKeys, counted, countsOf, fleetClusters, fleetKeys, matchedBy, setFacets } from './fleet.js';
import { matchesAll, parseQuery, termText } from './query.js';
import { placementsOf } from '../placements.js';
import { askedFor, questionOf, type Question } from './question.js';
import type { Snapshot } from '../snapshot.js';

/** What a text in the box can mean on this hub. */

/** So many are sent: who does not find it among them writes more of it. */
const MOST = 12;
/** Of each side of `why CLUSTER PLACEMENT`. */
const MOST_OF_PAIR = 4;

/** Something that can be meant, by the text that one writes for it. */
interface Candidate {
  /** In lower case; `shop/web` is found by `web`, too. */
  readonly texts: readonly string[];
  readonly meaning: Meaning;
}

function candidate(texts: readonly string[], meaning: Meaning): Candidate {
  return { texts: texts.map((one) => one.toLowerCase()), meaning };
}

/** `ask`: the only kind that is meant, of which the text is a part; empty: any, and the text may be a question. */
export function findAnswer(snapshot: Snapshot, text: string, ask = ''): Found {
  const question = ask === '' ? questionOf(text) : askedFor(ask, text);
  const meant = (isGuess: boolean): readonly Meaning[] =>
    meaningsOf(snapshot, question, isGuess).filter(
      // What stands in the field already is nothing to choose.
      (one) => ask === '' || (one.kind === ask && !(one.kind === 'filter' && one.q === text)),
    );
  const found = meant(false);
  const rows = found.length > 0 ? found : meant(true);
  return {
    total: rows.length,
    rows: rows.slice(0, MOST),
    ...(found.length < rows.length && { isGuess: true as const }),
  };
}

/** `isGuess`: where nothing has a name that is written, what is named alike has it. */
function meaningsOf(snapshot: Snapshot, question: Question, isGuess: boolean): readonly Meaning[] {
  const clusters = [clustersOf(snapshot)];
  switch (question.kind) {
    case 'name':
      return question.text === ''
        ? statesOf(snapshot).map(({ meaning }) => meaning)
        : nearest(
            [statesOf(snapshot), placementNames(snapshot), setsOf(snapshot), ...clusters],
            question.text,
            isGuess,
          );
    case 'filter':
      return isGuess ? [] : filtersOf(snapshot, question.q);
    case 'why':
      return whysOf(snapshot, question.words, isGuess);
    case 'drain':
      return nearest(clusters, question.cluster, isGuess).flatMap((one): Meaning[] =>
        one.kind === 'cluster' ? [{ ...one, kind: 'drain' }] : [],
      );
    case 'edit':
    case 'history':
      return nearest([placementNames(snapshot), ...clusters], question.name, isGuess).flatMap((one): Meaning[] => {
        if (one.kind !== 'placement' && one.kind !== 'cluster') return [];
        return [{ kind: question.kind, namespace: one.kind === 'placement' ? one.namespace : '', name: one.name }];
      });
    case 'lose':
      return lossesOf(snapshot, question, isGuess);
  }
}

/** The query, and those that go on with its last term, each with the clusters that it matches. */
function filtersOf(snapshot: Snapshot, q: string): readonly Meaning[] {
  const { fault, matched } = matchedBy(snapshot, q);
  const at = q.lastIndexOf(' ') + 1;
  const [before, last] = [q.slice(0, at), q.slice(at)];
  // `region=eu` can mean a label or a claim.
  const isMeant = (term: string): boolean => term.startsWith(last) || (last.includes('=') && term.includes(`:${last}`));
  const terms = termsOf(snapshot).filter((term) => isMeant(term) && term !== last);
  const own: Meaning[] = fault === undefined && q !== '' ? [{ kind: 'filter', q, clusters: matched.length }] : [];
  const clusters = matchedBy(snapshot, before).matched;
  return [
    ...own,
    ...terms.slice(0, MOST).flatMap((term): Meaning[] => {
      const parsed = parseQuery(term);
      if (parsed.kind === 'fault') return [];
      const count = clusters.filter((one) => matchesAll(parsed.terms, one)).length;
      return [{ kind: 'filter', q: before + term, clusters: count }];
    }),
  ];
}

/** What a term of a query can be on this hub. */
function termsOf(snapshot: Snapshot): readonly string[] {
  return snapshot.once('find terms', () => [
    ...HEALTHS.map((health) => `health:${health}`),
    ...setFacets(snapshot).map(({ value }) => termText('set', value)),
    ...fleetKeys(snapshot).flatMap(({ source, key, values }) => [
      termText(source, key),
      ...values.map(({ value }) => termText(source, `${key}=${value}`)),
    ]),
  ]);
}

/** Exact ones, then those that begin so, then those that hold the text; of these kind after kind, and by their numbers. */
function nearest(kinds: readonly (readonly Candidate[])[], text: string, isGuess: boolean): readonly Meaning[] {
  const wanted = text.toLowerCase();
  const found: [Meaning[], Meaning[], Meaning[]] = [[], [], []];
  for (const { texts, meaning } of kinds.flat()) {
    if (texts.includes(wanted)) found[0].push(meaning);
    else if (texts.some((one) => one.startsWith(wanted))) found[1].push(meaning);
    else if (texts.some((one) => one.includes(wanted))) found[2].push(meaning);
  }
  const all = found.flat();
  return all.length > 0 || !isGuess ? all : alike(kinds.flat(), wanted);
}

/** What has the name that was probably meant. */
function alike(candidates: readonly Candidate[], text: string): readonly Meaning[] {
  const near = nearestName(
    text,
    candidates.flatMap(({ texts }) => texts),
  );
  return candidates.flatMap(({ texts, meaning }) => (near !== undefined && texts.includes(near) ? [meaning] : []));
}

/** `no agent`, as the page says it, for `noAgent`. */
function spaced(word: string): string {
  return word.replaceAll(/(?<=.)[A-Z]/g, (letter) => ` ${letter}`);
}

/** What is in trouble, by its word; the worst first. */
function statesOf(snapshot: Snapshot): readonly Candidate[] {
  return snapshot.once('find states', () => {
    const counts = countsOf(fleetClusters(snapshot));
    const healths = HEALTHS.filter((health) => counts[health] > 0).map((health) =>
      candidate([health, spaced(health)], { kind: 'health', health, clusters: counts[health] }),
    );
    const ofPhases = [...counted(placementsOf(snapshot).map(shownPhase))].map(([phase, placements]) =>
      candidate([phase, spaced(phase)], { kind: 'phase', phase, placements }),
    );
    return [...healths, ...ofPhases];
  });
}

/** In the order of their names. */
function clustersOf(snapshot: Snapshot): readonly Candidate[] {
  return snapshot.once('find clusters', () =>
    fleetClusters(snapshot).map(({ name, health }) => candidate([name], { kind: 'cluster', name, health })),
  );
}

function placementNames(snapshot: Snapshot): readonly Candidate[] {
  return snapshot.once('find placements', () =>
    placementsOf(snapshot)
      .map((one) => {
        const { namespace, name } = one;
        return candidate([name, keyOf(one)], { kind: 'placement', namespace, name, phase: shownPhase(one) });
      })
      .sort((a, b) => byNumbers(a.texts[1] ?? '', b.texts[1] ?? '')),
  );
}

function setsOf(snapshot: Snapshot): readonly Candidate[] {
  return snapshot.once('find sets', () => {
    const counts = new Map(setFacets(snapshot).map(({ value, count }) => [value, count]));
    return snapshot.world.objects.managedclustersets
      .map(({ metadata: { name } }) => candidate([name], { kind: 'set', name, clusters: counts.get(name) ?? 0 }))
      .sort((a, b) => byNumbers(a.texts[0] ?? '', b.texts[0] ?? ''));
  });
}

/** Each cluster that is meant with each Placement that is meant; one word alone is a cluster. */
function whysOf(snapshot: Snapshot, [first = '', second]: readonly string[], isGuess: boolean): readonly Meaning[] {
  if (second === undefined) return nearest([clustersOf(snapshot)], first, isGuess);
  const pairs = [
    [first, second],
    [second, first],
  ].map(([cluster = '', placement = '']) => {
    const placements = nearest([placementNames(snapshot)], placement, isGuess).slice(0, MOST_OF_PAIR);
    const clusters = nearest([clustersOf(snapshot)], cluster, isGuess).slice(0, MOST_OF_PAIR);
    return clusters.flatMap((one) => placements.flatMap((other) => whyOf(one, other)));
  });
  return pairs.find((found) => found.length > 0) ?? [];
}

function whyOf(cluster: Meaning, placement: Meaning): readonly Meaning[] {
  if (cluster.kind !== 'cluster' || placement.kind !== 'placement') return [];
  const { namespace, name } = placement;
  return [{ kind: 'why', cluster: cluster.name, namespace, name }];
}

/** Where the value of a region stands is asked first, then a zone, then by the number of clusters. */
const FIRST_KEYS = [/(^|[./-])region$/, /region/, /zone/];

function lossesOf(
  snapshot: Snapshot,
  { key, value }: Extract<Question, { kind: 'lose' }>,
  isGuess: boolean,
): readonly Meaning[] {
  const { ofKeys, ofValues, ofObjects } = snapshot.once('find losses', () => lossCandidates(snapshot));
  const ofKey = ofValues.filter((one) => one.key === key || shortKey(one) === key);
  const found = nearest(key === '' ? [ofKeys, ofValues, ofObjects] : [ofKey], value, isGuess);
  // What can be lost instead, a region first.
  return found.length > 0 || !isGuess ? found : nearest([ofKey, ofKeys, ofValues], '', false);
}

/**
 * All that can be lost, what one loses first before the rest. A large fleet has tens of thousands of values: they are made once, and
 * not for each key that is pressed. The name of a cluster is no value of it.
 */
function lossCandidates(snapshot: Snapshot) {
  const names = new Set(fleetClusters(snapshot).map(({ name }) => name));
  const values = allKeys(snapshot).flatMap(({ source, key, values: all }) => {
    const place = placeOf(key);
    return all.flatMap(({ value, count }) =>
      names.has(value) ? [] : [{ source, key, value, clusters: count, place }],
    );
  });
  const sorted = values.sort(
    (a, b) => a.place - b.place || b.clusters - a.clusters || byNumbers(a.key, b.key) || byNumbers(a.value, b.value),
  );
  const ofValues = sorted.map(({ source, key, value, clusters }) => ({
    key,
    ...candidate([value], { kind: 'lose', target: `${source}/${key}=${value}`, clusters }),
  }));
  const counts = new Map<string, number>();
  for (const { source, key, clusters } of sorted)
    counts.set(`${source}/${key}`, (counts.get(`${source}/${key}`) ?? 0) + clusters);
  const keys = Array.from(counts, ([of, clusters]) => ({ of, key: of.slice(of.indexOf('/') + 1), clusters }));
  const ofKeys = keys
    .sort((a, b) => placeOf(a.key) - placeOf(b.key) || b.clusters - a.clusters || byNumbers(a.key, b.key))
    .map((one) => candidate([shortKey(one), one.key], { kind: 'each', key: one.of, clusters: one.clusters }));
  const ofObjects = [...setsOf(snapshot), ...clustersOf(snapshot)].flatMap(({ texts, meaning }): Candidate[] => {
    if (meaning.kind === 'set')
      return [{ texts, meaning: { kind: 'lose', target: `mclset/${meaning.name}`, clusters: meaning.clusters } }];
    return meaning.kind === 'cluster'
      ? [{ texts, meaning: { kind: 'lose', target: `mcl/${meaning.name}`, clusters: 1 } }]
      : [];
  });
  return { ofKeys, ofValues, ofObjects };
}

/** `topology.kubernetes.io/region` → `region`. */
function shortKey({ key }: { readonly key: string }): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

function placeOf(key: string): number {
  const at = FIRST_KEYS.findIndex((one) => one.test(key));
  return at < 0 ? FIRST_KEYS.length : at;
}
