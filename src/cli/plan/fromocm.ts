import { problemText } from '../../domain/conditions.js';
import { carriedOver, type CarriedOver } from '../../domain/inventories/ocmpolicy.js';
import type { KubeObject } from '../../runtime/vocabulary/meta.js';
import { manifestFaults } from '../files/files.js';
import type { OutputFormat } from '../flags.js';
import { documentText, InputError, manifestsText } from '../terminal/output.js';

/** `--from-ocm`: objects of Open Cluster Management, as those of this project that select the same. */

export interface FromOcm {
  readonly text: string;
  /** What differs: for standard error. */
  readonly notes: readonly string[];
}

/** The objects of this project. @throws InputError for all fields that cannot be carried over, or that the definitions refuse. */
export async function fromOcm(manifests: readonly KubeObject[], output: OutputFormat): Promise<FromOcm> {
  const objects: KubeObject[] = [];
  const notes: string[] = [];
  const faults: string[] = [];
  for (const manifest of manifests) {
    const name = nameOf(manifest);
    const { object, differences } = carried(manifest, faults);
    for (const { field, text } of differences) notes.push(`${name}${field === '' ? '' : `: ${field}:`} ${text}`);
    if (object === undefined) continue;
    faults.push(...(await manifestFaults(object)).map((fault) => `${name}, as it would be here: ${fault}`));
    objects.push(object);
  }
  if (faults.length > 0) throw new InputError(faults.join('; '));
  if (objects.length === 0)
    throw new InputError(
      'no Placement, ManagedClusterSet or ManagedClusterSetBinding of Open Cluster Management is there',
    );
  const list = { apiVersion: 'v1', kind: 'List', items: objects };
  return { text: output === 'json' ? documentText(list, 'json') : manifestsText(objects), notes };
}

function carried(manifest: KubeObject, faults: string[]): CarriedOver {
  const result = carriedOver(manifest);
  if (result === undefined) {
    const text = 'is left out: it is not an object of Open Cluster Management';
    return { object: undefined, differences: [{ field: '', text }] };
  }
  if (result.ok) return result.value;
  faults.push(...result.problems.map((problem) => `${nameOf(manifest)}: ${problemText(problem)}`));
  return { object: undefined, differences: [] };
}

function nameOf({ kind = '', metadata: { namespace, name } }: KubeObject): string {
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}
