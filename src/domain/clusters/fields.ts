import { LAST_APPLIED } from '../../api/names.js';
import { asRecord } from '../../runtime/vocabulary/json.js';

/**
 * The fields of a ManagedCluster that decisions read: which Placements select it, and its health. The only list of them: the
 * cache keeps these fields alone, and a function that reads another does not compile.
 */
export const CLUSTER_FIELDS = Object.freeze({
  metadata: ['name', 'uid', 'resourceVersion', 'deletionTimestamp', 'labels', 'annotations'],
  spec: ['hubAcceptsClient', 'leaseDurationSeconds', 'maintenance', 'taints'],
  status: ['clusterClaims', 'conditions', 'taintTimes', 'version', 'capacity', 'allocatable', 'nodes'],
} as const);

type Fields<Part extends 'spec' | 'status'> = {
  readonly [Field in (typeof CLUSTER_FIELDS)[Part][number]]?: unknown;
};

/** Unchecked; undefined for a spec that is not there. */
export type ClusterSpecFields = Fields<'spec'> | undefined;
/** Unchecked; undefined for a status that is not there. */
export type ClusterStatusFields = Fields<'status'> | undefined;

/** A ManagedCluster, as far as decisions read it. */
export interface ClusterFields {
  readonly metadata: {
    readonly name: string;
    readonly uid?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
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
