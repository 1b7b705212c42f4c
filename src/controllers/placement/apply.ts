import type { Placement } from '../../api/generated/placement.js';
import type { PlacementDecision } from '../../api/generated/placementdecision.js';
import { PLACEMENT_FIELD_MANAGER } from '../../api/names.js';
import { PlacementDecisions, Placements } from '../../api/resources.js';
import { decisionObject, readDecision } from '../../domain/placement/decision.js';
import type { DecisionWrite } from '../../domain/placement/sequence.js';
import { remember, type SlicePlan } from '../../domain/placement/slices.js';
import type { Publication } from '../../domain/placement/status.js';
import type { KubeClient } from '../../kube/client/client.js';
import { isFailure } from '../../runtime/errors.js';
import type { Pass } from '../../runtime/result.js';
import type { Input } from './gather.js';
import type { MutationCache } from '../../runtime/mutationcache.js';
import type { Remembered } from './memory.js';

export interface Writer {
  readonly client: KubeClient;
  readonly latestDecisions: MutationCache<PlacementDecision>;
}

/** How far the plan was carried out, and what stopped it. */
export interface Applied {
  readonly publication: Publication;
  readonly error: unknown;
}

/**
 * Carries out the plan's writes in their order, up to the first that fails: each rests on those before it. What was
 * stored is remembered even when a later write fails. Never throws.
 */
export async function apply(gathered: Input, plan: SlicePlan, writer: Writer, pass: Pass): Promise<Applied> {
  const { remembered } = gathered;
  for (const [name, { metadata }] of gathered.objects) {
    remembered.decisions.set(name, { uid: metadata.uid ?? '', resourceVersion: metadata.resourceVersion ?? '' });
  }
  for (const name of remembered.decisions.keys()) if (!gathered.objects.has(name)) remembered.decisions.delete(name);
  let done = 0;
  for (const write of plan.writes) {
    try {
      await carryOut(gathered, write, writer, pass);
      done += 1;
    } catch (error) {
      await lookAgain(gathered, write, writer, error);
      if (isFailure(error, 'Conflict') && isDone(gathered, write, writer)) {
        done += 1;
        continue;
      }
      remembered.slots = remembered.doubtful.size === 0 ? remember(plan, done) : undefined;
      return { publication: { plan, done, failure: { name: write.name, message: messageOf(error) } }, error };
    }
  }
  remembered.slots = remember(plan, done);
  return { publication: { plan, done }, error: undefined };
}

/**
 * Whether a write that met a conflict has been carried out all the same: the client repeats an update whose answer was
 * lost, and the second then meets what the first has stored. Such an object is no foreign edit, and must not be put back.
 */
function isDone({ owner, objects, remembered }: Input, write: DecisionWrite, { latestDecisions }: Writer): boolean {
  if (write.kind !== 'update' || remembered.doubtful.has(write.name)) return false;
  const found = latestDecisions.newest(`${owner.namespace}/${write.name}`, undefined);
  if (found === undefined) return false;
  const { intact, deleting, revision, clusters } = readDecision(found, owner);
  if (!intact || deleting || revision !== write.revision || clusters.join('\n') !== write.clusters.join('\n'))
    return false;
  objects.set(write.name, found);
  return true;
}

/** Reads the objects that earlier writes left in doubt. Throws when they cannot be read. */
export async function clearDoubts(key: string, remembered: Remembered, writer: Writer): Promise<void> {
  const namespace = key.slice(0, key.indexOf('/'));
  for (const name of remembered.doubtful) {
    await read(namespace, name, remembered, writer);
    remembered.doubtful.delete(name);
  }
}

/** Whether the Placement is the one that we think it is: asked before the objects of an earlier one are deleted. */
export async function isLive({ owner }: Input, { client }: Writer): Promise<boolean> {
  const { namespace, name, uid } = owner;
  const found = await client.get<Placement>(Placements, { namespace, name }, { metadataOnly: true });
  return found?.metadata.uid === uid;
}

async function carryOut(gathered: Input, write: DecisionWrite, writer: Writer, pass: Pass): Promise<void> {
  if (write.kind === 'delete') await remove(gathered, write, writer, pass);
  else await store(gathered, write, writer, pass);
}

async function store(
  { owner, objects, remembered }: Input,
  write: Exclude<DecisionWrite, { kind: 'delete' }>,
  { client, latestDecisions }: Writer,
  { signal }: Pass,
): Promise<void> {
  const { name, ordinal, clusters } = write;
  const options = { fieldManager: PLACEMENT_FIELD_MANAGER, signal };
  const wanted = decisionObject(owner, ordinal, clusters, write.kind === 'update' ? objects.get(name) : undefined);
  const stored: PlacementDecision =
    write.kind === 'create'
      ? await client.create(PlacementDecisions, wanted, options)
      : await client.update(PlacementDecisions, wanted, options);
  objects.set(name, stored);
  latestDecisions.mutated(`${owner.namespace}/${name}`, stored);
  remembered.decisions.set(name, {
    uid: stored.metadata.uid ?? '',
    resourceVersion: stored.metadata.resourceVersion ?? '',
  });
}

async function remove(
  { owner, objects, remembered }: Input,
  { name, uid, resourceVersion }: Extract<DecisionWrite, { kind: 'delete' }>,
  { client, latestDecisions }: Writer,
  { signal }: Pass,
): Promise<void> {
  const { namespace } = owner;
  const version = objects.get(name)?.metadata.resourceVersion ?? resourceVersion;
  const preconditions = { uid, resourceVersion: version };
  const outcome = await client.delete(
    PlacementDecisions,
    { namespace, name },
    { preconditions, propagation: 'Background', signal },
  );
  if (outcome === 'deleting') return;
  objects.delete(name);
  latestDecisions.deleted(`${namespace}/${name}`, uid);
  remembered.decisions.delete(name);
}

/**
 * After a failure: what the next pass must not take from the cache. A conflict means that the cache is behind: the object
 * is read. Where it is not known whether the write was carried out, the object is in doubt until it has been read.
 */
async function lookAgain(
  { owner, remembered }: Input,
  write: DecisionWrite,
  writer: Writer,
  error: unknown,
): Promise<void> {
  if (isFailure(error, 'Transport', 'Malformed', 'Unavailable', 'Aborted')) remembered.doubtful.add(write.name);
  if (!isFailure(error, 'Conflict', 'AlreadyExists', 'NotFound')) return;
  try {
    await read(owner.namespace, write.name, remembered, writer);
  } catch {
    remembered.doubtful.add(write.name);
  }
}

async function read(
  namespace: string,
  name: string,
  remembered: Remembered,
  { client, latestDecisions }: Writer,
): Promise<void> {
  const at = `${namespace}/${name}`;
  const found = await client.get<PlacementDecision>(PlacementDecisions, { namespace, name });
  const known = remembered.decisions.get(name);
  if (found === undefined) {
    if (known !== undefined) latestDecisions.deleted(at, known.uid);
    remembered.decisions.delete(name);
    return;
  }
  latestDecisions.mutated(at, found);
  remembered.decisions.set(name, {
    uid: found.metadata.uid ?? '',
    resourceVersion: found.metadata.resourceVersion ?? '',
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
