import {
  type Details,
  type Since,
  type Pieces,
  itemsToStore,
  readItems,
  type DecisionContent,
  type DecisionItem,
  hasPieceOf,
  readPiece,
  withPiece,
  type Piece,
} from './items.js';
import type { PlacementStatus } from '../../../api/generated/placement.js';
import type { KubeObject, ObjectMeta, OwnerReference } from '../../../runtime/vocabulary/meta.js';
import {
  ADDITIONS_ANNOTATION,
  DECISION_REVISION_ANNOTATION,
  DECISION_SIZE,
  HISTORY_ANNOTATION,
  PLACEMENT_LABEL,
  REMOVALS_ANNOTATION,
} from '../../../api/names.js';
import { PlacementDecisions, Placements } from '../../../api/resources.js';
import { apiVersionOf } from '../../../runtime/vocabulary/kinds.js';
import { readRecord, type ChangeRecord } from './record.js';
import { hash64, hex64 } from '../../hash.js';

/** Name, owner and content of PlacementDecision objects. */

/**
 * The owner of an object:
 * - `ours`: this Placement is its controller owner;
 * - `adoptable`: it has no controller owner and our label for this Placement; it is adopted, as controllers adopt orphans;
 * - `predecessor`: it is owned by a deleted Placement of the same name; it is deleted, as garbage collection would do;
 * - `foreign`: anything else; it is never changed.
 */
export type Ownership = 'ours' | 'adoptable' | 'predecessor' | 'foreign';

export interface StoredDecision {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /** n of `<placement>-decision-<n>`; undefined for a name of another form. */
  readonly ordinal: number | undefined;
  readonly ownership: Ownership;
  /** It is being deleted, and a finalizer prevents the end of it. */
  readonly deleting: boolean;
  readonly clusters: readonly string[];
  /** Since when they are selected; empty where its items have no times. */
  readonly since: Since;
  /** The values of labels and claims that their items have; empty where they have none. */
  readonly details: Details;
  /** The piece of a group that it belongs to; undefined where it belongs to none, or others have edited that. */
  readonly piece: Piece | undefined;
  /** The revision annotation. */
  readonly revision: string | undefined;
  /** The records of removals and additions; undefined without the annotation. */
  readonly removals: ChangeRecord | undefined;
  readonly additions: ChangeRecord | undefined;
  /** The annotation with its history, unread. */
  readonly history?: string | undefined;
  /** Label, owner and the form of the list are as this controller writes them. */
  readonly intact: boolean;
}

/** Whether the controller of the Placement may write the object. */
export function isOwn(object: StoredDecision | undefined): object is StoredDecision {
  return object?.ownership === 'ours' || object?.ownership === 'adoptable';
}

/** The clusters in the objects that the controller of the Placement may write. */
export function ownClusters(stored: readonly StoredDecision[]): readonly string[] {
  return stored.filter(isOwn).flatMap(({ clusters }) => clusters);
}

/** {@link ownClusters}, each once, sorted. */
export function distinctOwnClusters(stored: readonly StoredDecision[]): readonly string[] {
  return [...new Set(ownClusters(stored))].sort();
}

