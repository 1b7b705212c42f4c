import { beforeEach, describe, expect, it } from '@jest/globals';

import type { KubeObject } from '../../../../src/runtime/vocabulary/meta.js';
import { Pods, ReplicaSets } from '../../../../src/runtime/vocabulary/kinds.js';
import type { EventNote } from '../../../../src/runtime/events/recorder.js';
import { ContainerRuns } from '../../../../src/standalone/local/pod/containerruns.js';
import { PodObject, type PodObjectDeps } from '../../../../src/standalone/local/pod/podobject.js';
import type { PodObservation } from '../../../../src/standalone/local/pod/podstatus.js';
import type { Deployment } from '../../../../src/standalone/local/workload.js';
import { ApiError } from '../../../../src/runtime/errors.js';
import { FakeApi, failure } from '../../../support/fakes/api.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';

const signal = new AbortController().signal;
const SET = { namespace: 'n', name: 'web-0123456789' };
const POD = { namespace: 'n', name: 'web-0123456789-abc12' };
const DEPLOYMENT: Deployment = {
  metadata: { namespace: 'n', name: 'web', uid: 'd1' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web', more: 'yes' }, annotations: { a: 'b' } },
      spec: { containers: [{ name: 'main', image: 'x' }] },
    },
  },
};

type WithStatus = KubeObject & {
  readonly spec?: unknown;
  readonly status?: {
    readonly containerStatuses?: readonly unknown[];
    readonly conditions?: readonly { readonly type: string; readonly lastTransitionTime: string }[];
  };
};

