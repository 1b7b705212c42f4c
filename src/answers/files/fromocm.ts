import { keyOf } from '../../runtime/vocabulary/names.js';
import { problemText } from '../../domain/conditions.js';
import { carriedOver, type CarriedOver } from '../../domain/inventories/ocmpolicy.js';
import type { KubeObject } from '../../runtime/vocabulary/meta.js';
import { manifestFaults } from './files.js';
import { documentText, InputError, manifestsText, type OutputFormat } from '../output.js';

/** `--from-ocm`: objects of Open Cluster Management, as those of this project that select the same. */

const CARRIED = 'Placement, ManagedClusterSet or ManagedClusterSetBinding of Open Cluster Management';

/**
 * The objects of this project. One with fields that cannot be carried over, or that the definitions refuse, is left out and named.
 * `errors`: what differs, and what is not carried over; `exitCode`: 1 when something is not, as for kubectl apply with a file of
 * which one object is refused.
 * @throws InputError for files without an object of the kinds that are carried over.
 */
export async function fromOcm(manifests: readonly KubeObject[], output: OutputFormat) {
  const objects: KubeObject[] = [];
  const errors: string[] = [];
  let exitCode = 0;
  for (const manifest of manifests) {
    const name = `${manifest.kind ?? ''} ${keyOf(manifest.metadata)}`;
    const { object, differences, faults } = await carried(manifest);
    if (faults.length > 0) {
      errors.push(`${name} is not carried over: ${faults.join('; ')}`);
      exitCode = 1;
      continue;
    }
    for (const { field, text } of differences) errors.push(`${name}${field === '' ? '' : `: ${field}:`} ${text}`);
    if (object !== undefined) objects.push(object);
  }
  if (objects.length === 0 && exitCode === 0) throw new InputError(`no ${CARRIED} is there`);
  const list = { apiVersion: 'v1', kind: 'List', items: objects };
  return { text: output === 'json' ? documentText(list, 'json') : manifestsText(objects), errors, exitCode };
}

async function carried(manifest: KubeObject): Promise<CarriedOver & { readonly faults: readonly string[] }> {
  const result = carriedOver(manifest);
  if (result === undefined) {
    const text = `is left out: it is no ${CARRIED}`;
    return { object: undefined, differences: [{ field: '', text }], faults: [] };
  }
  if (!result.ok) return { object: undefined, differences: [], faults: result.problems.map(problemText) };
  const { object } = result.value;
  const faults = object === undefined ? [] : await manifestFaults(object);
  return { ...result.value, faults: faults.map((fault) => `as it would be here: ${fault}`) };
}
