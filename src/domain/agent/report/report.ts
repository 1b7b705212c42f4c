import { isRecord, textField } from '../../../runtime/vocabulary/json.js';
import type { ClusterClaim, ClusterCondition } from '../../../api/generated/managedcluster.js';
import {
  AGENT_DEGRADED_CONDITION,
  CLAIMS_NOT_PUBLISHED_CONDITION,
  CONTROL_PLANE_HEALTHY_CONDITION,
  type AgentReason,
} from '../../../api/clusterreasons.js';
import { boundedList, clip, conditionIn } from '../../conditions.js';
import { nodeTotals, type NodeFacts, type NodeTotals } from './nodes.js';
import { timestamp } from '../../../runtime/vocabulary/meta.js';

/** Characters of the claims that a message names. */
const REJECTED_LIMIT = 900;

/** How clients reach the API server of the cluster, as it reports. */
export interface ClientConfig {
  readonly url: string;
  /** PEM, base64. */
  readonly caBundle?: string | undefined;
}

/** What keeps the agent from its work at home. */
export interface Trouble {
  readonly reason: AgentReason;
  readonly message: string;
  /** RFC 3339. */
  readonly since: string;
}

/** What a report is made from; all of it is known. */
export interface ReportInput {
  readonly claims: readonly ClusterClaim[];
  /** As in /version: `v1.36.3`. */
  readonly version: string;
  readonly nodes: readonly NodeFacts[];
  readonly clientConfig: ClientConfig | undefined;
  readonly controlPlane: ControlPlaneState;
  /** The gravest first. */
  readonly troubles?: readonly Trouble[];
  /** What the ConfigMaps have and `claims` has not, each with the reason. */
  readonly rejected?: { readonly claims: readonly string[]; readonly since: string } | undefined;
}

/** The part of a ManagedCluster's status that its agent writes. */
export interface ClusterReport extends NodeTotals {
  readonly clusterClaims: readonly ClusterClaim[];
  readonly version: { readonly kubernetes: string };
  readonly managedClusterClientConfigs?: readonly ClientConfig[];
  readonly conditions?: readonly ClusterCondition[];
}

/** The report. Equal inputs give equal JSON. There is no condition while the health of the API server is not known. */
export function reportOf(input: ReportInput): ClusterReport {
  const { claims, version, nodes, clientConfig, controlPlane, troubles = [], rejected } = input;
  const all = [healthCondition(controlPlane), degradedCondition(troubles), rejected && rejectedCondition(rejected)];
  const conditions = all.filter((one) => one !== undefined);
  return {
    clusterClaims: claims,
    version: { kubernetes: version },
    ...nodeTotals(nodes),
    ...(clientConfig === undefined ? {} : { managedClusterClientConfigs: [clientConfig] }),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}

function healthCondition({ isHealthy, since, message }: ControlPlaneState): ClusterCondition | undefined {
  if (isHealthy === undefined) return undefined;
  return {
    type: CONTROL_PLANE_HEALTHY_CONDITION,
    status: isHealthy ? 'True' : 'False',
    reason: isHealthy ? 'ControlPlaneReady' : 'ControlPlaneNotReady',
    message,
    lastTransitionTime: since,
  };
}

/** One condition for all troubles: who looks for the cause of one reads them all. */
function degradedCondition(troubles: readonly Trouble[]): ClusterCondition | undefined {
  const [first] = troubles;
  if (first === undefined) return undefined;
  return {
    type: AGENT_DEGRADED_CONDITION,
    status: 'True',
    reason: first.reason,
    message: clip(troubles.map(({ message }) => message).join('; ')),
    lastTransitionTime: troubles.map(({ since }) => since).sort()[0] ?? first.since,
  };
}

/** Without values: whoever reads ManagedClusters need not read the ConfigMaps. */
function rejectedCondition({ claims, since }: NonNullable<ReportInput['rejected']>): ClusterCondition {
  const reason: AgentReason = 'ClaimsRefused';
  const message = clip(boundedList(claims, '; ', REJECTED_LIMIT));
  return { type: CLAIMS_NOT_PUBLISHED_CONDITION, status: 'True', reason, message, lastTransitionTime: since };
}

/**
 * The report with the stored time of each condition whose status stays: a process that has started a moment ago does not know since
 * when, and the clock of its machine may have been set. `status`: of the ManagedCluster, unchecked.
 */
export function withStoredTimes(report: ClusterReport, status: unknown): ClusterReport {
  if (report.conditions === undefined) return report;
  const conditions = report.conditions.map((one) => {
    const before = conditionIn(status, one.type);
    const since = textField(before, 'lastTransitionTime');
    return before?.['status'] === one.status && since !== '' ? { ...one, lastTransitionTime: since } : one;
  });
  return { ...report, conditions };
}

/** The report without empty objects: one that is applied stays owned by who applied it, and becomes null when its last field goes. */
export function withoutEmpty(report: ClusterReport): Partial<ClusterReport> {
  return Object.fromEntries(
    Object.entries(report).filter(([, value]) => !isRecord(value) || Object.keys(value).length > 0),
  );
}

/** What is known of the cluster's API server: the result of its probes so far. */
export interface ControlPlaneState {
  /** Undefined until a probe has succeeded, or all have failed for 30 s. */
  readonly isHealthy: boolean | undefined;
  /** Monotonic ms of the first of the failures in a row; undefined after a success. */
  readonly failingSince: number | undefined;
  /** When `isHealthy` last changed, RFC 3339. */
  readonly since: string;
  readonly message: string;
}

/** One request for /readyz. */
interface ProbeResult {
  /** When it was sent: monotonic ms, and wall clock in ms since the epoch. */
  readonly sentAt: number;
  readonly now: number;
  /** Why it failed; undefined when the API server is ready. */
  readonly failure: string | undefined;
}

/** Between two probes. */
export const PROBE_PERIOD_MS = 10_000;
/** An API server that restarts is not ready for some seconds. */
const UNHEALTHY_AFTER_MS = 30_000;
const MESSAGE_LIMIT = 512;

/** The state after a probe. The message stays as it is while the health does not change, so that it causes no writes. */
export function afterProbe(before: ControlPlaneState | undefined, probe: ProbeResult): ControlPlaneState {
  const { sentAt, now, failure } = probe;
  const since = timestamp(now);
  if (failure === undefined) {
    const isChanged = before?.isHealthy !== true;
    return {
      isHealthy: true,
      failingSince: undefined,
      since: isChanged ? since : before.since,
      message: '/readyz of the API server succeeds',
    };
  }
  const failingSince = before?.failingSince ?? sentAt;
  const unchanged = { isHealthy: before?.isHealthy, since: before?.since ?? since, message: before?.message ?? '' };
  if (unchanged.isHealthy === false || sentAt - failingSince < UNHEALTHY_AFTER_MS)
    return { ...unchanged, failingSince };
  const message = clip(
    `/readyz of the API server has failed for ${UNHEALTHY_AFTER_MS / 1000} s: ${failure}`,
    MESSAGE_LIMIT,
  );
  return { isHealthy: false, failingSince, since, message };
}
