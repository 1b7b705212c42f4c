import { field, isRecord, textField } from '../../runtime/vocabulary/json.js';
import { sumOfQuantities } from './quantity.js';

/** What the agent keeps of a Node. */
export interface NodeFacts {
  readonly isReady: boolean;
  readonly isSchedulable: boolean;
  /** `aws:///eu-west-1a/i-0abc`; empty where the Node has none. */
  readonly providerId: string;
  readonly region: string;
  readonly zone: string;
  readonly capacity: Resources;
  readonly allocatable: Resources;
}

/** Quantities by resource name. */
export type Resources = Readonly<Record<string, string>>;

/** What is reported of all Nodes together. */
export interface NodeTotals {
  readonly nodes: { readonly total: number; readonly ready: number };
  readonly capacity: Resources;
  readonly allocatable: Resources;
}

const REGION_LABEL = 'topology.kubernetes.io/region';
const ZONE_LABEL = 'topology.kubernetes.io/zone';

/** Reads a Node as the API server returns it; fields that are missing are empty. */
export function nodeFacts(node: unknown): NodeFacts {
  const labels = field(field(node, 'metadata'), 'labels');
  const spec = field(node, 'spec');
  const status = field(node, 'status');
  const conditions = field(status, 'conditions');
  const ready = Array.isArray(conditions) ? conditions.find((one) => textField(one, 'type') === 'Ready') : undefined;
  return {
    isReady: textField(ready, 'status') === 'True',
    isSchedulable: field(spec, 'unschedulable') !== true,
    providerId: textField(spec, 'providerID'),
    region: textField(labels, REGION_LABEL),
    zone: textField(labels, ZONE_LABEL),
    capacity: resourcesOf(field(status, 'capacity')),
    allocatable: resourcesOf(field(status, 'allocatable')),
  };
}

/** All Nodes are counted; the resources are those of the Nodes that are ready and schedulable. */
export function nodeTotals(nodes: readonly NodeFacts[]): NodeTotals {
  const usable = nodes.filter((node) => node.isReady && node.isSchedulable);
  return {
    nodes: { total: nodes.length, ready: nodes.filter((node) => node.isReady).length },
    capacity: sumOfResources(usable.map((node) => node.capacity)),
    allocatable: sumOfResources(usable.map((node) => node.allocatable)),
  };
}

function resourcesOf(value: unknown): Resources {
  if (!isRecord(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, quantity]) => [name, String(quantity)]));
}

/** By resource name, sorted. */
function sumOfResources(all: readonly Resources[]): Resources {
  const names = [...new Set(all.flatMap((one) => Object.keys(one)))].sort();
  return Object.fromEntries(names.map((name) => [name, sumOfQuantities(all.flatMap((one) => one[name] ?? []))]));
}
