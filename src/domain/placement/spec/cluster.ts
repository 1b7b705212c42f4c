import { isRecord } from '../../../runtime/vocabulary/json.js';
import { factsOf, isFactName, NO_FACTS, type FactNames } from '../../clusters/facts.js';
import {
  fieldsOf,
  readableAnnotations,
  SELECTION_FIELDS,
  type ClusterFields,
  type RawCluster,
  type SelectionField,
} from '../../clusters/fields.js';
import { isList, type StringMap } from '../../selectors.js';
import { readHubTaints, readTaints, sameTaints, type Taint } from './taint.js';

/** The types of the fields of {@link ClusterView}. */
interface FieldTypes {
  readonly name: string;
  readonly deleting: boolean;
  readonly labels: StringMap;
  /** The claims that the cluster publishes, and the facts of it that a spec names. */
  readonly claims: StringMap;
  readonly taints: readonly Taint[];
  /** Undefined where no expression reads annotations, and for a cluster without any. */
  readonly annotations?: StringMap;
}

/** What selection reads of a ManagedCluster: the fields that `clusters/fields.ts` lists. */
export type ClusterView = Pick<FieldTypes, SelectionField>;

const NO_TEXTS: StringMap = {};

/** For each field, whether two clusters have the same value. A field that were not compared could change unnoticed. */
const SAME: { readonly [Field in SelectionField]: (a: ClusterView, b: ClusterView) => boolean } = {
  name: (a, b) => a.name === b.name,
  deleting: (a, b) => a.deleting === b.deleting,
  labels: (a, b) => sameMap(a.labels, b.labels),
  claims: (a, b) => sameMap(a.claims, b.claims),
  taints: (a, b) => sameTaints(a.taints, b.taints),
  annotations: (a, b) => sameMap(a.annotations ?? NO_TEXTS, b.annotations ?? NO_TEXTS),
};
const COMPARISONS = SELECTION_FIELDS.map((field) => SAME[field]);

/** Whether selection makes no difference between the two. */
export function sameView(a: ClusterView, b: ClusterView): boolean {
  return COMPARISONS.every((same) => same(a, b));
}

/** Whether no expression can tell the two apart. */
export function sameForExpressions(a: ClusterView, b: ClusterView): boolean {
  return SAME.labels(a, b) && SAME.claims(a, b) && SAME.annotations(a, b);
}

/** Whether both have the same keys, with the same values. */
export function sameMap(a: StringMap, b: StringMap): boolean {
  if (a === b) return true;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  for (const key of keys) if (!Object.hasOwn(b, key) || a[key] !== b[key]) return false;
  return true;
}

/** The view of a ManagedCluster of a hub, with these facts. If several claims have one name, the first counts. */
export function clusterView(cluster: RawCluster, facts: FactNames = NO_FACTS): ClusterView {
  const fields = fieldsOf(cluster);
  return viewOf(fields, readHubTaints(fields.spec, fields.status), facts);
}

/** The view of a ManagedCluster of a file, which may have no status: it counts as joined if it has an agent. */
export function manifestView(cluster: RawCluster, facts: FactNames = NO_FACTS): ClusterView {
  const fields = fieldsOf(cluster);
  return viewOf(fields, readTaints(fields.spec, fields.status), facts);
}

function viewOf(fields: ClusterFields, taints: readonly Taint[], facts: FactNames): ClusterView {
  const { metadata } = fields;
  const annotations = facts === 'all' ? readableAnnotations(metadata.annotations) : undefined;
  return {
    name: metadata.name,
    deleting: metadata.deletionTimestamp !== undefined,
    labels: metadata.labels ?? {},
    claims: claimsOf(fields, facts),
    taints,
    ...(annotations !== undefined && { annotations }),
  };
}

function claimsOf(fields: ClusterFields, facts: FactNames): StringMap {
  const claims: Record<string, string> = {};
  for (const [name, value] of factsOf(fields, facts)) claims[name] = value;
  const listed = fields.status?.clusterClaims;
  for (const claim of isList(listed) ? listed : []) {
    if (!isRecord(claim)) continue;
    const { name, value } = claim;
    if (typeof name !== 'string' || typeof value !== 'string' || Object.hasOwn(claims, name)) continue;
    if (isFactName(name)) continue;
    // An assignment to this name would set the prototype.
    if (name === '__proto__') Object.defineProperty(claims, name, { value, enumerable: true });
    else claims[name] = value;
  }
  return claims;
}
