import type { ManagedCluster } from '../../../../api/generated/managedcluster.js';
import { LOCAL_CLUSTER_FIELD_MANAGER, PRODUCT, RECONCILE_ANNOTATION } from '../../../../api/names.js';
import { ManagedClusters } from '../../../../api/resources.js';
import { afterProbe, PROBE_PERIOD_MS, type ControlPlaneState } from '../../../../domain/agent/report/report.js';
import {
  hasStatus,
  hubStatus,
  newLocalCluster,
  reportedBy,
  statusForAgent,
  unreportedStatus,
  withStatus,
} from '../../../../domain/engine/localcluster.js';
import { idOf, titleOf, finalizersOf, isTerminating } from '../../../../domain/engine/manifest/manifest.js';
import type { ObjectState } from '../../../../domain/engine/status/input.js';
import { objectState, type Step } from '../../../../domain/engine/steps/steps.js';
import { errorText, isFailure } from '../../../../runtime/errors.js';
import { sameJson } from '../../../../runtime/vocabulary/json.js';
import { Namespaces, Nodes } from '../../../../runtime/vocabulary/kinds.js';
import { timestamp } from '../../../../runtime/vocabulary/meta.js';
import type { Input } from '../gather.js';
import { NOTHING_APPLIED, type Applied } from '../applysteps.js';
import { stateAfterFailure } from '../failure.js';
import type { Scope, EngineMemory } from '../scope.js';

/** Between two reads of version and Nodes, as an agent reads them. */
const SAMPLE_PERIOD_MS = 300_000;

type Status = NonNullable<ManagedCluster['status']>;
type Known = NonNullable<EngineMemory['localCluster']>;
/** What was found in this pass. */
type Found = Pick<Known, 'state' | 'applied'>;

/**
 * Makes the ManagedCluster that stands for the hub, and reports for it every 10 s: claims, version, Nodes, and whether the API
 * server is ready. Without `spec.localCluster` no request is sent. A failure is a state, as that of every other object; throws
 * Fenced and Aborted only.
 */
export async function reportLocalCluster(input: Input, scope: Scope): Promise<Applied> {
  const { memory, clock } = scope;
  const name = input.spec.localCluster;
  if (name === undefined) {
    memory.localCluster = undefined;
    return NOTHING_APPLIED;
  }
  const step: Step = { action: 'keep', type: ManagedClusters, name: { name }, cause: '' };
  // The row first: by it the cluster is left later, also by a process that has not made it.
  if (!clusterRows(input).some((row) => row.name === name))
    return oneState({ ...objectState(step, 'waiting', 'is registered next'), component: PRODUCT });
  const id = idOf(step.type, step.name);
  const now = clock.monotonic();
  const known = memory.localCluster?.name === name ? memory.localCluster : undefined;
  const isDue = known === undefined || now >= known.readAgainAt || isRequested(input);
  if (!isDue) return oneState(known.state, known.readAgainAt - now);
  const backedOff = memory.backedOff(id, name, now);
  if (backedOff !== undefined) return oneState(backedOff);
  try {
    const health = await probe(known?.health, scope);
    const { sample, sampleAgainAt } = await readSample(known, scope);
    const found = await report(step, { sample, health, applied: known?.applied }, scope);
    memory.localCluster = { name, health, sample, sampleAgainAt, readAgainAt: now + PROBE_PERIOD_MS, ...found };
    memory.succeeded(id);
    return oneState(found.state, PROBE_PERIOD_MS);
  } catch (error) {
    // The Nodes are the one kind beside that of the step whose right only the role of this cluster grants.
    const isOfNodes = isFailure(error, 'Forbidden') && error.call.resource === Nodes.plural;
    const call = isOfNodes ? { verbs: ['list'], type: Nodes } : { verbs: ['get', 'create'] };
    return oneState(await stateAfterFailure(step, { ...call, error, revision: name }, input, scope));
  }
}

/**
 * Says in the clusters that stood for the hub and do not any more, by the rows of the status, that nobody reports for them. They
 * are not deleted, since decisions may name them. To be called while the operator may still write it. Throws what is retried.
 */
export async function stopReporting(input: Input, scope: Scope): Promise<void> {
  const { client, pass, clock, memory } = scope;
  const { identity, deleting, spec } = input;
  const wanted = deleting ? undefined : spec.localCluster;
  const engine = `MultiClusterEngine ${identity.name}`;
  const field = `spec.localCluster of ${engine}`;
  const cause = deleting ? `${engine} is deleted` : `${field} ${wanted === undefined ? 'is off' : `names ${wanted}`}`;
  for (const { name } of clusterRows(input).filter((row) => row.name !== wanted)) {
    try {
      const cluster = await client.get<ManagedCluster>(ManagedClusters, { name }, { signal: pass.signal });
      if (cluster === undefined || isTerminating(cluster)) continue;
      const reporter = reportedBy(cluster, undefined);
      if (reporter.kind === 'foreign') continue;
      const status =
        reporter.kind === 'agent'
          ? statusForAgent(cluster, reporter.hasReported)
          : unreportedStatus(name, cluster.status, cause, timestamp(clock.now()));
      if (status !== undefined) await applyStatus(cluster, status, scope);
    } catch (error) {
      if (!isFailure(error, 'Forbidden', 'NotFound', 'ResourceMissing', 'Invalid')) throw error;
      // A right or a definition may come back. What cannot be said must not keep the engine from what the user wants for longer.
      if (!isFailure(error, 'NotFound') && memory.mayRefusalEnd('stopReporting', clock.monotonic())) throw error;
      pass.log.warn({ object: titleOf(ManagedClusters, { name }), err: error }, 'the cluster could not be left');
    }
  }
  memory.forgetRefusal('stopReporting');
}

