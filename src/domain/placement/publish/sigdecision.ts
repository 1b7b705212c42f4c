import { sameJson } from '../../../runtime/vocabulary/json.js';
import type { KubeObject, ObjectMeta } from '../../../runtime/vocabulary/meta.js';
import { DECISION_KEY_LABEL, DECISION_SIZE, PRODUCT, SOURCE_ANNOTATION } from '../../../api/names.js';
import { ClusterProfiles, SigPlacementDecisions } from '../../../api/resources.js';
import { apiVersionOf } from '../../../runtime/vocabulary/kinds.js';
import { sourceName } from '../../inventories/source.js';
import { ownerReferences, ownershipOf, type DecisionOwner, type StoredDecision } from '../stored/decision.js';
import { isList } from '../../selectors.js';

/**
 * A decision as PlacementDecisions of SIG Multicluster (multicluster.x-k8s.io/v1alpha1, KEP-5313): for each decision object of
 * a Placement one of the same namespace and name, with the same clusters in the same order.
 */

/** One cluster of a decision. Without a namespace the ClusterProfile is in that of the decision. */
export interface SigClusterDecision {
  clusterProfileRef: { name: string; namespace?: string };
  reason?: string;
}

export interface SigDecision extends KubeObject {
  schedulerName?: string;
  decisions: SigClusterDecision[];
}

/** A write, in the order in which it is to be sent; an update or delete is of `stored`. */
export type SigWrite =
  | { readonly kind: 'create'; readonly object: SigDecision }
  | { readonly kind: 'update'; readonly object: SigDecision; readonly stored: SigDecision }
  | { readonly kind: 'delete'; readonly stored: SigDecision };

export interface SigChanges {
  /**
   * Objects that shrink come before those that grow, so that the objects together name no more clusters than before or after,
   * whichever is more. A cluster that moves is added to its new object before it leaves the old one: for a moment it is in both.
   * An object without room for that, since a decision before was missed, is changed after these, in one write.
   */
  readonly writes: readonly SigWrite[];
  /** Names of objects that others own: they are left alone. */
  readonly foreign: readonly string[];
}

/** Where the clusters of the hub have their ClusterProfiles. */
export interface Profiles {
  readonly annotationsOf: AnnotationsOf;
  /** The namespace that the hub publishes them in; undefined: it publishes none. */
  readonly namespace: string | undefined;
}

/** The annotations of a cluster of the hub; undefined for one that does not exist. */
type AnnotationsOf = (cluster: string) => ObjectMeta['annotations'];

/**
 * The writes that make `stored`, the objects of SIG Multicluster that may concern the Placement, say what `decided` says.
 * Objects of an earlier Placement of the same name are left to garbage collection; the event of their deletion starts another pass,
 * which creates ours.
 */
