import type { JsonRecord } from '../../runtime/vocabulary/json.js';
import { LAST_APPLIED, TAINTS } from '../../api/names.js';
import type { ObjectMeta } from '../../runtime/vocabulary/meta.js';
import { parse, quote, readList, readObject, readString, reject } from '../selectors.js';
import { claimDifference, claimName, expressionDifferences, labelDifference } from './ocmnames.js';
import { scoreClaimName } from './source.js';

/**
 * The spec of a Placement of Open Cluster Management (v1beta1), field by field. Names and nesting are the same but for
 * ClusterSets; what a field means differs in places, and each such place is noted. Types and limits are not checked here: the
 * definition of the result does it.
 */

/** `isFault`: the field cannot be carried over. */
export type Note = (field: string, text: string, isFault?: true) => void;

/** A field: how it is called here, and its value; undefined for one that is left out. */
interface Field {
  readonly to?: string;
  readonly read?: (value: unknown, path: string, note: Note) => unknown;
}

type Fields = Readonly<Record<string, Field>>;

/** A configuration of `prioritizerPolicy`, as it is here. */
interface Configuration {
  readonly scoreCoordinate: JsonRecord;
  readonly weight: unknown;
}

const PLACEMENT = 'a Placement of OCM (v1beta1)';
const SAME: Field = {};
const OCM_PREFIX = 'cluster.open-cluster-management.io/';
/** Its presence stops the scheduling of a Placement. */
const DISABLED = `${OCM_PREFIX}experimental-scheduling-disable`;
const OWN_METADATA = ['name', 'namespace', 'labels', 'annotations'] as const;
const LEFT_METADATA = ['finalizers', 'ownerReferences'] as const;

const SELECTOR: Fields = {
  labelSelector: { read: labelSelector },
  claimSelector: { read: claimSelector },
  celSelector: { read: celSelector },
};
const SPEC: Fields = {
  clusterSets: { to: 'ClusterSets' },
  numberOfClusters: SAME,
  predicates: { read: listOf({ requiredClusterSelector: { read: objectOf(SELECTOR) } }) },
  tolerations: {
    read: listOf({
      key: { read: taintKey },
      operator: SAME,
      value: SAME,
      effect: SAME,
      tolerationSeconds: { read: seconds },
    }),
  },
  prioritizerPolicy: { read: prioritizers },
  spreadPolicy: { read: objectOf({ spreadConstraints: { read: spreadConstraints } }) },
  decisionStrategy: { read: objectOf({ groupStrategy: { read: groups } }) },
  sortBy: { read: leftOut('the lists of a decision have no order that means anything') },
  scoreRateLimit: { read: leftOut('a change of scores alone writes nothing here') },
};

const GROUP_SELECTOR: Fields = { labelSelector: { read: labelSelector }, claimSelector: { read: claimSelector } };
const GROUP: Fields = { groupName: SAME, groupClusterSelector: { read: objectOf(GROUP_SELECTOR) } };
const GROUPS: Fields = { decisionGroups: { read: listOf(GROUP) }, clustersPerDecisionGroup: SAME };

const SPREADS = 'spreads here, and is in the API of OCM without effect';
const STEADY = 'Steady is left out: a selected cluster stays here; spec.rebalance.scoreMargin says when it does not';
/** What to write instead of a prioritizer that does not exist here. */
const INSTEAD: Readonly<Record<string, string>> = {
  Steady: STEADY,
  Spread: 'Spread is left out: write spec.spreadPolicy',
  Random: 'Random is left out: a stable hash decides between equals',
};
const BUILT_INS: readonly unknown[] = ['Balance', 'ResourceAllocatableCPU', 'ResourceAllocatableMemory'];
const BALANCE = { scoreCoordinate: { type: 'BuiltIn', builtIn: 'Balance' }, weight: 1 };

/** The spec here. Rejects a field that OCM does not have. */
export function placementSpec(value: unknown, note: Note): JsonRecord {
  const given = readObject(value, 'spec');
  const spec = objectOf(SPEC)(value, 'spec', note);
  const { spreadPolicy, ...others } = spec;
  const isCounted = typeof given['numberOfClusters'] === 'number';
  if (spreadPolicy !== undefined && !isCounted) {
    note('spec.spreadPolicy', 'is left out: it needs spec.numberOfClusters');
    return others;
  }
  if (spreadPolicy !== undefined) note('spec.spreadPolicy', SPREADS);
  if (!isCounted || given['prioritizerPolicy'] !== undefined) return spec;
  note('spec.prioritizerPolicy', 'Balance is added: OCM adds it, and Steady, to a Placement without the field');
  return { ...spec, prioritizerPolicy: { configurations: [BALANCE] } };
}

