import type { V1Node } from '@kubernetes/client-node';
import { parseQuantity } from '@multicluster-engine/values/quantity';
import type { BuiltIn } from '../../../runtime/vocabulary/meta.js';

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
type Resources = Readonly<Record<string, string>>;

/** What is reported of all Nodes together. */
export interface NodeTotals {
  readonly nodes: { readonly total: number; readonly ready: number };
  readonly capacity: Resources;
  readonly allocatable: Resources;
}

const REGION_LABEL = 'topology.kubernetes.io/region';
const ZONE_LABEL = 'topology.kubernetes.io/zone';

/** Fields that are missing are empty. */
export function nodeFacts({ metadata, spec, status }: Partial<BuiltIn<V1Node>>): NodeFacts {
  const { [REGION_LABEL]: region = '', [ZONE_LABEL]: zone = '' } = metadata?.labels ?? {};
  const { conditions = [], capacity = {}, allocatable = {} } = status ?? {};
  return {
    isReady: conditions.some((one) => one.type === 'Ready' && one.status === 'True'),
    isSchedulable: spec?.unschedulable !== true,
    providerId: spec?.providerID ?? '',
    region,
    zone,
    capacity,
    allocatable,
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

/** By resource name, sorted. */
function sumOfResources(all: readonly Resources[]): Resources {
  const names = [...new Set(all.flatMap((one) => Object.keys(one)))].sort();
  return Object.fromEntries(names.map((name) => [name, sumOfQuantities(all.flatMap((one) => one[name] ?? []))]));
}

const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** Decimal suffixes from 10^-9 on, in steps of 1000. */
const DECIMAL = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const NANO = 10n ** 9n;

/**
 * The sum of quantities in Kubernetes' canonical form: the largest suffix that leaves no fraction, binary if the first one
 * is. Values that are no quantities do not count; negative ones neither, since resources of Nodes have none.
 */
export function sumOfQuantities(texts: readonly string[]): string {
  const parsed = texts.map((text) => [text, parseQuantity(text)?.nanos ?? -1n] as const).filter(([, one]) => one >= 0n);
  const nanos = parsed.reduce((sum, [, one]) => sum + one, 0n);
  if (nanos === 0n) return '0';
  const isBinary = parsed[0]?.[0].endsWith('i') === true && nanos % NANO === 0n && nanos >= 1024n * NANO;
  return isBinary ? withSuffix(nanos / NANO, 1024n, BINARY) : withSuffix(nanos, 1000n, DECIMAL);
}

function withSuffix(value: bigint, step: bigint, suffixes: readonly string[]): string {
  let rest = value;
  let at = 0;
  while (rest % step === 0n && at < suffixes.length - 1) {
    rest /= step;
    at += 1;
  }
  return `${rest}${suffixes[at] ?? ''}`;
}
