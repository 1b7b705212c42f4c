import { describe, expect, it } from '@jest/globals';

import type { KubeObject, ObjectName, ResourceType } from '../../../../../src/runtime/vocabulary/meta.js';
import { ENGINE_FIELD_MANAGER } from '../../../../../src/api/names.js';
import { ClusterRoleBindings, Namespaces, ServiceAccounts } from '../../../../../src/runtime/vocabulary/kinds.js';
import { NAMESPACE } from '../../../../support/builders/engine.js';
import { EngineRig } from '../../../../support/rigs/controllers/engine.js';

/** Passes and garbage collection in turn until the engine is gone; at most ten. */
async function uninstall(rig: EngineRig): Promise<void> {
  rig.remove();
  for (let round = 0; round < 10 && rig.exists(); round++) {
    await rig.pass();
    rig.collect();
  }
}

/** Removes the owner reference of an object that `manager` has applied. */
function takeOwnerOff(rig: EngineRig, type: ResourceType, name: ObjectName, manager: string): void {
  const stored = rig.api.peek<KubeObject>(type, name);
  if (stored === undefined) throw new Error(`there is no ${type.kind} ${name.name}`);
  const managedFields = [{ manager, operation: 'Apply' }];
  rig.api.put(type, { ...stored, metadata: { ...stored.metadata, ownerReferences: [], managedFields } });
}

const OBJECTS: readonly (readonly [string, ResourceType, ObjectName])[] = [
  ['ServiceAccount', ServiceAccounts, { namespace: NAMESPACE, name: 'placement-controller' }],
  ['ClusterRoleBinding', ClusterRoleBindings, { name: 'multicluster-engine-placement-controller' }],
];

describe('an uninstall of an engine whose object has lost its owner reference', () => {
  it.each(OBJECTS)(
    'an uninstall removes the %s without owner reference when the operator has applied it',
    async (_kind, type, name) => {
      const rig = new EngineRig();
      await rig.install();
      takeOwnerOff(rig, type, name, ENGINE_FIELD_MANAGER);
      await uninstall(rig);

      expect(rig.exists()).toBe(false);
      expect(rig.api.peek(type, name)).toBeUndefined();
      expect(rig.api.peek(Namespaces, { name: NAMESPACE })).toBeUndefined();
    },
  );

  it.each(OBJECTS)(
    'an uninstall leaves the %s without owner reference when somebody else has applied it',
    async (_kind, type, name) => {
      const rig = new EngineRig();
      await rig.install();
      takeOwnerOff(rig, type, name, 'somebody');
      await uninstall(rig);

      expect(rig.exists()).toBe(false);
      expect(rig.api.peek(type, name)).toBeDefined();
    },
  );
});
