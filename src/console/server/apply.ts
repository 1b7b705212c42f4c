import { CLI_FIELD_MANAGER } from '../../api/names.js';
import { ManagedClusters } from '../../api/resources.js';
import { collectionPath, objectPath, resourceOf } from '../../runtime/client/path.js';
import { ApiError } from '../../runtime/errors.js';
import type { Call } from '../../runtime/transport/call.js';
import type { Transport } from '../../runtime/transport/transport.js';
import type { ApplyAnswer, ApplyRequest } from '../wire/plan.js';
import { TYPES } from '../../answers/world/worlds.js';
import { isChanged, type DraftObject, type DraftWorld } from './draft.js';
import type { PlannedDraft } from './plan.js';
import type { Snapshot } from './snapshot.js';

/** Writes a draft with the rights of the person: Placements as `kubectl apply` would make them, and labels of clusters. */

type Write = Pick<Call, 'method' | 'path' | 'target' | 'contentType' | 'body'> & { readonly name: string };

/**
 * Every write is checked by a dry run before the first one is made. Each is made at the version that was read, once: what
 * somebody else has changed meanwhile is a conflict, and nothing is forced.
 */
export async function applyAnswer(
  transport: Pick<Transport, 'call'>,
  snapshot: Snapshot,
  { draft: planned, basedOn, dryRun }: Omit<ApplyRequest, 'draft'> & { readonly draft: PlannedDraft },
): Promise<ApplyAnswer> {
  if ('fault' in planned) return refusal('draft', planned.fault);
  const { objects, labels, plan } = planned;
  if (plan.notApplied !== undefined) return refusal('draft', plan.notApplied);
  if (plan.basedOn !== basedOn) return { kind: 'moved' };
  const changed = new Map(objects.filter(isChanged).map((one) => [one.name, objectWrite(one)]));
  const writes = [...changed.values(), ...labelWrites(labels, snapshot)];
  for (const query of [{ dryRun: 'All' }, ...(dryRun ? [] : [{}])]) {
    const refused = await sendAll(transport, writes, { ...query, fieldValidation: 'Strict' });
    if (refused !== undefined) return refused;
  }
  return { kind: 'accepted', objects: writes.map(({ name }) => name) };
}

function refusal(object: string, message: string, written: readonly string[] = []): ApplyAnswer {
  return { kind: 'refused', object, message, written };
}

async function sendAll(
  transport: Pick<Transport, 'call'>,
  writes: readonly Write[],
  query: Readonly<Record<string, string>>,
): Promise<ApplyAnswer | undefined> {
  const written: string[] = [];
  for (const { name, ...write } of writes) {
    try {
      await transport.call({
        ...write,
        query: { ...query, fieldManager: CLI_FIELD_MANAGER },
        idempotent: false,
        attempts: 1,
      });
      if (query['dryRun'] === undefined) written.push(name);
    } catch (error) {
      if (error instanceof ApiError) return refusal(name, error.message, written);
      throw error;
    }
  }
  return undefined;
}

function objectWrite({ name: shown, resource, object, live }: DraftObject): Write {
  const { status: _status, ...written } = object;
  const type = TYPES[resource];
  // What the API server keeps itself.
  const { generation: _generation, ...rest } = written.metadata;
  const { managedFields: _managedFields, ...metadata } = rest as typeof rest & { managedFields?: unknown };
  const { namespace = '', name } = metadata;
  const target = { resource: resourceOf(type), namespace, name };
  const body = JSON.stringify({ ...written, metadata });
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

/** One for each cluster: a second one would be of a version that the first has replaced. */
function labelWrites(changes: DraftWorld['labels'], { world }: Snapshot): readonly Write[] {
  const labels = new Map<string, Record<string, string | null>>();
  for (const { object, key, value } of changes)
    labels.set(object.name, { ...labels.get(object.name), [key]: value ?? null });
  return [...labels].map(([name, changed]) => {
    const live = world.objects.managedclusters.find(({ metadata }) => metadata.name === name);
    const { uid, resourceVersion } = live?.metadata ?? {};
    return {
      name: `ManagedCluster ${name}`,
      method: 'PATCH',
      path: objectPath(ManagedClusters, { name }),
      target: { verb: 'patch', resource: resourceOf(ManagedClusters), name },
      contentType: 'application/merge-patch+json',
      body: JSON.stringify({ metadata: { uid, resourceVersion, labels: changed } }),
    };
  });
}
