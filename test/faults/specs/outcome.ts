import { asRecord, field, recordsIn, textField, type JsonRecord } from '../../../src/runtime/vocabulary/json.js';
import { TAINTS } from '../../../src/api/names.js';

/**
 * What is stored at the end of a step, without what depends on what was there before. docs/concepts/placement.md says of each
 * that it does: a cluster keeps its slot (`The decision`) and its piece (`Groups`), stays (`From namespace to decision`, 6), also
 * against spread (`Spread`), with a taint `NoSelectIfNew` (`Taints and tolerations`) and behind a toleration that ends (`tolerationSeconds`); a pause (`Pause`), windows and pauses of a
 * set (`Windows and pause of a cluster set`) and a spec that cannot be read (`What does not change a decision`) keep what was decided before.
 */
export function outcomeOf(texts: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const all = new Map<string, string>();
  const decisions = new Map<string, string[]>();
  const placements: [string, JsonRecord][] = [];
  const sticky = new Set<string>();
  for (const [key, text] of texts) {
    if (key.startsWith(DECISIONS)) remember(decisions, asRecord(JSON.parse(text)));
    else if (key.startsWith(PLACEMENTS)) placements.push([key, asRecord(JSON.parse(text))]);
    else if (!key.startsWith(CLUSTERS) || !text.includes(LOCAL))
      all.set(
        key,
        text.replace(GENERATION, '').replace(PORTS, (_, ports: string) => ports.split('},{').sort().join(' ')),
      );
    if (key.startsWith(CLUSTERS) && STICKY.test(text)) sticky.add(key.slice(CLUSTERS.length));
  }
  const isTimed = [...texts].some(([key, text]) => key.startsWith(SETS) && isTimedSet(field(JSON.parse(text), 'spec')));
  for (const [key, { spec, status }] of placements) {
    const selected = (decisions.get(key.slice(PLACEMENTS.length)) ?? []).filter((name) => !sticky.has(name));
    const conditions = recordsIn(field(status, 'conditions'))
      .filter(({ type }) => type !== 'Paused')
      .map(({ type, status: is, reason }) => `${String(type)} ${String(is)} ${String(reason)}`);
    const kept = isTimed ? 'nothing' : keptOf(asRecord(spec), conditions);
    const compared = { all: [selected.sort(), conditions], size: [selected.length, conditions], nothing: [] }[kept];
    all.set(key, JSON.stringify([spec, compared]));
  }
  return all;
}

const DECISIONS = 'placementdecisions.cluster.fleetmgmt.io ';
const PLACEMENTS = 'placements.cluster.fleetmgmt.io ';
const CLUSTERS = 'managedclusters.cluster.fleetmgmt.io ';
const SETS = 'managedclustersets.cluster.fleetmgmt.io ';
/** The ManagedCluster of the hub stays when its name changes, and when it is turned off (`localCluster` in the definition of engines). */
const LOCAL = '"local-cluster":"true"';
/** The operator adds to the ports of a NetworkPolicy, whose order means nothing. */
const PORTS = /"ports":\[\{([^\]]*)\}\]/g;
/** Of a cluster that stays where it is, and does not come in elsewhere. */
const STICKY = /"maintenance":"Cordoned"|"effect":"NoSelectIfNew"|"hubAcceptsClient":true/;
const GENERATION = /"observedGeneration":-?\d+,?/g;

function remember(decisions: Map<string, string[]>, { metadata, status }: JsonRecord): void {
  const namespace = textField(metadata, 'namespace');
  const owner = textField(recordsIn(field(metadata, 'ownerReferences'))[0], 'name');
  const names = recordsIn(field(status, 'decisions')).map((one) => textField(one, 'clusterName'));
  const key = `${namespace}/${owner}`;
  decisions.set(key, [...(decisions.get(key) ?? []), ...names]);
}

function isTimedSet(spec: unknown): boolean {
  return field(spec, 'paused') === true || recordsIn(field(spec, 'changeWindows')).length > 0;
}

/** How much of the decision is the same whatever was decided before. */
function keptOf(spec: JsonRecord, conditions: readonly string[]): 'all' | 'size' | 'nothing' {
  if (spec['paused'] === true || conditions.some((one) => one.startsWith('PlacementMisconfigured True')))
    return 'nothing';
  const ends = recordsIn(spec['tolerations']).some(
    ({ key, tolerationSeconds }) => tolerationSeconds !== undefined && key !== TAINTS.unreachable,
  );
  const spreads = recordsIn(field(spec['spreadPolicy'], 'spreadConstraints')).some(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule',
  );
  if (ends || spreads) return 'nothing';
  const isNumbered = [spec, ...recordsIn(spec['predicates'])].some((one) => 'numberOfClusters' in one);
  return isNumbered ? 'size' : 'all';
}

/** The clusters of each Placement, by `namespace/name`. */
export function decisionsIn(texts: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const decisions = new Map<string, string[]>();
  for (const [key, text] of texts) if (key.startsWith(DECISIONS)) remember(decisions, asRecord(JSON.parse(text)));
  return decisions;
}

/** Objects that neither are as wanted nor say what they wait for. */
export function silentIn(texts: ReadonlyMap<string, string>): readonly string[] {
  const judged = [...texts].filter(([key]) => JUDGED.test(key));
  return judged.flatMap(([key, text]) => {
    const conditions = recordsIn(field(field(JSON.parse(text), 'status'), 'conditions'));
    const isSilent = ({ status, message }: JsonRecord): boolean => status === 'Unknown' || !message;
    return conditions.length === 0 || conditions.some(isSilent)
      ? [`silent: ${key}: ${JSON.stringify(conditions)}`]
      : [];
  });
}

const JUDGED = /^(placements|managedclustersets|managedclustersetbindings|multiclusterengines)\./;
