import { ManagedClusters } from '../../api/resources.js';
import { MAINTENANCE_TAINTS, maintenanceOf, standingMaintenance } from '../../domain/clusters/maintenance.js';
import { asRecord } from '../../runtime/vocabulary/json.js';
import type { RawObject } from '../../runtime/vocabulary/meta.js';
import type { SpecWrite } from './write.js';

/** `spec.maintenance`, by which people keep Placements away from a cluster. */

/** The write that begins or ends a maintenance; undefined where it is so already. */
export function maintenanceWrite(cluster: RawObject, action: 'cordon' | 'drain' | 'uncordon'): SpecWrite | undefined {
  const found = maintenanceOf(asRecord(cluster.spec));
  const write = { kind: 'spec', type: ManagedClusters, object: cluster } as const;
  switch (action) {
    case 'cordon':
      return found === undefined ? { ...write, spec: { maintenance: 'Cordoned' } } : undefined;
    case 'drain':
      return found === 'Draining' ? undefined : { ...write, spec: { maintenance: 'Draining' } };
    case 'uncordon':
      return standingMaintenance(asRecord(cluster.spec)).length === 0 ? undefined : { ...write, spec: undefined };
  }
}

const TEXTS = {
  cordon: ['is cordoned', 'is cordoned already'],
  drain: ['is being drained', 'is being drained already'],
  uncordon: ['is not cordoned any more', 'is not cordoned'],
} as const;

/** `edge-1 is cordoned`; `isSo`: it was already. */
export function maintenanceText(name: string, action: keyof typeof TEXTS, isSo: boolean): string {
  const [done, so] = TEXTS[action];
  return `${name} ${isSo ? so : done}`;
}

/** What stands of a maintenance that was ended, since others have written it too; undefined where nothing does. */
export function leftText({ metadata: { name }, spec }: RawObject): string | undefined {
  const left = standingMaintenance(asRecord(spec));
  if (left.length === 0) return undefined;
  const maintenance = maintenanceOf(asRecord(spec));
  const taints = left.map((one) => `${MAINTENANCE_TAINTS[one].key}:${MAINTENANCE_TAINTS[one].effect}`).join(', ');
  const what = maintenance === undefined ? `${taints} of ${name}` : `spec.maintenance ${maintenance} of ${name}`;
  return `${what} stays: others have written it too; kubectl edit mcl ${name} removes it`;
}