export function sigChanges(
  owner: DecisionOwner,
  decided: readonly StoredDecision[],
  { stored, ...profiles }: { readonly stored: readonly SigDecision[] } & Profiles,
): SigChanges {
  const known = new Map(stored.map((object) => [object.metadata.name, object]));
  const names = new Set(decided.map(({ name }) => name));
  const foreign: string[] = [];
  // In this order: deletes of what holds no cluster that moves; creates and updates, those that shrink first; updates of objects
  // without room for what moves from them; what takes moved clusters away.
  const deletesNow: SigWrite[] = [];
  const writes: { readonly write: SigWrite; readonly growth: number }[] = [];
  const full: SigWrite[] = [];
  const afterMoves: SigWrite[] = [];
  const decidedRefs = new Set(decided.flatMap(({ clusters }) => clusters.map((one) => refText(refOf(one, profiles)))));
  for (const object of stored) {
    const isStale = ownershipOf(object, owner) === 'ours' && !names.has(object.metadata.name);
    if (!isStale || object.metadata.deletionTimestamp !== undefined) continue;
    // A cluster of it moves to another object: it is deleted only once the cluster is there.
    if (movingFrom(object, [], decidedRefs).length > 0) afterMoves.push({ kind: 'delete', stored: object });
    else deletesNow.push({ kind: 'delete', stored: object });
  }
  for (const { name, clusters } of decided) {
    const before = known.get(name);
    const decisions = clusters.map((cluster) => ({ clusterProfileRef: refOf(cluster, profiles) }));
    const object = sigDecision(owner, name, decisions, before);
    if (before === undefined) {
      writes.push({ write: { kind: 'create', object }, growth: decisions.length });
      continue;
    }
    const ownership = ownershipOf(before, owner);
    // Nothing is adopted: our label alone does not make it ours.
    if (ownership === 'foreign' || ownership === 'adoptable') foreign.push(name);
    if (ownership !== 'ours' || isSame(before, object)) continue;
    const update: SigWrite = { kind: 'update', object, stored: before };
    const moving = movingFrom(before, decisions, decidedRefs);
    const both = { ...object, decisions: [...moving, ...decisions] };
    const growth = both.decisions.length - countOf(before);
    if (moving.length === 0) writes.push({ write: update, growth });
    // What is stored may be of a decision long before: then those that move do not fit beside those that the object gets.
    else if (both.decisions.length > DECISION_SIZE) full.push(update);
    else {
      if (!isSame(before, both)) writes.push({ write: { ...update, object: both }, growth });
      afterMoves.push(update);
    }
  }
  // The sort is stable: objects of the same growth stay in the order of the status.
  const sorted = writes.sort((a, b) => a.growth - b.growth).map(({ write }) => write);
  return { writes: [...deletesNow, ...sorted, ...full, ...afterMoves], foreign };
}

function countOf({ decisions }: SigDecision): number {
  return isList(decisions) ? decisions.length : 0;
}

type ProfileRef = SigClusterDecision['clusterProfileRef'];

/**
 * A cluster that was made from a ClusterProfile refers to that one; any other to the one of its name that the hub publishes, or,
 * where it publishes none, beside the decision.
 */
function refOf(cluster: string, { annotationsOf, namespace: published }: Profiles): ProfileRef {
  const source = sourceName(ClusterProfiles, annotationsOf(cluster)?.[SOURCE_ANNOTATION] ?? '');
  const namespace = source === undefined ? published : source.namespace;
  return { name: source?.name ?? cluster, ...(namespace === undefined ? {} : { namespace }) };
}

/** The reference as text, to compare with. `ref` is unchecked: others may have edited it. */
function refText(ref: Partial<ProfileRef> | undefined): string {
  return `${ref?.namespace ?? ''}/${ref?.name ?? ''}`;
}

/** The items of an object that the decision has in another object from now on. */
function movingFrom(
  { decisions }: SigDecision,
  wanted: readonly SigClusterDecision[],
  decidedRefs: ReadonlySet<string>,
): readonly SigClusterDecision[] {
  const own = new Set(wanted.map((one) => refText(one.clusterProfileRef)));
  return (isList(decisions) ? decisions : []).filter((one) => {
    const text = refText((one as Partial<SigClusterDecision> | null)?.clusterProfileRef);
    return decidedRefs.has(text) && !own.has(text);
  });
}

/** The object; an `existing` one keeps its further labels, annotations, owners and finalizers. */
function sigDecision(
  owner: DecisionOwner,
  name: string,
  decisions: SigClusterDecision[],
  existing?: SigDecision,
): SigDecision {
  const before = existing?.metadata;
  return {
    apiVersion: apiVersionOf(SigPlacementDecisions),
    kind: SigPlacementDecisions.kind,
    metadata: {
      ...before,
      name,
      namespace: owner.namespace,
      labels: { ...before?.labels, [DECISION_KEY_LABEL]: owner.name },
      ownerReferences: ownerReferences(owner, before),
    },
    schedulerName: PRODUCT,
    decisions,
  };
}

function isSame(stored: SigDecision, wanted: SigDecision): boolean {
  return (
    stored.metadata.labels?.[DECISION_KEY_LABEL] === wanted.metadata.labels?.[DECISION_KEY_LABEL] &&
    stored.schedulerName === wanted.schedulerName &&
    sameJson(stored.decisions, wanted.decisions)
  );
}