/** Whether a person has asked for a pass that has not been reported yet. */
function isRequested({ engine: { metadata, status } }: Input): boolean {
  return metadata.annotations?.[RECONCILE_ANNOTATION] !== status?.lastHandledReconcileAt;
}

/** During a pause nothing is read, and the rows stay. */
export function storedClusterStates(input: Input): readonly ObjectState[] {
  return clusterRows(input).map(({ name, status, message }) => {
    const isApplied = status === 'True';
    const base = { type: ManagedClusters, name: { name }, component: PRODUCT } as const;
    return { ...base, state: isApplied ? 'applied' : 'waiting', message: isApplied ? '' : (message ?? '') };
  });
}

function clusterRows({ engine }: Input) {
  return (engine.status?.components ?? []).filter(({ kind }) => kind === ManagedClusters.kind);
}

function oneState(state: ObjectState, requeueAfterMs?: number): Applied {
  return { objects: [state], events: [], ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }) };
}

/** Only an answer says that the API server is not ready: who hears nothing may be cut off itself. */
async function probe(
  before: ControlPlaneState | undefined,
  { hub, clock, pass }: Scope,
): Promise<ControlPlaneState | undefined> {
  const sentAt = clock.monotonic();
  let failure: string | undefined;
  try {
    await hub.probe(pass.signal);
  } catch (error) {
    if (isFailure(error, 'Aborted')) throw error;
    if (isFailure(error, 'Transport', 'Throttled')) return before;
    failure = isFailure(error, 'Unavailable') ? errorText(error) : undefined;
  }
  return afterProbe(before, { sentAt, now: clock.now(), failure });
}

async function readSample(
  known: Known | undefined,
  { client, hub, clock, pass }: Scope,
): Promise<Pick<Known, 'sample' | 'sampleAgainAt'>> {
  const now = clock.monotonic();
  if (known !== undefined && now < known.sampleAgainAt) return known;
  const { signal } = pass;
  const system = await client.get(Namespaces, { name: 'kube-system' }, { metadataOnly: true, signal });
  const [version, nodes] = [await hub.version(signal), await hub.nodes(signal)];
  return { sample: { clusterId: system?.metadata.uid ?? '', version, nodes }, sampleAgainAt: now + SAMPLE_PERIOD_MS };
}

/** Makes the cluster where there is none, and applies its status where it differs; or says who reports instead. */
async function report(
  step: Step,
  { sample, health, applied }: Pick<Known, 'sample' | 'health' | 'applied'>,
  scope: Scope,
): Promise<Found> {
  const { client, pass, clock } = scope;
  const { name } = step.name;
  let cluster = await client.get<ManagedCluster>(ManagedClusters, { name }, { signal: pass.signal });
  if (cluster === undefined) {
    const options = { fieldManager: LOCAL_CLUSTER_FIELD_MANAGER, signal: pass.signal };
    cluster = await client.create(ManagedClusters, newLocalCluster(name), options);
    pass.log.info({ object: titleOf(ManagedClusters, { name }) }, 'the hub is a cluster of its own');
  }
  const found = (state: ObjectState): Found => ({ state: { ...state, component: PRODUCT }, applied });
  if (isTerminating(cluster))
    return found(objectState(step, 'waiting', `is being deleted${finalizersOf(cluster)}; it is made again then`));
  const reporter = reportedBy(cluster, sample.clusterId);
  if (reporter.kind === 'foreign') return found(objectState(step, 'foreign', reporter.message));
  if (reporter.kind === 'agent') {
    const status = statusForAgent(cluster, reporter.hasReported);
    if (status !== undefined) await applyStatus(cluster, status, scope);
    const given = reporter.hasReported ? 'usable' : 'doubtful';
    return found({ ...objectState(step, 'applied', reporter.message), given });
  }
  const state = objectState(step, 'applied', '');
  if (health?.isHealthy === undefined) return found(state);
  const wanted = hubStatus(cluster.status, { sample, health }, timestamp(clock.now()));
  const { resourceVersion } = cluster.metadata;
  const isUnchanged = applied?.resourceVersion === resourceVersion && sameJson(applied?.status, wanted);
  if (isUnchanged || hasStatus(cluster.status, wanted)) return found(state);
  const stored = await applyStatus(cluster, wanted, scope);
  return { ...found(state), applied: { status: wanted, resourceVersion: stored.metadata.resourceVersion } };
}

function applyStatus(cluster: ManagedCluster, status: Status, { client, pass }: Scope): Promise<ManagedCluster> {
  const { resourceVersion } = cluster.metadata;
  const options = { fieldManager: LOCAL_CLUSTER_FIELD_MANAGER, force: true, resourceVersion, signal: pass.signal };
  return client.applyStatus<ManagedCluster>(ManagedClusters, withStatus(cluster, status), options);
}
