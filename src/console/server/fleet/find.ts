import { grouped } from '../../../answers/world/world.js';
import { byNumbers, keyOf } from '../../../runtime/vocabulary/names.js';
import { HEALTHS } from '../../wire/fleet.js';
import type { Found, Meaning } from '../../wire/find.js';
import { shownPhase } from '../../wire/placement.js';
import { countsOf, fleetClusters, matchedBy, setFacets } from './fleet.js';
import { hubStatusOf } from '../placements.js';
import { questionOf, type Question } from './question.js';
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

export function findAnswer(snapshot: Snapshot, text: string): Found {
  const rows = meaningsOf(snapshot, questionOf(text));
  return { total: rows.length, rows: rows.slice(0, MOST) };
}

function meaningsOf(snapshot: Snapshot, question: Question): readonly Meaning[] {
  switch (question.kind) {
    case 'name':
      return question.text === ''
        ? statesOf(snapshot).map(({ meaning }) => meaning)
        : nearest([statesOf(snapshot), placementsOf(snapshot), setsOf(snapshot), clustersOf(snapshot)], question.text);
    case 'filter': {
      const { fault, matched } = matchedBy(snapshot, question.q);
      return fault === undefined ? [{ kind: 'filter', q: question.q, clusters: matched.length }] : [];
    }
    case 'why':
      return whysOf(snapshot, question.words);
    case 'drain':
      return nearest([clustersOf(snapshot)], question.cluster).flatMap((one): Meaning[] =>
        one.kind === 'cluster' ? [{ ...one, kind: 'drain' }] : [],
      );
    case 'edit':
    case 'history':
      return nearest([placementsOf(snapshot), clustersOf(snapshot)], question.name).flatMap((one): Meaning[] => {
        if (one.kind !== 'placement' && one.kind !== 'cluster') return [];
        return [{ kind: question.kind, namespace: one.kind === 'placement' ? one.namespace : '', name: one.name }];
      });
    case 'lose':
      return lossesOf(snapshot, question);
  }
}

/** Exact ones, then those that begin so, then those that hold the text; of these kind after kind, and by their numbers. */
function nearest(kinds: readonly (readonly Candidate[])[], text: string): readonly Meaning[] {
  const wanted = text.toLowerCase();
  const found: [Meaning[], Meaning[], Meaning[]] = [[], [], []];
  for (const { texts, meaning } of kinds.flat()) {
    if (texts.includes(wanted)) found[0].push(meaning);
    else if (texts.some((one) => one.startsWith(wanted))) found[1].push(meaning);
    else if (texts.some((one) => one.includes(wanted))) found[2].push(meaning);
  }
  return found.flat();
}

/** What is in trouble, by its word; the worst first. */
function statesOf(snapshot: Snapshot): readonly Candidate[] {
  return snapshot.once('find states', () => {
    const counts = countsOf(fleetClusters(snapshot));
    const healths = HEALTHS.filter((health) => counts[health] > 0).map((health) =>
      candidate([health], { kind: 'health', health, clusters: counts[health] }),
    );
    const { placements } = hubStatusOf(snapshot);
    const phases = grouped(
      placements,
      ({ phase, held }) => (held && phase !== 'Held' ? [phase, 'Held'] : [phase]),
      (one) => one,
    );
    const ofPhases = [...phases].map(([phase, those]) =>
      candidate([phase], { kind: 'phase', phase, placements: those.length }),
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

function placementsOf(snapshot: Snapshot): readonly Candidate[] {
  return snapshot.once('find placements', () =>
    hubStatusOf(snapshot)
      .placements.map((one) => {
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
function whysOf(snapshot: Snapshot, [first = '', second]: readonly string[]): readonly Meaning[] {
  if (second === undefined) return nearest([clustersOf(snapshot)], first);
  const pairs = [
    [first, second],
    [second, first],
  ].map(([cluster = '', placement = '']) => {
    const placements = nearest([placementsOf(snapshot)], placement).slice(0, MOST_OF_PAIR);
    const clusters = nearest([clustersOf(snapshot)], cluster).slice(0, MOST_OF_PAIR);
    return clusters.flatMap((one) => placements.flatMap((other) => whyOf(one, other)));
  });
  return pairs.find((found) => found.length > 0) ?? [];
}

function whyOf(cluster: Meaning, placement: Meaning): readonly Meaning[] {
  if (cluster.kind !== 'cluster' || placement.kind !== 'placement') return [];
  const { namespace, name } = placement;
  return [{ kind: 'why', cluster: cluster.name, namespace, name }];
}

interface Value {
  readonly source: 'label' | 'claim';
  readonly key: string;
  readonly value: string;
  clusters: number;
}

/** Where the value of a region stands is asked first, then a zone, then by the number of clusters. */
const FIRST_KEYS = [/(^|[./-])region$/, /region/, /zone/];

function lossesOf(snapshot: Snapshot, { key, value }: Extract<Question, { kind: 'lose' }>): readonly Meaning[] {
  const { ofKeys, ofValues, ofObjects } = snapshot.once('find losses', () => lossCandidates(snapshot));
  if (key === '') return nearest([ofKeys, ofValues, ofObjects], value);
  return nearest([ofValues.filter((one) => one.key === key || shortKey(one) === key)], value);
}

/** All that can be lost. A large fleet has tens of thousands of values: they are made once, and not for each key that is pressed. */
function lossCandidates(snapshot: Snapshot) {
  const { values, keys } = valuesIn(snapshot);
  const ofValues = values.map(({ source, key, value, clusters }) => ({
    key,
    ...candidate([value], { kind: 'lose', target: `${source}/${key}=${value}`, clusters }),
  }));
  const ofKeys = keys.map((one) => {
    const meaning = { kind: 'each', key: `${one.source}/${one.key}`, clusters: one.clusters } as const;
    return candidate([shortKey(one), one.key], meaning);
  });
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

/** All values of labels and claims, and their keys: those that one loses first. The name of a cluster is no value of it. */
function valuesIn(snapshot: Snapshot): { readonly values: readonly Value[]; readonly keys: readonly Value[] } {
  const pairs = fleetClusters(snapshot).flatMap(({ name, labels, claims }) => [
    ...pairsOf('label', labels, name),
    ...pairsOf('claim', claims, name),
  ]);
  return { values: countedValues(pairs), keys: countedValues(pairs.map((one) => ({ ...one, value: '' }))) };
}

type Pair = Omit<Value, 'clusters'>;

function pairsOf(source: Pair['source'], pairs: Readonly<Record<string, string>>, name: string): readonly Pair[] {
  return Object.entries(pairs).flatMap(([key, value]) => (value === name ? [] : [{ source, key, value }]));
}

function countedValues(pairs: readonly Pair[]): readonly Value[] {
  const values = new Map<string, Value>();
  for (const one of pairs) {
    const id = `${one.source}/${one.key}=${one.value}`;
    const known = values.get(id) ?? { ...one, clusters: 0 };
    known.clusters += 1;
    values.set(id, known);
  }
  const places = new Map(Array.from(values.values(), ({ key }) => [key, placeOf(key)]));
  const place = ({ key }: Value): number => places.get(key) ?? 0;
  return [...values.values()].sort(
    (a, b) => place(a) - place(b) || b.clusters - a.clusters || byNumbers(a.key, b.key) || byNumbers(a.value, b.value),
  );
}

function placeOf(key: string): number {
  const at = FIRST_KEYS.findIndex((one) => one.test(key));
  return at < 0 ? FIRST_KEYS.length : at;
}
