import { EngineEvents } from '../../src/api/enginereasons.js';
import type { MultiClusterEngineStatus } from '../../src/api/generated/multiclusterengine.js';
import { engineEvents, engineStatus } from '../../src/domain/engine/status/status.js';
import { deploymentHealth } from '../../src/domain/engine/status/components.js';
import type { ObjectState, StatusInput } from '../../src/domain/engine/status/input.js';
import {
  deployment,
  engine,
  objectState,
  objectStates,
  LATER,
  newDeployment,
  NOW,
  statusInput,
  type DeploymentCounts,
} from '../support/builders/engine.js';
import { LIMITING_POLICIES } from '../../src/domain/engine/policies.js';
import { describeRecorded, type Case } from './recorded.js';

const progressing = { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated' };
const late = {
  type: 'Progressing',
  status: 'False',
  reason: 'ProgressDeadlineExceeded',
  message: 'has timed out progressing.',
};
const quota = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota: small' };

const starting = { object: deployment({ available: 0, conditions: [progressing] }) };
const rolling = {
  object: deployment({ updated: 1, replicas: 3, conditions: [{ type: 'Available', status: 'True' }, progressing] }),
};
const crashing = { object: deployment({ available: 0 }) };
const stuck = { object: deployment({ available: 0, conditions: [late] }) };
const failing = (failures: number): Partial<ObjectState> => ({ state: 'failed', message: 'exceeded quota', failures });
const account = (state: ObjectState['state'], message: string): Partial<StatusInput> => ({
  objects: objectStates({ ServiceAccount: { state, message } }),
});

const installed: MultiClusterEngineStatus = engineStatus(statusInput(), NOW);
const again = { engine: engine({ status: installed }) };
const upgraded = { ...again, version: '2.0.0' };
const fault = { field: 'spec.x', message: '1: must not be set' };
const removing = objectState('Deployment', { state: 'removing', message: 'is being deleted' });

/** The status and the events that follow the stored one. Rows of objects that are as they should be are left out. */
function outputOf(over: Partial<StatusInput>): object {
  const before = over.engine?.status ?? {};
  const { conditions = [], components = [], ...rest } = engineStatus(statusInput(over), LATER);
  const rows = components.filter((row) => row.reason !== 'Applied' && row.reason !== 'Available');
  const events = engineEvents(before, { ...rest, conditions, components }).map(({ reason, note }) => ({
    type: EngineEvents[reason].type,
    reason,
    note,
  }));
  return { rest, conditions, rows, events };
}

function statusCase(sentence: string, over: Partial<StatusInput>): Case {
  return [sentence, () => outputOf(over)];
}

function after(over: Partial<StatusInput>): Partial<StatusInput> {
  return { engine: engine({ status: engineStatus(statusInput({ ...again, ...over }), NOW) }) };
}

const statuses: readonly Case[] = [
  ['every row of an engine that is ready', () => installed.components],
  statusCase('a new engine that is ready at its first pass', {}),
  statusCase('an engine that stays ready', again),
  statusCase('an engine of which nothing has been looked at', { objects: undefined }),
  statusCase('an engine whose namespace is being read', {
    objects: undefined,
    undecided: 'the secrets of namespace x are being read',
  }),
  statusCase('an engine that was ready and whose namespace is being read', {
    ...again,
    objects: undefined,
    undecided: 'being read',
  }),
  statusCase('an engine without a wanted object', { objects: [] }),
  statusCase('a new engine whose Deployment starts', { objects: objectStates({ Deployment: starting }) }),
  statusCase('an engine that comes up after its installation', {
    engine: engine({ status: engineStatus(statusInput({ objects: objectStates({ Deployment: starting }) }), NOW) }),
  }),
  statusCase('an engine of another version whose Deployment rolls out', {
    ...upgraded,
    objects: objectStates({ Deployment: rolling }),
  }),
  statusCase('an engine of another version whose Deployment crashes', {
    ...upgraded,
    objects: objectStates({ Deployment: crashing }),
  }),
  statusCase('an engine of another version that waits', { ...upgraded, ...account('waiting', 'is being deleted') }),
  statusCase('an engine whose Deployment rolls out to a new spec', {
    ...again,
    objects: objectStates({ Deployment: rolling }),
  }),
  statusCase('an engine whose Deployment crashes', { ...again, objects: objectStates({ Deployment: crashing }) }),
  statusCase('an engine whose Deployment is past its deadline', {
    ...again,
    objects: objectStates({ Deployment: stuck }),
  }),
  statusCase('an engine whose Deployment is past its deadline at the installation', {
    objects: objectStates({ Deployment: stuck }),
  }),
  statusCase('an object that was refused twice', { ...again, objects: objectStates({ ServiceAccount: failing(2) }) }),
  statusCase('an object that was refused once', { ...again, objects: objectStates({ ServiceAccount: failing(1) }) }),
  statusCase('an object that was refused three times', {
    ...again,
    objects: objectStates({ ServiceAccount: failing(3) }),
  }),
  statusCase('every object refused', { objects: objectStates().map((one) => ({ ...one, ...failing(1) })) }),
  statusCase('an object of somebody else', {
    ...again,
    ...account('foreign', 'belongs to Widget w and is not changed; delete or rename it'),
  }),
  statusCase('an object that the operator may not write', {
    ...again,
    ...account('denied', 'the operator may not patch serviceaccounts'),
  }),
  statusCase('a right that is missing for the whole namespace', {
    ...again,
    objects: undefined,
    denied: 'the operator may not list secrets',
    undecided: 'being read',
  }),
  statusCase('an object that waits for another', { ...again, ...account('waiting', 'is being deleted') }),
  statusCase('an object that waits at the first installation', account('waiting', 'is being deleted')),
  statusCase('a Secret that somebody else made and that is taken as it is', {
    ...again,
    objects: objectStates({
      ServiceAccount: { message: 'was created by somebody else and is used unchanged', given: 'usable' },
    }),
  }),
  statusCase('a Secret that somebody else made and that may be wrong', {
    ...again,
    objects: objectStates({ ServiceAccount: { message: 'it expires soon', given: 'doubtful' } }),
  }),
  statusCase('a Secret that somebody else made and with which nothing can serve', {
    ...again,
    ...account('unusable', 'tls.key does not belong to tls.crt'),
  }),
  statusCase('a Secret with which nothing can serve, of a new engine', {
    objects: objectStates({
      ServiceAccount: { state: 'unusable', message: 'tls.key is empty' },
      Deployment: starting,
    }),
  }),
  statusCase('a part of the objects that could be looked at', {
    ...again,
    objects: [objectState('RoleBinding', failing(1))],
    partial: true,
  }),
  statusCase('a target namespace that is being deleted', {
    ...again,
    terminating: 'Namespace x is being deleted; it is created again when it is gone',
    ...account('waiting', 'Namespace x is being deleted'),
  }),
  statusCase('a missing pull secret of a ready engine', { ...again, pullSecret: { kind: 'missing', name: 'x/pull' } }),
  statusCase('a missing pull secret of a new engine', {
    pullSecret: { kind: 'missing', name: 'x/pull' },
    objects: objectStates({ Deployment: starting }),
  }),
  statusCase('a pull secret of another type', { ...again, pullSecret: { kind: 'unusable', name: 'x/pull' } }),
  statusCase('a trust bundle that is missing', {
    ...again,
    unusableTrustBundle: 'ConfigMap x/ca, named by spec.trustBundle, does not exist',
  }),
  statusCase('an admission policy that is missing', {
    ...again,
    policies: { kind: 'Known', limiting: LIMITING_POLICIES.slice(0, 1), protecting: [] },
  }),
  statusCase('NetworkPolicies that are off', { ...again, networkPolicies: { enabled: false, apiServerPorts: [443] } }),
  statusCase('components that are down, where the spec names the port of the API server', {
    ...again,
    networkPolicies: { enabled: true, apiServerPorts: [443, 16_443] },
    objects: objectStates({ Deployment: { object: deployment({ available: 0 }) } }),
  }),
  statusCase('an older engine on the hub', { anotherEngine: 'older', objects: undefined }),
  statusCase('a spec that cannot be served', {
    fieldErrors: [fault, { ...fault, field: 'spec.y' }],
    objects: undefined,
  }),
  statusCase('a pause with nothing held back', { ...again, paused: true }),
  statusCase('a pause that holds a repair and a creation back', {
    ...again,
    paused: true,
    objects: objectStates({
      Deployment: { state: 'drifted', message: 'differs at spec.replicas' },
      ServiceAccount: { state: 'missing', message: 'does not exist' },
    }),
  }),
  statusCase('a pause of which nothing more is known', { paused: true, objects: undefined }),
  statusCase('a pause that holds the repair of a Deployment without replicas back', {
    ...again,
    paused: true,
    objects: objectStates({
      Deployment: { state: 'drifted', message: 'x', object: deployment({ wanted: 0, available: 0 }) },
      ServiceAccount: { state: 'drifted', message: 'x' },
    }),
  }),
  statusCase('a pause that holds the creation of a Deployment back', {
    ...again,
    paused: true,
    objects: objectStates({ Deployment: { state: 'missing', message: 'x' } }),
  }),
  statusCase('a pause beside an older engine', { paused: true, anotherEngine: 'older', objects: undefined }),
  statusCase('a pause that suspends the uninstall of a new engine', {
    paused: true,
    uninstall: { message: 'x stays' },
  }),
  statusCase('the end of a pause', after({ paused: true })),
  statusCase('an uninstall with an object left', {
    ...again,
    objects: undefined,
    uninstall: { remaining: [removing], message: '1 object left; waiting: Deployment a/b is being deleted' },
  }),
  statusCase('an uninstall with nothing left', {
    ...again,
    objects: undefined,
    uninstall: { remaining: [], message: 'everything is removed' },
  }),
  statusCase('an uninstall that the pause holds back', {
    ...again,
    paused: true,
    objects: undefined,
    uninstall: { message: 'the objects in namespace x stay until the pause ends' },
  }),
  statusCase('an uninstall without a right', {
    ...again,
    objects: undefined,
    uninstall: { message: 'x', denied: 'the operator may not delete secrets' },
  }),
  statusCase('a stalled engine that turns ready', after(account('foreign', 'theirs'))),
  statusCase('an annotation that requests a pass', {
    engine: engine({ metadata: { annotations: { 'multicluster.platform.io/reconcile-requested-at': 'now' } } }),
  }),
  statusCase('a message that is longer than a condition may hold', account('foreign', 'x'.repeat(5_000))),
];

function healthCase(sentence: string, counts: DeploymentCounts, served?: number): Case {
  return [sentence, () => deploymentHealth(deployment(counts), served)];
}

const healths: readonly Case[] = [
  healthCase('health of a Deployment that is ready', {}),
  healthCase('health of a Deployment that was patched just now', { generation: 2, observedGeneration: 1 }),
  healthCase('health of a Deployment past its deadline and over its quota', {
    available: 0,
    conditions: [late, quota],
  }),
  healthCase(
    'health of a Deployment that grows from two replicas',
    { wanted: 3, replicas: 3, updated: 1, available: 2, conditions: [progressing] },
    2,
  ),
  ['health of a Deployment that was created just now', () => deploymentHealth(newDeployment())],
  ['health of no Deployment', () => deploymentHealth(undefined)],
];

describeRecorded('engine-status', [...statuses, ...healths]);