/** The Placement that decisions belong to. */
export interface DecisionOwner {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** A PlacementDecision as the API returns it, unchecked. */
export type RawDecision = KubeObject & { readonly status?: unknown };

/** A PlacementDecision as this controller writes it. */
export interface DecisionObject extends KubeObject {
  status: { numberOfClusters: number; decisions: DecisionItem[] };
}

/** Bounds the memory that an object with an unusual name can claim. */
const LARGEST_ORDINAL = 99_999;

export function decisionName(placement: string, ordinal: number): string {
  return `${placement}-decision-${ordinal}`;
}

/** The inverse of {@link decisionName}; undefined for any other name. */
export function decisionOrdinal(placement: string, name: string): number | undefined {
  const prefix = `${placement}-decision-`;
  if (!name.startsWith(prefix)) return undefined;
  const ordinal = Number(name.slice(prefix.length));
  const fits = Number.isInteger(ordinal) && ordinal >= 1 && ordinal <= LARGEST_ORDINAL;
  return fits && decisionName(placement, ordinal) === name ? ordinal : undefined;
}

/**
 * The value of the revision annotation: FNV-1a (64 bits) over the UTF-8 of the names in their order, each followed by
 * a line feed, as 16 hexadecimal digits.
 */
export function revisionOf(clusters: readonly string[]): string {
  return hex64(hash64(clusters.map((name) => `${name}\n`).join('')));
}

/**
 * The decision objects that the status of the Placement confirms, in its order; undefined while it does not: a decision is
 * being published, or somebody has changed an object, which the placement controller is about to put right.
 */
export function confirmedDecision(
  status: PlacementStatus | undefined,
  stored: readonly StoredDecision[],
): readonly StoredDecision[] | undefined {
  const own = new Map(stored.filter(({ ownership }) => ownership === 'ours').map((object) => [object.name, object]));
  const listed = status?.decisions ?? [];
  const found = listed.flatMap(({ name, revision }) => {
    const object = own.get(name);
    return object !== undefined && revisionOf(object.clusters) === revision ? [object] : [];
  });
  return listed.length > 0 && found.length === listed.length && own.size === found.length ? found : undefined;
}

/** Whether the status lists objects, and `stored` has otherwise: others have edited them, or one of the two is older. */
export function isContradicted(status: PlacementStatus | undefined, stored: readonly StoredDecision[]): boolean {
  return (status?.decisions ?? []).length > 0 && confirmedDecision(status, stored) === undefined;
}

/** The keys of the Placements that a decision object may concern: by label, by owner, and by its name. */
export function placementKeys({ metadata }: KubeObject): readonly string[] {
  const names = new Set<string>();
  const label = metadata.labels?.[PLACEMENT_LABEL];
  if (label !== undefined) names.add(label);
  for (const owner of metadata.ownerReferences ?? []) if (owner.kind === Placements.kind) names.add(owner.name);
  const named = /^(.+)-decision-[1-9][0-9]*$/.exec(metadata.name)?.[1];
  if (named !== undefined) names.add(named);
  return [...names].sort().map((name) => `${metadata.namespace ?? ''}/${name}`);
}

/** The view of an object in the Placement's namespace that has its label, or a name of its decisions. */
export function readDecision(object: RawDecision, owner: DecisionOwner): StoredDecision {
  const { metadata } = object;
  const piece = readPiece(object);
  const { clusters, since, details, wellFormed } = readItems(object.status, piece);
  const ownership = ownershipOf(object, owner);
  return {
    name: metadata.name,
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    ordinal: decisionOrdinal(owner.name, metadata.name),
    ownership,
    deleting: metadata.deletionTimestamp !== undefined,
    clusters,
    since,
    details,
    piece,
    revision: metadata.annotations?.[DECISION_REVISION_ANNOTATION],
    removals: readRecord(metadata.annotations?.[REMOVALS_ANNOTATION]),
    history: metadata.annotations?.[HISTORY_ANNOTATION],
    additions: readRecord(metadata.annotations?.[ADDITIONS_ANNOTATION]),
    intact:
      wellFormed &&
      hasPieceOf(object, piece) &&
      ownership === 'ours' &&
      metadata.labels?.[PLACEMENT_LABEL] === owner.name,
  };
}

export function ownershipOf(object: RawDecision, owner: DecisionOwner): Ownership {
  const { ownerReferences: owners, labels } = object.metadata;
  const controller = owners?.find((one) => one.controller === true);
  if (controller === undefined) return labels?.[PLACEMENT_LABEL] === owner.name ? 'adoptable' : 'foreign';
  if (!isPlacement(controller) || controller.name !== owner.name) return 'foreign';
  return controller.uid === owner.uid ? 'ours' : 'predecessor';
}

function isPlacement(reference: OwnerReference): boolean {
  return reference.kind === Placements.kind && reference.apiVersion.startsWith(`${Placements.group}/`);
}

/**
 * The object to create or, for an `existing` one, the update of it, which keeps its labels, annotations, finalizers and
 * further owners, and has its UID and resourceVersion. `revision`: that of the clusters, where it is known.
 */
export function decisionObject(
  owner: DecisionOwner,
  ordinal: number,
  content: DecisionContent & { readonly revision?: string },
  existing?: RawDecision,
): DecisionObject {
  const { clusters, revision = revisionOf(clusters) } = content;
  if (clusters.length > DECISION_SIZE) {
    const name = decisionName(owner.name, ordinal);
    throw new RangeError(`${name}: ${clusters.length} clusters, at most ${DECISION_SIZE} fit in one object`);
  }
  const before = existing?.metadata;
  const { labels, annotations } = withPiece(before ?? {}, content.piece);
  return {
    apiVersion: apiVersionOf(PlacementDecisions),
    kind: PlacementDecisions.kind,
    metadata: {
      ...before,
      name: decisionName(owner.name, ordinal),
      namespace: owner.namespace,
      labels: { ...labels, [PLACEMENT_LABEL]: owner.name },
      annotations: { ...annotations, [DECISION_REVISION_ANNOTATION]: revision },
      ownerReferences: ownerReferences(owner, before),
    },
    status: itemsToStore(content),
  };
}

/** The owner references of an object that the Placement controls: the further owners of an `existing` one stay. */
export function ownerReferences(
  { name, uid }: DecisionOwner,
  existing?: Pick<ObjectMeta, 'ownerReferences'>,
): OwnerReference[] {
  const others = (existing?.ownerReferences ?? []).filter((one) => one.controller !== true && one.uid !== uid);
  return [{ apiVersion: apiVersionOf(Placements), kind: Placements.kind, name, uid, controller: true }, ...others];
}

/** The clusters of each decision object: `slots[n - 1]` is the list of object n, empty when it does not exist. */
export type Slots = readonly (readonly string[])[];

/** What was last published of the decision of a Placement: the next decision begins with it. */
export interface Published {
  /** A cluster that changes its object is in two lists for a moment. */
  readonly lists: Slots;
  /** Since when these clusters are selected, where their items have times. */
  readonly since: Since;
  /** The values of labels and claims that their items have. */
  readonly details: Details;
  /** The pieces of groups that the objects belong to. */
  readonly pieces: Pieces;
}
