import { CLEANUP_FINALIZER } from '../../../../src/api/names.js';
import { MultiClusterEngines } from '../../../../src/api/resources.js';
import { ConfigMaps, Deployments, Namespaces } from '../../../../src/runtime/vocabulary/kinds.js';
import type { Scenario } from '../../scenario.js';
import { fleet, leave, placementOf, unplace } from '../fleet.js';
import {
  add,
  edit,
  HELD,
  HOLD,
  HOLDS,
  HOME,
  install,
  manifest,
  others,
  pause,
  RELEASED,
  ROOM,
  scenario,
  uninstall,
  watchful,
} from './words.js';

const controller = { namespace: HOME, name: 'placement-controller' };

const placed = (names: string): Partial<Scenario> => ({
  given: async (hands) => {
    await fleet(hands, names);
    await hands.create(placementOf('web', {}));
  },
});

/** An engine goes: before the fleet, after it, and slowly. */
export const UNINSTALLS: readonly Scenario[] = [
  watchful(
    'engine-goes-first',
    [install({ localCluster: { enabled: true } }), uninstall(), unplace('web'), leave('a')],
    placed('ab'),
  ),
  scenario('fleet-goes-first', [install(), unplace('web'), leave('a'), uninstall()], placed('a')),
  scenario(
    'held-objects',
    [install(), edit(Deployments, controller, HELD), uninstall(), edit(Deployments, controller, RELEASED)],
    HOLDS,
  ),
  scenario(
    'others-finalizer',
    [
      install({ targetNamespace: ROOM }),
      edit(MultiClusterEngines, { name: 'engine' }, { metadata: { finalizers: [HOLD, CLEANUP_FINALIZER] } }),
      uninstall(),
      edit(MultiClusterEngines, { name: 'engine' }, RELEASED),
    ],
    {
      given: async (hands) => {
        await hands.create(manifest(Namespaces, { name: ROOM }, { metadata: others }));
      },
      stores: [
        {
          step: 3,
          type: MultiClusterEngines,
          name: { name: 'engine' },
          field: 'metadata.finalizers',
          expect: [HOLD],
        },
        { step: 4, type: MultiClusterEngines, expect: [] },
        { step: 4, type: Namespaces, name: { name: ROOM }, field: 'metadata.deletionTimestamp', expect: undefined },
      ],
    },
  ),
  scenario(
    'kept-namespace',
    [
      install({ targetNamespace: ROOM }),
      add(ConfigMaps, { namespace: ROOM, name: 'notes' }, { metadata: others }),
      pause('true'),
      uninstall(),
      pause(null),
    ],
    {
      stores: [{ step: 4, type: Deployments, expect: ['gateway', 'placement-controller'] }],
    },
  ),
];
