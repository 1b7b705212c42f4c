import type { JsonObject } from '@multicluster-engine/values/json';
import { listAt, numberAt, structAt, textAt } from '@multicluster-engine/values/fields';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Cells } from './cells.js';
import { humanAge } from './ages.js';

/** The cells of a Pod, as `printPod` of kube-apiserver computes them. */
export const POD_CELLS: Cells = {
  Ready: (pod) => `${summaryOf(pod).ready}/${containerCount(pod)}`,
  Status: (pod) => statusOf(pod),
  Restarts: restarts,
  IP: (pod) => textAt(listAt(structAt(pod, 'status'), 'podIPs')[0] ?? {}, 'ip') || '<none>',
  Node: (pod) => textAt(structAt(pod, 'spec'), 'nodeName') || '<none>',
  'Nominated Node': (pod) => textAt(structAt(pod, 'status'), 'nominatedNodeName') || '<none>',
  'Readiness Gates': readinessGates,
};

/** What the statuses of the containers add up to. */
interface Summary {
  readonly ready: number;
  readonly restarts: number;
  /** When the last container that was restarted had ended; '' when none was. */
  readonly restartedAt: string;
  /** The reason that replaces the phase; undefined for none. */
  readonly reason: string | undefined;
  readonly running: boolean;
}

function summaryOf(pod: KubeObject): Summary {
  const status = structAt(pod, 'status');
  const init = initSummary(pod);
  if (init.reason !== undefined && !hasCondition(pod, 'Initialized')) return init;
  const sidecars = listAt(status, 'initContainerStatuses').filter((one) => isSidecar(pod, textAt(one, 'name')));
  const containers = listAt(status, 'containerStatuses').toReversed();
  const counted = [...sidecars, ...containers];
  const ready = containers.filter(isReady).length;
  return {
    ready: init.ready + ready,
    restarts: counted.reduce((sum, one) => sum + numberAt(one, 'restartCount'), 0),
    restartedAt: latest(counted),
    // The first container decides, as the last one that is looked at.
    reason: containers.map(containerReason).findLast((one) => one !== undefined) ?? init.reason,
    running: ready > 0,
  };
}

/** The summary of the init containers up to the first that has not succeeded, whose state is the reason. */
function initSummary(pod: KubeObject): Summary {
  const total = listAt(structAt(pod, 'spec'), 'initContainers').length;
  const statuses = listAt(structAt(pod, 'status'), 'initContainerStatuses');
  let ready = 0;
  for (const [at, one] of statuses.entries()) {
    const { terminated, waiting } = stateOf(one);
    if (terminated !== undefined && numberAt(terminated, 'exitCode') === 0) continue;
    if (isSidecar(pod, textAt(one, 'name')) && one['started'] === true) {
      ready += one['ready'] === true ? 1 : 0;
      continue;
    }
    const waits = waiting === undefined ? '' : textAt(waiting, 'reason');
    const named = waits !== '' && waits !== 'PodInitializing' ? waits : undefined;
    const reason = terminated === undefined ? named : endOf(terminated);
    const seen = statuses.slice(0, at + 1);
    const restartCount = seen.reduce((sum, status) => sum + numberAt(status, 'restartCount'), 0);
    return {
      ready,
      restarts: restartCount,
      restartedAt: latest(seen),
      reason: `Init:${reason ?? `${at}/${total}`}`,
      running: false,
    };
  }
  return { ready, restarts: 0, restartedAt: '', reason: undefined, running: false };
}

function statusOf(pod: KubeObject): string {
  const status = structAt(pod, 'status');
  const phase = textAt(status, 'phase');
  const gated = listAt(status, 'conditions').some(
    (one) => textAt(one, 'type') === 'PodScheduled' && textAt(one, 'reason') === 'SchedulingGated',
  );
  const { reason, running } = summaryOf(pod);
  const own = textAt(status, 'reason');
  if (pod.metadata.deletionTimestamp !== undefined) {
    if (own === 'NodeLost') return 'Unknown';
    if (phase !== 'Failed' && phase !== 'Succeeded') return 'Terminating';
  }
  const shown = reason ?? (gated ? 'SchedulingGated' : own || phase);
  if (shown !== 'Completed' || !running) return shown;
  return hasCondition(pod, 'Ready') ? 'Running' : 'NotReady';
}

function restarts(pod: KubeObject, now: number): string {
  const { restarts: count, restartedAt } = summaryOf(pod);
  return count === 0 || restartedAt === '' ? String(count) : `${count} (${humanAge(restartedAt, now)} ago)`;
}

function readinessGates(pod: KubeObject): string {
  const gates = listAt(structAt(pod, 'spec'), 'readinessGates').map((gate) => textAt(gate, 'conditionType'));
  return gates.length === 0 ? '<none>' : `${gates.filter((gate) => hasCondition(pod, gate)).length}/${gates.length}`;
}

function containerCount(pod: KubeObject): number {
  const spec = structAt(pod, 'spec');
  const sidecars = listAt(spec, 'initContainers').filter(({ restartPolicy }) => restartPolicy === 'Always');
  return listAt(spec, 'containers').length + sidecars.length;
}

function isSidecar(pod: KubeObject, name: string): boolean {
  const found = listAt(structAt(pod, 'spec'), 'initContainers').find((one) => textAt(one, 'name') === name);
  return found?.['restartPolicy'] === 'Always';
}

function hasCondition(pod: KubeObject, type: string): boolean {
  const conditions = listAt(structAt(pod, 'status'), 'conditions');
  return conditions.some((one) => textAt(one, 'type') === type && textAt(one, 'status') === 'True');
}

interface ContainerState {
  readonly waiting: JsonObject | undefined;
  readonly terminated: JsonObject | undefined;
}

function stateOf(container: JsonObject): ContainerState {
  const state = structAt(container, 'state');
  const part = (name: string): JsonObject | undefined =>
    state[name] === undefined ? undefined : structAt(state, name);
  return { waiting: part('waiting'), terminated: part('terminated') };
}

function isReady(container: JsonObject): boolean {
  return container['ready'] === true && structAt(container, 'state')['running'] !== undefined;
}

function containerReason(container: JsonObject): string | undefined {
  const { waiting, terminated } = stateOf(container);
  const waits = waiting === undefined ? '' : textAt(waiting, 'reason');
  if (waits !== '') return waits;
  return terminated === undefined ? undefined : endOf(terminated);
}

function endOf(terminated: JsonObject): string {
  const reason = textAt(terminated, 'reason');
  if (reason !== '') return reason;
  const signal = numberAt(terminated, 'signal');
  return signal === 0 ? `ExitCode:${numberAt(terminated, 'exitCode')}` : `Signal:${signal}`;
}

/** The latest end of earlier runs of containers; '' without one. RFC 3339 in UTC sorts as text. */
function latest(containers: readonly JsonObject[]): string {
  return containers
    .map((one) => textAt(structAt(structAt(one, 'lastState'), 'terminated'), 'finishedAt'))
    .reduce((last, time) => (time > last ? time : last), '');
}
