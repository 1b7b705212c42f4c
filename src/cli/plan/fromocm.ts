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

/** The objects of this project. @throws InputError for a field that cannot be carried over, or that the definitions refuse. */
export async function fromOcm(manifests: readonly KubeObject[], output: OutputFormat): Promise<FromOcm> {
  const objects: KubeObject[] = [];
  const notes: string[] = [];
  for (const manifest of manifests) {
    const { object, differences } = carried(manifest);
    for (const { field, text } of differences)
      notes.push(`${nameOf(manifest)}${field === '' ? '' : `: ${field}`} ${text}`);
    if (object === undefined) continue;
    const [fault] = await manifestFaults(object);
    if (fault !== undefined) throw new InputError(`${nameOf(manifest)}, as it would be here: ${fault}`);
    objects.push(object);
  }
  if (objects.length === 0)
    throw new InputError(
      'no Placement, ManagedClusterSet or ManagedClusterSetBinding of Open Cluster Management is there',
    );
  const list = { apiVersion: 'v1', kind: 'List', items: objects };
  return { text: output === 'json' ? documentText(list, 'json') : manifestsText(objects), notes };
}

function carried(manifest: KubeObject): CarriedOver {
  const result = carriedOver(manifest);
  if (result === undefined) {
    const text = 'is left out: it is not an object of Open Cluster Management';
    return { object: undefined, differences: [{ field: '', text }] };
  }
  if (!result.ok) throw new InputError(`${nameOf(manifest)}: ${problemText(result.problem)}`);
  return result.value;
}

function nameOf({ kind = '', metadata: { namespace, name } }: KubeObject): string {
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}