/** Whether the Placement is not scheduled. */
export function isDisabled({ annotations = {} }: ObjectMeta): boolean {
  return annotations[DISABLED] !== undefined;
}

/** What people write of it; of the rest the API server and controllers are the authors. */
export function metadataOf(metadata: ObjectMeta, note: Note): ObjectMeta {
  for (const field of LEFT_METADATA)
    if (metadata[field] !== undefined) note(`metadata.${field}`, 'is left out: it belongs to controllers of OCM');
  const { [LAST_APPLIED]: _last, [DISABLED]: disabled, ...annotations } = metadata.annotations ?? {};
  if (disabled !== undefined)
    note(`metadata.annotations[${DISABLED}]`, 'is spec.paused here: the first decision is made when it is resumed');
  const own = Object.fromEntries(
    OWN_METADATA.map((field) => [field, metadata[field]] as const).filter(([, one]) => one),
  );
  const { annotations: _all, ...rest } = own as unknown as ObjectMeta;
  return Object.keys(annotations).length === 0 ? rest : { ...rest, annotations };
}

/** Rejects the fields that are left when those that OCM has are taken away. `of`: what they are given for. */
export function rejectFields(others: JsonRecord, path: string, of = PLACEMENT): void {
  for (const key of Object.keys(others)) reject(`${path}.${key}`, `is no field of ${of}`);
}

function objectOf(fields: Fields): (value: unknown, path: string, note: Note) => JsonRecord {
  return (value, path, note) => {
    const result: Record<string, unknown> = {};
    for (const [key, one] of Object.entries(readObject(value, path))) {
      const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
      const at = `${path}.${key}`;
      if (field === undefined) note(at, `is no field of ${PLACEMENT}`, true);
      const read = field?.read === undefined ? one : noted(() => field.read?.(one, at, note), note);
      if (field !== undefined && read !== undefined) result[field.to ?? key] = read;
    }
    return result;
  };
}

/** What `read` returns; undefined for what it rejects, which is noted: people see all faults at once. */
function noted<T>(read: () => T, note: Note): T | undefined {
  const result = parse(read);
  if (result.ok) return result.value;
  note(result.problem.field, result.problem.message, true);
  return undefined;
}

function listOf(fields: Fields): (value: unknown, path: string, note: Note) => readonly unknown[] {
  return (value, path, note) =>
    readList(value, path).map((item, index) => objectOf(fields)(item, `${path}[${index}]`, note));
}

function leftOut(why: string): NonNullable<Field['read']> {
  return (_value, path, note) => {
    note(path, `is left out: ${why}`);
    return undefined;
  };
}

export function labelSelector(value: unknown, path: string, note: Note): unknown {
  const { matchLabels, matchExpressions } = readObject(value, path);
  const keys = [
    ...Object.keys(readObject(matchLabels, `${path}.matchLabels`)),
    ...readList(matchExpressions, `${path}.matchExpressions`).map((one) => readObject(one, path)['key']),
  ];
  for (const key of keys) if (typeof key === 'string') noteDifference(labelDifference(key), path, note);
  return value;
}

function noteDifference(text: string | undefined, path: string, note: Note): void {
  if (text !== undefined) note(path, text);
}

function claimSelector(value: unknown, path: string, note: Note): unknown {
  const given = readObject(value, path);
  const { matchExpressions } = given;
  if (matchExpressions === undefined) return given;
  const at = `${path}.matchExpressions`;
  const read = readList(matchExpressions, at).map((one, index) => withClaim(one, 'key', `${at}[${index}]`, note));
  return { ...given, matchExpressions: read };
}

/** The object with the name that the claim in its field `key` has here. */
function withClaim(value: unknown, key: string, path: string, note: Note): JsonRecord {
  const given = readObject(value, path);
  const { [key]: name } = given;
  if (typeof name !== 'string') return given;
  noteDifference(claimDifference(name), `${path}.${key}`, note);
  return { ...given, [key]: claimName(name) };
}

