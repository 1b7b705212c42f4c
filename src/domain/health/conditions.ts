import {
  AVAILABLE_CONDITION,
  CLOCK_SYNCED_CONDITION,
  HUB_ACCEPTED_CONDITION,
  HUB_WRITE_REFUSED_CONDITION,
  JOINED_CONDITION,
  type HealthReason,
} from '../../api/clusterreasons.js';
import { AGENTS_NAMESPACE } from '../../api/names.js';
import type { Condition, ConditionStatus } from '../../runtime/vocabulary/meta.js';
import { timedCondition, type StoredCondition } from '../conditions.js';
import type { BrakeCause } from './brake.js';
import type { ClockState } from './observation.js';
import type { Availability } from './judge.js';

/** The conditions of a ManagedCluster that the health judge writes. */

export type HealthCondition = Readonly<Omit<Condition, 'observedGeneration'>> & { readonly reason: HealthReason };

/** What the judge has found of one cluster. */
export interface ConditionInput {
  readonly name: string;
  readonly accepts: boolean;
  readonly joined: boolean;
  /** The identity that holds the Lease; undefined: not known any more. */
  readonly clusterId: string | undefined;
  /** Undefined: the stored condition stays. */
  readonly availability: Availability | undefined;
  /** The duration in the Lease, which counts while it is longer than that of the spec, ms; undefined: it is not. */
  readonly longerLease?: { readonly leaseMs: number; readonly specMs: number } | undefined;
  /** When the last renewal was observed, RFC 3339. */
  readonly lastRenewal: string;
  /** Why the cluster is not tainted although it is silent; undefined: it is tainted, or not yet silent enough. */
  readonly brake: BrakeCause | undefined;
  /** What the agent says of an unhealthy control plane. */
  readonly agentMessage: string;
  /** Undefined: the stored condition stays. */
  readonly clock: ClockState | undefined;
}

type HealthState = Pick<HealthCondition, 'status' | 'reason' | 'message'>;

/** Separates what a message says of the Lease from what it says of the brake. */
const NOT_TAINTED = '; not tainted: ';
const STOPPED: HealthReason = 'ManagedClusterLeaseUpdateStopped';

/** The types of the conditions that the health judge writes, that of a refused write included. */
export const HEALTH_CONDITIONS: readonly string[] = Object.freeze([
  HUB_ACCEPTED_CONDITION,
  JOINED_CONDITION,
  AVAILABLE_CONDITION,
  CLOCK_SYNCED_CONDITION,
  HUB_WRITE_REFUSED_CONDITION,
]);

/** Whether the condition says that the hub has seen an agent of the cluster at some time. */
export function saysJoined(condition: { readonly type?: unknown; readonly status?: unknown }): boolean {
  return condition.type === JOINED_CONDITION && condition.status === 'True';
}

/**
 * All conditions to store, with the stored times where nothing has changed. That of a refused write is not among them:
 * the write that stores them ends it. `now` is RFC 3339.
 */
export function healthConditions(
  stored: readonly StoredCondition[],
  input: ConditionInput,
  now: string,
): readonly HealthCondition[] {
  const find = (type: string): StoredCondition | undefined => stored.find((one) => one.type === type);
  const states: readonly (readonly [string, HealthState | undefined])[] = [
    [HUB_ACCEPTED_CONDITION, hubAccepted(input)],
    [JOINED_CONDITION, joined(input, find(JOINED_CONDITION))],
    [AVAILABLE_CONDITION, available(input, find(AVAILABLE_CONDITION))],
    [CLOCK_SYNCED_CONDITION, clockSynced(input, find(CLOCK_SYNCED_CONDITION))],
  ];
  return states.flatMap(([type, state]) =>
    state === undefined ? [] : [timedCondition({ type, ...state }, find(type), now)],
  );
}

/** Whether the stored conditions of the judge's types are the wanted ones; others are left to who wrote them. */
export function sameConditions(wanted: readonly HealthCondition[], stored: readonly StoredCondition[]): boolean {
  const own = stored.filter(({ type }) => HEALTH_CONDITIONS.includes(type));
  return own.length === wanted.length && wanted.every((one) => own.some((other) => isSame(one, other)));
}

function hubAccepted({ accepts }: ConditionInput): HealthState {
  return accepts
    ? { status: 'True', reason: 'HubClusterAdminAccepted', message: 'spec.hubAcceptsClient is true' }
    : {
        status: 'False',
        reason: 'HubClusterAdminDenied',
        message: 'spec.hubAcceptsClient is false: the agent is refused and its renewals do not count',
      };
}