describe('the Pod of a process', () => {
  let clock: ManualClock;
  let api: FakeApi;
  let runs: ContainerRuns;
  let pod: PodObject;
  let deps: PodObjectDeps;
  const events: EventNote[] = [];
  const state = { ready: false, problem: undefined };
  const observed = (more: Partial<PodObservation['state']> = {}): PodObservation => ({
    container: { name: 'main', image: 'x' },
    runs,
    state: { ...state, ...more },
    createdAt: Date.parse('2026-01-02T03:04:05Z'),
  });
  const sync = (more: Partial<PodObservation['state']> = {}): Promise<void> =>
    pod.sync(DEPLOYMENT, observed(more), signal);
  const stored = (): WithStatus | undefined => api.peek<WithStatus>(Pods, POD);
  const make = (name: string): PodObject => new PodObject(deps, { namespace: 'n', replicaSet: SET.name, name });

  beforeEach(() => {
    clock = new ManualClock(Date.parse('2026-01-02T03:04:06Z'));
    api = new FakeApi(clock);
    runs = new ContainerRuns(POD.name);
    events.length = 0;
    deps = {
      client: api,
      clock,
      events: { record: (event) => void events.push(event), flush: async () => undefined },
      nodeName: 'local',
      fieldManager: 'test',
    };
    pod = make(POD.name);
  });

  it('the Pod has the template of its Deployment and is owned by a ReplicaSet with the hash of the template', async () => {
    await sync();
    const set = api.peek<WithStatus>(ReplicaSets, SET);
    const labels = { app: 'web', more: 'yes', 'pod-template-hash': '0123456789' };

    expect(set).toMatchObject({
      metadata: { labels, ownerReferences: [{ kind: 'Deployment', name: 'web', uid: 'd1', controller: true }] },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: 'web', 'pod-template-hash': '0123456789' } },
        template: { metadata: { labels, annotations: { a: 'b' } } },
      },
    });
    expect(stored()).toMatchObject({
      metadata: {
        labels,
        annotations: { a: 'b' },
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: SET.name, uid: set?.metadata.uid }],
      },
      spec: { nodeName: 'local', containers: [{ name: 'main', image: 'x' }] },
      status: { phase: 'Pending', podIP: '127.0.0.1', startTime: '2026-01-02T03:04:05Z' },
    });
  });

  it('the status shows starts, readiness and ends of the container', async () => {
    const container = (): unknown => stored()?.status?.containerStatuses?.[0];
    await sync();
    expect(container()).toMatchObject({
      ready: false,
      state: { waiting: { reason: 'ContainerCreating' } },
      lastState: {},
    });
    await sync({ problem: { reason: 'FailedCreate', message: 'no Secret' } });
    expect(container()).toMatchObject({
      state: { waiting: { reason: 'CreateContainerConfigError', message: 'no Secret' } },
    });
    runs.started(clock.now());
    await sync({ ready: true });
    expect(stored()?.status).toMatchObject({ phase: 'Running' });
    expect(container()).toMatchObject({
      ready: true,
      restartCount: 0,
      containerID: `process://${POD.name}/0`,
      state: { running: { startedAt: '2026-01-02T03:04:06Z' } },
    });
    await clock.advance(5000);
    runs.ended({ code: 3, signal: null }, clock.now());
    runs.explain('no more');
    await sync({ problem: { reason: 'CrashLoopBackOff', message: 'it ended' } });
    expect(container()).toMatchObject({
      ready: false,
      restartCount: 0,
      state: { waiting: { reason: 'CrashLoopBackOff', message: 'it ended' } },
      lastState: {
        terminated: {
          exitCode: 3,
          reason: 'Error',
          message: 'no more',
          startedAt: '2026-01-02T03:04:06Z',
          finishedAt: '2026-01-02T03:04:11Z',
          containerID: `process://${POD.name}/0`,
        },
      },
    });
    runs.started(clock.now());
    runs.ended({ code: null, signal: 'SIGKILL' }, clock.now());
    await sync();
    expect(container()).toMatchObject({
      restartCount: 1,
      lastState: { terminated: { exitCode: 137, reason: 'Error' } },
    });
    runs.started(clock.now());
    runs.ended({ code: 0, signal: null }, clock.now());
    await sync();
    expect(container()).toMatchObject({ lastState: { terminated: { exitCode: 0, reason: 'Completed' } } });
  });

  it('a condition keeps its transition time until its status changes', async () => {
    const timeOf = (type: string): unknown =>
      stored()?.status?.conditions?.find((one) => one.type === type)?.lastTransitionTime;
    await sync();
    await clock.advance(5000);
    runs.started(clock.now());
    await sync();
    expect(timeOf('Ready')).toBe('2026-01-02T03:04:06Z');
    await sync({ ready: true });
    expect([timeOf('Ready'), timeOf('PodScheduled')]).toEqual(['2026-01-02T03:04:11Z', '2026-01-02T03:04:06Z']);
  });

  it('nothing is written while nothing changes', async () => {
    runs.started(clock.now());
    await sync({ ready: true });
    const before = api.calls.length;
    await clock.advance(60_000);
    await sync({ ready: true });
    expect(api.calls.slice(before)).toEqual([]);
    await sync({ ready: false });
    expect(api.writes.slice(-2)).toEqual([`updateStatus pods n/${POD.name}`, `updateStatus replicasets n/${SET.name}`]);
  });

  it('a status is written over a change of another client', async () => {
    await sync();
    const found = stored();
    if (found !== undefined) api.put(Pods, { ...found, metadata: { ...found.metadata, labels: { own: 'yes' } } });
    runs.started(clock.now());
    await sync();
    expect(stored()).toMatchObject({ metadata: { labels: { own: 'yes' } }, status: { phase: 'Running' } });
  });

  it('Events wait for the Pod, and name it', async () => {
    const event = { type: 'Normal', reason: 'Started', action: 'Starting', note: 'Started container main' } as const;
    pod.record(event);
    expect(events).toEqual([]);
    await sync();
    pod.record({ ...event, reason: 'Killing' });
    expect(events.map(({ reason, regarding }) => [reason, regarding.kind, regarding.metadata.uid])).toEqual([
      ['Started', 'Pod', stored()?.metadata.uid],
      ['Killing', 'Pod', stored()?.metadata.uid],
    ]);
  });

  it('no more than 20 Events wait for the Pod', async () => {
    for (let at = 0; at < 25; at += 1) pod.record({ type: 'Normal', reason: `R${at}`, action: 'A', note: '' });
    await sync();
    expect(events.map(({ reason }) => reason)).toEqual(Array.from({ length: 20 }, (_none, at) => `R${at + 5}`));
  });

  it('a Pod that another client deletes is not created again', async () => {
    await sync();
    api.remove(Pods, POD);
    pod.observe(undefined);
    runs.started(clock.now());
    await sync();
    expect([pod.isDeleted, stored()]).toEqual([true, undefined]);
  });

  it('a Pod that is gone before its status is written is deleted', async () => {
    await sync();
    api.remove(Pods, POD);
    runs.started(clock.now());
    await sync();
    expect(pod.isDeleted).toBe(true);
  });

  it('the ReplicaSet stays for the next Pod, with the status of none, and goes with the last one', async () => {
    runs.started(clock.now());
    await sync({ ready: true });
    const uid = api.peek(ReplicaSets, SET)?.metadata.uid;
    await pod.remove(true);
    expect(stored()).toBe(undefined);
    expect(api.peek<WithStatus>(ReplicaSets, SET)?.status).toEqual({ replicas: 0 });

    const next = make('web-0123456789-xyz89');
    await next.sync(DEPLOYMENT, observed({ ready: true }), signal);
    expect(api.peek<WithStatus>(ReplicaSets, SET)).toMatchObject({ metadata: { uid }, status: { readyReplicas: 1 } });
    await next.terminate();
    await next.remove(false);
    expect([api.all(Pods), api.all(ReplicaSets)]).toEqual([[], []]);
  });

  it('the ReplicaSets of earlier templates are deleted, those of other Deployments are kept', async () => {
    const owned = (name: string, uid: string): KubeObject => ({
      metadata: {
        namespace: 'n',
        name,
        ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'd', uid, controller: true }],
      },
    });
    api.put(ReplicaSets, owned('web-old', 'd1'));
    api.put(ReplicaSets, owned('other', 'd2'));
    await sync();
    expect(api.all(ReplicaSets).map(({ metadata }) => metadata.name)).toEqual(['other', SET.name]);
  });

  it('an error of the API is thrown, and the next sync goes on', async () => {
    api.before = ({ verb, type, name }) => {
      if (verb === 'updateStatus') throw failure('Unavailable', verb, type, name);
    };
    await expect(sync()).rejects.toBeInstanceOf(ApiError);
    api.before = () => undefined;
    await sync();
    expect(stored()?.status).toMatchObject({ phase: 'Pending' });
    expect(api.writes.filter((one) => one.startsWith('create'))).toHaveLength(2);
  });
});
