import { describe, expect, it } from '@jest/globals';

import type { KubeObject, ObjectName, ResourceType } from '../../../src/api/meta.js';
import { ENGINE_FIELD_MANAGER } from '../../../src/api/names.js';
import { ClusterRoleBindings, Namespaces, ServiceAccounts } from '../../../src/api/resources.js';
import { NAMESPACE } from '../../support/builders/engine.js';
import { EngineRig } from '../../support/rigs/controllers/engine.js';

/** Passes and garbage collection in turn until the engine is gone; at most ten. */
async function uninstall(stage: EngineRig): Promise<void> {
  stage.remove();
  for (let round = 0; round < 10 && stage.exists(); round++) {
    await stage.pass();
    stage.collect();
  }
}

/** Somebody takes the owner reference off an object; `manager` has applied it. */
function takeOwnerOff(stage: EngineRig, type: ResourceType, name: ObjectName, manager: string): void {
  const stored = stage.api.peek<KubeObject>(type, name);
  if (stored === undefined) throw new Error(`there is no ${type.kind} ${name.name}`);
  const managedFields = [{ manager, operation: 'Apply' }];
  stage.api.put(type, { ...stored, metadata: { ...stored.metadata, ownerReferences: [], managedFields } });
}

const OBJECTS: readonly (readonly [string, ResourceType, ObjectName])[] = [
  ['ServiceAccount', ServiceAccounts, { namespace: NAMESPACE, name: 'placement-controller' }],
  ['ClusterRoleBinding', ClusterRoleBindings, { name: 'multicluster-engine-placement-controller' }],
];

describe('an uninstall of an engine whose object has lost its owner reference', () => {
  it.each(OBJECTS)('removes the %s when the engine has applied it', async (_kind, type, name) => {
    const stage = new EngineRig();
    await stage.install();
    takeOwnerOff(stage, type, name, ENGINE_FIELD_MANAGER);
    await uninstall(stage);

    expect(stage.exists()).toBe(false);
    expect(stage.api.peek(type, name)).toBeUndefined();
    expect(stage.api.peek(Namespaces, { name: NAMESPACE })).toBeUndefined();
  });

  it.each(OBJECTS)('leaves the %s when somebody else has applied it', async (_kind, type, name) => {
    const stage = new EngineRig();
    await stage.install();
    takeOwnerOff(stage, type, name, 'somebody');
    await uninstall(stage);

    expect(stage.exists()).toBe(false);
    expect(stage.api.peek(type, name)).toBeDefined();
  });
});