function spreadConstraints(value: unknown, path: string, note: Note): unknown {
  return readList(value, path).map((one, index) => {
    const at = `${path}[${index}]`;
    const { topologyKey, topologyKeyType } = readObject(one, at);
    if (topologyKeyType === 'Claim') return withClaim(one, 'topologyKey', at, note);
    if (typeof topologyKey === 'string') noteDifference(labelDifference(topologyKey), `${at}.topologyKey`, note);
    return one;
  });
}

function celSelector(value: unknown, path: string, note: Note): unknown {
  note(path, 'a cluster for which an expression fails does not match, and explain shows the error');
  for (const [index, one] of readList(readObject(value, path)['celExpressions'], `${path}.celExpressions`).entries()) {
    const at = `${path}.celExpressions[${index}]`;
    const text = typeof one === 'string' ? one : '';
    if (/\.\s*scores\s*\(/.test(text))
      reject(
        at,
        'calls scores(), which does not exist here: compare the claim score/RESOURCE/NAME in the claimSelector',
      );
    for (const difference of expressionDifferences(text)) note(at, difference);
  }
  return value;
}

function taintKey(value: unknown, path: string, note: Note): unknown {
  for (const name of ['unreachable', 'unavailable'] as const) {
    if (value !== `${OCM_PREFIX}${name}`) continue;
    note(path, `is ${TAINTS[name]} here`);
    return TAINTS[name];
  }
  return value;
}

function seconds(value: unknown, path: string, note: Note): unknown {
  note(path, 'keeps a selected cluster here, and lets no new one in');
  return value;
}

function groups(value: unknown, path: string, note: Note): unknown {
  note(path, 'a selected cluster keeps its piece here until the size is edited; OCM cuts again at each reconcile');
  return objectOf(GROUPS)(value, path, note);
}

function prioritizers(value: unknown, path: string, note: Note): unknown {
  const { mode, configurations, ...others } = readObject(value, path);
  rejectFields(others, path);
  const given = readList(configurations, `${path}.configurations`);
  const read = given.flatMap(
    (one, index) => noted(() => coordinate(one, `${path}.configurations[${index}]`, note), note) ?? [],
  );
  const isNamed = read.some(({ scoreCoordinate }) => scoreCoordinate['builtIn'] === 'Balance');
  if (mode === 'Exact' || isNamed) return read.length === 0 ? undefined : { configurations: read };
  if (mode !== undefined && mode !== 'Additive' && mode !== '')
    reject(`${path}.mode`, `${quote(mode)} is not Exact or Additive`);
  note(path, 'Balance is added: the mode Additive of OCM adds it, and Steady, where they are not named');
  return { configurations: [...read, BALANCE] };
}

/** One configuration; none for one that is left out. */
function coordinate(value: unknown, path: string, note: Note): readonly Configuration[] {
  const { scoreCoordinate, weight = 1, ...others } = readObject(value, path);
  rejectFields(others, path);
  const at = `${path}.scoreCoordinate`;
  const { type = 'BuiltIn', builtIn, addOn, ...more } = readObject(scoreCoordinate, at);
  rejectFields(more, at);
  if (type === 'AddOn') return [{ scoreCoordinate: addOnClaim(addOn, `${at}.addOn`, note), weight }];
  if (type !== 'BuiltIn' && type !== '') reject(`${at}.type`, `${quote(type)} is not BuiltIn or AddOn`);
  if (BUILT_INS.includes(builtIn)) {
    note(at, 'scores are 0 to 100 here, and -100 to 100 there');
    return [{ scoreCoordinate: { type: 'BuiltIn', builtIn }, weight }];
  }
  const instead = typeof builtIn === 'string' && Object.hasOwn(INSTEAD, builtIn) ? INSTEAD[builtIn] : undefined;
  if (instead === undefined) reject(`${at}.builtIn`, `${quote(builtIn)} is no prioritizer of OCM`);
  note(at, instead);
  return [];
}

/** With the range of scores of OCM, so that the weights mean the same. */
function addOnClaim(value: unknown, path: string, note: Note): JsonRecord {
  const { resourceName, scoreName, ...others } = readObject(value, path);
  rejectFields(others, path);
  const name = scoreClaimName(
    readString(resourceName, `${path}.resourceName`),
    readString(scoreName, `${path}.scoreName`),
  );
  note(
    path,
    `is the claim ${name} here, which the adapter writes; a cluster without it has the score 0 of 0 to 100, and 0 of -100 to 100 in OCM`,
  );
  return { type: 'Claim', claim: { name, min: '-100', max: '100' } };
}
