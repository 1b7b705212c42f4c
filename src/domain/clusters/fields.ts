import { LAST_APPLIED } from '../../api/names.js';
import { asRecord } from '../../runtime/vocabulary/json.js';

/**
 * What decisions read of a ManagedCluster, and the fields that each value is read from. The only list of them: the cache keeps
 * these fields alone, a rule that reads another does not compile, and neither does a value that nothing compares.
 */
const READS = {
  /** What selection reads, by the name of the value in `ClusterView`. */
  selection: {
    name: { metadata: ['name'] },
    deleting: { metadata: ['deletionTimestamp'] },
    labels: { metadata: ['labels'] },
    annotations: { metadata: ['annotations'] },
    claims: { status: ['clusterClaims', 'version', 'capacity', 'allocatable', 'nodes'] },
    taints: { spec: ['hubAcceptsClient', 'maintenance', 'taints'], status: ['conditions', 'taintTimes'] },
  },
  /** What health reads beside them, and what a write needs. */
  health: {
    object: { metadata: ['uid', 'resourceVersion'] },
    lease: { spec: ['leaseDurationSeconds'] },
  },
} as const;

type Reads = typeof READS;
type Part = 'metadata' | 'spec' | 'status';
/** The fields of one part of a ManagedCluster in these rows. */
type FieldsIn<Rows, P extends Part> = {
  [Row in keyof Rows]: Rows[Row] extends { readonly [Key in P]: readonly (infer Field)[] } ? Field : never;
}[keyof Rows];
type FieldOf<P extends Part> = FieldsIn<Reads['selection'], P> | FieldsIn<Reads['health'], P>;

/** A value that selection reads. */
export type SelectionField = keyof Reads['selection'];

export const SELECTION_FIELDS = Object.keys(READS.selection) as readonly SelectionField[];

/** The fields of a ManagedCluster that decisions read. */
export const CLUSTER_FIELDS: { readonly [P in Part]: readonly FieldOf<P>[] } = Object.freeze({
  metadata: fieldsIn('metadata'),
  spec: fieldsIn('spec'),
  status: fieldsIn('status'),
});

function fieldsIn<P extends Part>(part: P): readonly FieldOf<P>[] {
  const rows: readonly { readonly [Key in Part]?: readonly string[] }[] = Object.values(READS).flatMap((one) =>
    Object.values(one),
  );
  return [...new Set(rows.flatMap((row) => row[part] ?? []))] as FieldOf<P>[];
}

type Fields<P extends Part> = { readonly [Field in FieldOf<P>]?: unknown };

/** Unchecked; undefined for a spec that is not there. */
export type ClusterSpecFields = Fields<'spec'> | undefined;
/** Unchecked; undefined for a status that is not there. */
export type ClusterStatusFields = Fields<'status'> | undefined;

/** The types of the fields of `metadata`, which the API server checks. */
interface ClusterMetadata {
  readonly name: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A ManagedCluster, as far as decisions read it. */
export interface ClusterFields {
  readonly metadata: Pick<ClusterMetadata, FieldOf<'metadata'>>;
  readonly spec: ClusterSpecFields;
  readonly status: ClusterStatusFields;
}

/** A ManagedCluster of the API or of a file: its spec and status may be anything. */
export interface RawCluster extends Pick<ClusterFields, 'metadata'> {
  readonly spec?: unknown;
  readonly status?: unknown;
}

/** The annotations that expressions may read; undefined for none. */
export function readableAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> | undefined {
  if (annotations === undefined || !Object.hasOwn(annotations, LAST_APPLIED)) return annotations;
  const { [LAST_APPLIED]: _, ...others } = annotations;
  return Object.keys(others).length === 0 ? undefined : others;
}

/** The fields of a cluster that decisions read. */
export function fieldsOf({ metadata, spec, status }: RawCluster): ClusterFields {
  return { metadata, spec: asRecord(spec), status: asRecord(status) };
}
