import { describe, expect, it } from '@jest/globals';

import type { KubeObject } from '../../../../../src/runtime/vocabulary/meta.js';
import { MultiClusterEngines } from '../../../../../src/api/resources.js';
import { Deployments, Namespaces, RoleBindings, ServiceAccounts } from '../../../../../src/runtime/vocabulary/kinds.js';
import { APPLY_ORDER } from '../../../../../src/domain/engine/catalogue.js';
import { NAMESPACE } from '../../../../support/builders/engine.js';
import { EngineRig } from '../../../../support/rigs/controllers/engine.js';

const BINDING = { namespace: NAMESPACE, name: 'multicluster-engine-installer' };

describe('the stages of an installation', () => {
  it('the stages of an installation apply what they apply in the declared order', async () => {
    const rig = new EngineRig();
    rig.create();
    await rig.converge();
    const applied = rig.api.writes.filter((one) => one.startsWith('apply ')).map((one) => one.split(' ')[1]);
    const order = APPLY_ORDER.map(({ plural }) => plural).filter((plural) => applied.includes(plural));

    expect(applied).toContain('deployments');
    expect([...new Set(applied)]).toEqual(order);
  });

  it('the stages of an installation end with a blocked frame, and the objects of later stages are neither read nor written', async () => {
    const rig = new EngineRig();
    rig.api.put(Namespaces, { metadata: { name: NAMESPACE } });
    rig.api.put(RoleBindings, { metadata: BINDING });
    rig.create();
    await rig.converge();

    expect(rig.state()).toBe('Error ForeignObject');
    expect(rig.api.calls.filter(({ type }) => type === ServiceAccounts || type === Deployments)).toEqual([]);
  });

  it('the stages of an installation go on after an object of a later stage that cannot be applied', async () => {
    const rig = new EngineRig();
    rig.api.put(Namespaces, { metadata: { name: NAMESPACE } });
    rig.api.put(ServiceAccounts, { metadata: { namespace: NAMESPACE, name: 'gateway' } });
    rig.create();
    await rig.converge();

    expect(rig.state()).toBe('Error ForeignObject');
    expect(rig.api.all<KubeObject>(Deployments).map(({ metadata }) => metadata.name)).toEqual(['placement-controller']);
  });
});

describe('the mutation cache of engines', () => {
  it('the mutation cache holds the own writes of an engine until the watch cache has them', async () => {
    const rig = new EngineRig();
    rig.create();
    const cache = rig.caches.engines;
    if (!('pause' in cache) || typeof cache.pause !== 'function') throw new Error('no such cache');
    cache.pause();
    await rig.pass();
    expect(rig.mutations.size).toBe(1);
    expect(rig.mutations.newest('hub', cache.store.get('hub'))).toEqual(rig.engine());

    rig.api.remove(MultiClusterEngines, { name: 'hub' });
    if (!('deliver' in cache) || typeof cache.deliver !== 'function') throw new Error('no such cache');
    cache.deliver();

    expect(rig.mutations.size).toBe(0);
  });
});
