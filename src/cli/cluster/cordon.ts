import { field, textField } from '../../api/json.js';
import { CLI_FIELD_MANAGER, TAINTS } from '../../api/names.js';
import { ManagedClusters } from '../../api/resources.js';
import type { RawObject } from '../../domain/fleet/world.js';
import { isList } from '../../domain/selectors.js';
import type { ReadClient, WriteClient } from '../../kube/client/client.js';
import { NotFoundError, RefusedError } from '../output.js';

/** The taints by which people keep Placements away from a cluster. */

export type TaintClient = Pick<ReadClient, 'get'> & Pick<WriteClient, 'apply'>;

interface Taint {
  readonly key: string;
  readonly effect: string;
}

/** No Placement that does not hold the cluster already selects it. */
const CORDONED: Taint = { key: TAINTS.cordoned, effect: 'NoSelectIfNew' };
/** Placements that do not tolerate the taint remove the cluster from their decisions. */
export const DRAINING: Taint = { key: TAINTS.draining, effect: 'NoSelect' };
const OURS = [CORDONED, DRAINING];

/** Returns one line. @throws NotFoundError; ApiError. */
export async function cordon(client: TaintClient, name: string): Promise<string> {
  return (await addTaint(client, name, CORDONED)) ? `${name} is cordoned` : `${name} is cordoned already`;
}

/** Removes the taints of `cordon` and `drain`; returns one line. @throws RefusedError for those of others; NotFoundError; ApiError. */
export async function uncordon(client: TaintClient, name: string): Promise<string> {
  const cluster = await read(client, name);
  if (ownTaints(cluster).length === 0) return `${name} is not cordoned`;
  const left = ownTaints(await applyTaints(client, cluster, []));
  if (left.length === 0) return `${name} is not cordoned any more`;
  const taints = left.map(({ key, effect }) => `${key}:${effect}`).join(', ');
  throw new RefusedError(`${taints} of ${name} stays: others have written it too; kubectl edit mcl ${name} removes it`);
}

/** False where the cluster has the taint. @throws NotFoundError; ApiError. */
export async function addTaint(client: TaintClient, name: string, taint: Taint): Promise<boolean> {
  const cluster = await read(client, name);
  const own = ownTaints(cluster);
  if (own.some((one) => isSame(one, taint))) return false;
  await applyTaints(client, cluster, [...own, taint]);
  return true;
}

async function read(client: TaintClient, name: string): Promise<RawObject> {
  const cluster = await client.get<RawObject>(ManagedClusters, { name });
  if (cluster === undefined) throw new NotFoundError(`ManagedCluster ${name} was not found`);
  return cluster;
}

/** An apply drops those of its taints that it does not name. By its uid, since it would create a cluster that is gone. */
function applyTaints(
  client: TaintClient,
  { metadata: { name, uid = '', resourceVersion } }: RawObject,
  taints: readonly Taint[],
): Promise<RawObject> {
  const object = { metadata: { name, uid }, ...(taints.length === 0 ? {} : { spec: { taints } }) };
  return client.apply<RawObject>(ManagedClusters, object, {
    fieldManager: CLI_FIELD_MANAGER,
    force: true,
    resourceVersion,
  });
}

function ownTaints({ spec }: RawObject): readonly Taint[] {
  const taints = field(spec, 'taints');
  const all = isList(taints) ? taints : [];
  return OURS.filter((own) =>
    all.some((one) => isSame(own, { key: textField(one, 'key'), effect: textField(one, 'effect') })),
  );
}

function isSame(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect;
}
