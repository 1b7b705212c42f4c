import { CLI_FIELD_MANAGER } from '../../api/names.js';
import type { WriteClient } from '../../runtime/client/client.js';
import { field, type JsonRecord } from '../../runtime/vocabulary/json.js';
import type { RawObject, ResourceType } from '../../runtime/vocabulary/meta.js';
import { keyOf } from '../../runtime/vocabulary/names.js';
import { RefusedError } from '../output.js';

/** What an action writes: of one object, as it was read. */

interface Written {
  readonly type: ResourceType;
  readonly object: RawObject;
}

/** Applies these fields of the spec; undefined drops those that were applied before. */
export interface SpecWrite extends Written {
  readonly kind: 'spec';
  readonly spec: JsonRecord | undefined;
}

/** Sets these annotations. */
export interface AnnotationWrite extends Written {
  readonly kind: 'annotations';
  readonly annotations: Readonly<Record<string, string>>;
}

/**
 * Applies the fields. By the uid of the object: an apply would create one that is gone. @throws RefusedError where the definition
 * of the hub does not have a field: the API server drops it; ApiError.
 */
export async function applySpec(
  client: Pick<WriteClient, 'apply'>,
  write: Pick<SpecWrite, 'type' | 'object' | 'spec'>,
): Promise<RawObject> {
  const { type, object, spec } = write;
  const { namespace, name, uid = '', resourceVersion } = object.metadata;
  const metadata = { ...(type.namespaced && { namespace }), name, uid };
  const options = { fieldManager: CLI_FIELD_MANAGER, force: true, resourceVersion };
  const stored = await client.apply<RawObject>(type, { metadata, ...(spec !== undefined && { spec }) }, options);
  const fault = notStored(write, stored);
  if (fault !== undefined) throw new RefusedError(fault);
  return stored;
}

/** Which field the API server has dropped, `stored` being its answer; undefined where it has all. */
export function notStored({ object, spec }: Pick<SpecWrite, 'object' | 'spec'>, stored: RawObject): string | undefined {
  const lost = Object.keys(spec ?? {}).find((one) => field(stored.spec, one) !== spec?.[one]);
  if (lost === undefined) return undefined;
  return `spec.${lost} of ${keyOf(object.metadata)} is not stored: the definitions of the hub are older than this command; apply those of this version first (kubectl apply --server-side -f crds/)`;
}
