import { CLI_FIELD_MANAGER } from '../../api/names.js';
import { ManagedClusters, Placements } from '../../api/resources.js';
import { collectionPath, objectPath, resourceOf } from '../../runtime/client/path.js';
import { ApiError } from '../../runtime/errors.js';
import type { Call } from '../../runtime/transport/call.js';
import type { Transport } from '../../runtime/transport/transport.js';
import type { ApplyAnswer, ApplyRequest } from '../wire/plan.js';
import type { DraftObject, DraftWorld } from './draft.js';
import { plannedDraft, type Planning } from './plan.js';
import type { Snapshot } from './reading/snapshot.js';

/** Writes a draft with the rights of the person: Placements as a whole, and labels of clusters. */

type Write = Pick<Call, 'method' | 'path' | 'target' | 'contentType' | 'body'> & { readonly name: string };

/**
 * Every write is checked by a dry run before the first one is made. Each is made at the version that was read, once: what
 * somebody else has changed meanwhile is a conflict, and nothing is forced.
 */
export async function applyAnswer(
  transport: Pick<Transport, 'call'>,
  snapshot: Snapshot,
  { draft, basedOn, dryRun }: ApplyRequest,
  planning: Planning,
): Promise<ApplyAnswer> {
  const planned = await plannedDraft(snapshot, draft, planning);
  if ('fault' in planned) return { kind: 'refused', object: 'draft', message: planned.fault };
  const { world, plan } = planned;
  const others = world.objects.find(({ type }) => type !== Placements);
  if (others !== undefined || draft.drains.length + draft.losses.length + draft.each.length > 0)
    return {
      kind: 'refused',
      object: 'draft',
      message: 'only Placements and labels are applied here; use the commands for the rest',
    };
  if (plan.basedOn !== basedOn) return { kind: 'moved' };
  const writes = [...world.objects.map(objectWrite), ...world.labels.map((one) => labelWrite(one, snapshot))];
  for (const query of [{ dryRun: 'All' }, ...(dryRun ? [] : [{}])]) {
    const refused = await sendAll(transport, writes, { ...query, fieldValidation: 'Strict' });
    if (refused !== undefined) return refused;
  }
  return { kind: 'accepted', objects: writes.map(({ name }) => name) };
}

async function sendAll(
  transport: Pick<Transport, 'call'>,
  writes: readonly Write[],
  query: Readonly<Record<string, string>>,
): Promise<ApplyAnswer | undefined> {
  for (const { name, ...write } of writes) {
    try {
      await transport.call({
        ...write,
        query: { ...query, fieldManager: CLI_FIELD_MANAGER },
        idempotent: false,
        attempts: 1,
      });
    } catch (error) {
      if (error instanceof ApiError) return { kind: 'refused', object: name, message: error.message };
      throw error;
    }
  }
  return undefined;
}

function objectWrite({ type, object, live }: DraftObject): Write {
  const { status: _status, ...written } = object;
  const { generation: _generation, ...metadata } = written.metadata;
  const { namespace = '', name } = metadata;
  const target = { resource: resourceOf(type), namespace, name };
  const body = JSON.stringify({ ...written, metadata });
  const shown = `${type.kind} ${namespace}/${name}`;
  return live === undefined
    ? {
        name: shown,
        method: 'POST',
        path: collectionPath(type, namespace),
        target: { verb: 'create', ...target },
        body,
      }
    : { name: shown, method: 'PUT', path: objectPath(type, metadata), target: { verb: 'update', ...target }, body };
}

function labelWrite({ object, key, value }: DraftWorld['labels'][number], { world }: Snapshot): Write {
  const { name } = object;
  const live = world.objects.managedclusters.find(({ metadata }) => metadata.name === name);
  const { uid, resourceVersion } = live?.metadata ?? {};
  return {
    name: `ManagedCluster ${name}`,
    method: 'PATCH',
    path: objectPath(ManagedClusters, { name }),
    target: { verb: 'patch', resource: resourceOf(ManagedClusters), name },
    contentType: 'application/merge-patch+json',
    body: JSON.stringify({ metadata: { uid, resourceVersion, labels: { [key]: value ?? null } } }),
  };
}
