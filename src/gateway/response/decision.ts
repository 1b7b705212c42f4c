import { DECISION_REVISION_ANNOTATION } from '../../api/names.js';
import { hash64, hex64 } from '../../domain/hash.js';
import { isDetailName } from '../../domain/placement/spec/details.js';
import { revisionOf } from '../../domain/placement/stored/decision.js';
import { asRecord, recordsIn, textField, type JsonRecord } from '../../runtime/vocabulary/json.js';

/** The values of `as`: the readers whose contracts are met, and `json`, the form of this interface whatever else is accepted. */
export const FORMS = ['argocd', 'flux', 'json', 'prometheus'] as const;
/** How a decision is written: `plain` without `as`. */
export type DecisionForm = (typeof FORMS)[number] | 'plain';

/** One selected cluster: the fields of an item of a decision object, all texts. */
export type SelectedCluster = Readonly<Record<string, string>> & { readonly clusterName: string };

/** A whole decision. */
interface Decision {
  readonly namespace: string;
  readonly placement: string;
  readonly clusters: readonly SelectedCluster[];
}

/**
 * The clusters of a Placement, from the Placement and its decision objects; undefined while they do not agree: each object
 * that the status lists has to be there at its revision, with the clusters that this revision stands for. So a decision that is
 * being written, was deleted, or was edited by somebody else is never taken for a smaller one, and neither is one that was
 * never made.
 */
export function consistentClusters(
  placement: JsonRecord,
  objects: readonly JsonRecord[],
): SelectedCluster[] | undefined {
  const listed = recordsIn(asRecord(placement['status'])['decisions']);
  if (listed.length === 0) return undefined;
  const byName = new Map(objects.map((object) => [textField(object['metadata'], 'name'), object]));
  const found = new Map<string, SelectedCluster>();
  for (const one of listed) {
    const clusters = clustersAt(byName.get(textField(one, 'name')), textField(one, 'revision'));
    if (clusters === undefined) return undefined;
    // A cluster that moves to another object is in both for a moment.
    for (const cluster of clusters) found.set(cluster.clusterName, cluster);
  }
  return [...found.values()];
}

/** The clusters of an object; undefined unless they are those of the revision. */
function clustersAt(object: JsonRecord | undefined, revision: string): SelectedCluster[] | undefined {
  const annotations = asRecord(asRecord(object?.['metadata'])['annotations']);
  const clusters = recordsIn(asRecord(object?.['status'])['decisions']).map(selectedCluster);
  return annotations[DECISION_REVISION_ANNOTATION] === revision &&
    revisionOf(clusters.map((one) => one.clusterName)) === revision
    ? clusters
    : undefined;
}

function selectedCluster(item: JsonRecord): SelectedCluster {
  const texts = Object.entries(item).filter((one): one is [string, string] => typeof one[1] === 'string');
  return { clusterName: '', ...Object.fromEntries(texts) };
}

/** The document for a reader, as its contract has it. */
export function decisionDocument(decision: Decision, form: DecisionForm): object {
  const { namespace, placement, clusters } = decision;
  switch (form) {
    case 'argocd':
      return { output: { parameters: clusters } };
    case 'flux':
      return { inputs: clusters.map((one) => ({ id: one.clusterName, ...one })) };
    case 'prometheus':
      return clusters.map((one) => ({ targets: [one.clusterName], labels: metaLabels(one, decision) }));
    case 'json':
    case 'plain':
      return { namespace, placement, numberOfClusters: clusters.length, decisions: clusters };
  }
}

/**
 * Labels for relabeling: those that begin with `__` are dropped after it. Of several fields with the same label it has the text of
 * the first one by name, and `left_out` names the others.
 */
function metaLabels({ clusterName, ...details }: SelectedCluster, { namespace, placement }: Decision): object {
  const given = { namespace, placement, cluster: clusterName, ...details };
  const labels = new Map<string, string>();
  const leftOut: string[] = [];
  for (const [key, text] of Object.entries(given).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const label = `__meta_multicluster_${labelName(key)}`;
    if (text === '') continue;
    if (labels.has(label)) leftOut.push(key);
    else labels.set(label, text);
  }
  if (leftOut.length > 0) labels.set('__meta_multicluster_left_out', leftOut.join(','));
  return Object.fromEntries(labels);
}

/**
 * Our fields in lower case with underscores, as labels of Prometheus are written. Labels and claims keep their case, as in the
 * service discoveries of Prometheus itself.
 */
function labelName(key: string): string {
  const name = isDetailName(key) ? key : key.replaceAll(/(?<=[a-z0-9])[A-Z]/g, '_$&').toLowerCase();
  return name.replaceAll(/[^A-Za-z0-9]/g, '_');
}

/** Flux Operator refuses a longer response, and keeps the inputs that it has (maxExternalServicePayloadSize). */
const FLUX_BYTES = 900 * 1024;

/** The header `Warning` of a document that its reader will not take, in the form of the API server. */
export function warningsOf(text: string, form: DecisionForm): readonly string[] {
  const bytes = Buffer.byteLength(text);
  if (form !== 'flux' || bytes <= FLUX_BYTES) return [];
  return [`299 - "${bytes} bytes: Flux Operator takes at most ${FLUX_BYTES}, and keeps the inputs that it has"`];
}

/** The entity tag of a document: it changes exactly when the document does. */
export function tagOf(text: string): string {
  return `"${hex64(hash64(text))}"`;
}
