import {
  firstUnmet,
  parseLabelSelector,
  quote,
  readObject,
  parse,
  type Problem,
  type Requirement,
  type StringMap,
} from '../selectors.js';
import { CLUSTER_SET_LABEL } from '../../api/names.js';

/** How a ManagedClusterSet selects its members. One that is unreadable, since admission missed it, selects none. */
export type ClusterSelector =
  | { readonly kind: 'exclusive' }
  | { readonly kind: 'labels'; readonly requirements: readonly Requirement[] }
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable'; readonly problem: Problem };

const PATH = 'spec.clusterSelector';

/** Reads the `spec` of a ManagedClusterSet; never throws. A spec without a selector selects by the exclusive label. */
export function readClusterSelector(spec: unknown): ClusterSelector {
  const fields = parse(() => readObject(readObject(spec, 'spec')['clusterSelector'], PATH));
  if (!fields.ok) return { kind: 'unreadable', problem: fields.problem };
  const type = fields.value['selectorType'] ?? 'ExclusiveClusterSetLabel';
  const labelSelector = fields.value['labelSelector'] ?? undefined;
  if (type === 'ExclusiveClusterSetLabel')
    return labelSelector === undefined ? { kind: 'exclusive' } : labelSelectorNotAllowed();
  if (type !== 'LabelSelector') return unknownType(type);
  if (labelSelector === undefined) return { kind: 'none' };
  const parsed = parseLabelSelector(labelSelector, `${PATH}.labelSelector`);
  return parsed.ok ? { kind: 'labels', requirements: parsed.value } : { kind: 'unreadable', problem: parsed.problem };
}

/** Whether a cluster with these labels is a member of the set `set`. */
export function selects(set: string, selector: ClusterSelector, labels: StringMap): boolean {
  switch (selector.kind) {
    case 'exclusive':
      return labels[CLUSTER_SET_LABEL] === set;
    case 'labels':
      return firstUnmet(selector.requirements, labels) === undefined;
    default:
      return false;
  }
}

function labelSelectorNotAllowed(): ClusterSelector {
  const message = 'is set with selectorType ExclusiveClusterSetLabel: it needs selectorType LabelSelector';
  return { kind: 'unreadable', problem: { field: `${PATH}.labelSelector`, message } };
}

function unknownType(type: unknown): ClusterSelector {
  const message = `${quote(type)} is not a selector type: must be one of ExclusiveClusterSetLabel, LabelSelector`;
  return { kind: 'unreadable', problem: { field: `${PATH}.selectorType`, message } };
}
