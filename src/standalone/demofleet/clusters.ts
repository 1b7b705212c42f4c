import { createHash } from 'node:crypto';
import type { NodeFacts } from '../../domain/agent/report/nodes.js';

/** What a simulated cluster says of itself. The same number gives the same cluster at each start. */
export interface DemoCluster {
  /** `demo-1` and so on. */
  readonly name: string;
  /** The uid of its namespace kube-system. */
  readonly id: string;
  /** `gitVersion`. */
  readonly version: string;
  readonly nodes: readonly NodeFacts[];
  /** Custom claims, by name. */
  readonly claims: Readonly<Record<string, string>>;
}

interface Place {
  /** Scheme of the providerID. */
  readonly provider: string;
  readonly region: string;
  readonly zones: readonly [string, ...string[]];
  readonly versions: readonly [string, ...string[]];
}

const PLACES: readonly [Place, ...Place[]] = [
  {
    provider: 'aws',
    region: 'eu-west-1',
    zones: ['eu-west-1a', 'eu-west-1b', 'eu-west-1c'],
    versions: ['v1.36.3-eks-3cfe0ce', 'v1.35.7-eks-113cf36'],
  },
  {
    provider: 'gce',
    region: 'us-east1',
    zones: ['us-east1-b', 'us-east1-c', 'us-east1-d'],
    versions: ['v1.36.1-gke.1200000', 'v1.35.5-gke.1080000'],
  },
  { provider: 'metal', region: 'berlin', zones: ['berlin-1'], versions: ['v1.36.3+k3s1', 'v1.35.7+k3s1'] },
];
const TIERS = ['gold', 'silver'] as const;
/** The resources of each node. */
const RESOURCES = { cpu: '8', memory: '32Gi', pods: '110' };

export function demoCluster(index: number): DemoCluster {
  const name = `demo-${index + 1}`;
  const place = nth(PLACES, index);
  // Places repeat every third cluster: the other properties change with each round of them, so that they combine.
  const round = Math.floor(index / PLACES.length);
  const nodes = Array.from({ length: 3 + (round % 3) }, (_, at) =>
    nodeOf(place, nth(place.zones, at), `${name}-${at}`),
  );
  return { name, id: uidOf(name), version: nth(place.versions, round), nodes, claims: { tier: nth(TIERS, round) } };
}

function nodeOf({ provider, region }: Place, zone: string, name: string): NodeFacts {
  return {
    isReady: true,
    isSchedulable: true,
    providerId: `${provider}:///${zone}/${name}`,
    region,
    zone,
    capacity: RESOURCES,
    allocatable: RESOURCES,
  };
}

/** A uid that is the same at each start: the claim id.k8s.io of a cluster does not change. */
function uidOf(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex');
  return hash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The value at the index, of values that repeat. */
export function nth<T>(values: readonly [T, ...T[]], index: number): T {
  return values[index % values.length] ?? values[0];
}