function joined(input: ConditionInput, stored: StoredCondition | undefined): HealthState {
  if (!input.joined) {
    const message = `no agent has reported yet: kubectl mce cluster add ${input.name}`;
    return { status: 'False', reason: 'NeverJoined', message };
  }
  const known = stored?.status === 'True' ? stored.message : undefined;
  const message = input.clusterId === undefined ? (known ?? 'cluster joined') : `cluster ${input.clusterId} joined`;
  return { status: 'True', reason: 'ManagedClusterJoined', message };
}

function available(input: ConditionInput, stored: StoredCondition | undefined): HealthState | undefined {
  switch (input.availability) {
    case 'available':
      return { status: 'True', reason: 'ManagedClusterAvailable', message: renewsText(input) };
    case 'unavailable':
      return { status: 'False', reason: 'ManagedClusterKubeAPIServerUnavailable', message: input.agentMessage };
    case 'unknown':
      return { status: 'Unknown', reason: STOPPED, message: `${stoppedText(input, stored)}${brakeText(input.brake)}` };
    case undefined:
      return input.joined ? kept(stored) : undefined;
  }
}

function renewsText({ longerLease }: ConditionInput): string {
  const renews = 'the agent renews its Lease';
  if (longerLease === undefined) return renews;
  const [lease, spec] = [longerLease.leaseMs / 1_000, longerLease.specMs / 1_000];
  return (
    `${renews} each ${lease} s: these count instead of the ${spec} s of spec.leaseDurationSeconds until its next report, ` +
    `within an hour, or three times ${lease} s of silence`
  );
}

/** A stored message stays, with its time: a new process knows only renewals since its own start. */
function stoppedText({ name, lastRenewal }: ConditionInput, stored: StoredCondition | undefined): string {
  const known = stored?.status === 'Unknown' && stored.reason === STOPPED ? stored.message : undefined;
  return known?.split(NOT_TAINTED)[0] ?? `no renewal of Lease ${AGENTS_NAMESPACE}/${name} seen since ${lastRenewal}`;
}

function brakeText(brake: BrakeCause | undefined): string {
  if (brake?.scope === 'fleet') return `${NOT_TAINTED}most of the fleet is silent`;
  return brake?.scope === 'set' ? `${NOT_TAINTED}most of set ${brake.set} is silent` : '';
}

/** The scope that a message of the condition names as braked: `fleet` or `set NAME`; undefined: none. */
export function brakedScopeIn(message: string): string | undefined {
  const [, scope] = /^most of (?:the )?(fleet|set \S+) is silent$/.exec(message.split(NOT_TAINTED)[1] ?? '') ?? [];
  return scope;
}

function clockSynced(input: ConditionInput, stored: StoredCondition | undefined): HealthState | undefined {
  const { clock } = input;
  if (!input.joined) return undefined;
  if (clock === undefined) return kept(stored);
  return clock === 'synced'
    ? { status: 'True', reason: 'ManagedClusterClockSynced', message: 'the clock of the agent agrees with the hub' }
    : {
        status: 'False',
        reason: 'ManagedClusterClockOutOfSync',
        message: 'the clock of the agent differs from that of the hub by more than 60 s',
      };
}

function kept(stored: StoredCondition | undefined): HealthState | undefined {
  if (stored === undefined) return undefined;
  const { status, reason = '', message = '' } = stored;
  return { status: status as ConditionStatus, reason: reason as HealthReason, message };
}

/** lastUpdateTime is not compared: it changes with the others, and alone it is no reason for a write. */
function isSame(one: HealthCondition, other: StoredCondition): boolean {
  return (
    one.type === other.type &&
    one.status === other.status &&
    one.reason === other.reason &&
    one.message === other.message &&
    one.lastTransitionTime === other.lastTransitionTime
  );
}

/**
 * The stored conditions of the judge as they are, for a write of something else: an apply removes what it does not
 * name. That of a refused write is left out: a write that is stored ends it.
 */
export function storedHealthConditions(stored: readonly StoredCondition[]): readonly HealthCondition[] {
  return stored.filter(
    ({ type }) => HEALTH_CONDITIONS.includes(type) && type !== HUB_WRITE_REFUSED_CONDITION,
  ) as readonly HealthCondition[];
}

/** The stored conditions and that of a refused write; undefined when it is stored already. `now` is RFC 3339. */
export function refusedConditions(
  stored: readonly StoredCondition[],
  message: string,
  now: string,
): readonly HealthCondition[] | undefined {
  const before = stored.find(({ type }) => type === HUB_WRITE_REFUSED_CONDITION);
  const state = { type: HUB_WRITE_REFUSED_CONDITION, status: 'True', reason: 'WriteRefused', message } as const;
  const refused = timedCondition(state, before, now);
  return before !== undefined && isSame(refused, before) ? undefined : [...storedHealthConditions(stored), refused];
}
