import { ConfigMaps, Deployments } from '../../../../src/runtime/vocabulary/kinds.js';
import type { Scenario } from '../../scenario.js';
import { fleet, leave, placementOf, unplace } from '../fleet.js';
import {
  add,
  edit,
  HELD,
  HOLDS,
  HOME,
  install,
  others,
  pause,
  RELEASED,
  ROOM,
  scenario,
  uninstall,
  watchful,
} from './words.js';

const controller = { namespace: HOME, name: 'placement-controller' };

/** An engine goes: before the fleet, after it, and slowly. */
export const UNINSTALLS: readonly Scenario[] = [
  watchful(
    'engine-goes-first',
    [install({ localCluster: { enabled: true } }), uninstall(), unplace('web'), leave('a')],
    {
      given: async (hands) => {
        await fleet(hands, 'ab');
        await hands.create(placementOf('web', {}));
      },
    },
  ),
  scenario('fleet-goes-first', [install(), unplace('web'), leave('a'), uninstall()], {
    given: async (hands) => {
      await fleet(hands, 'a');
      await hands.create(placementOf('web', {}));
    },
  }),
  scenario(
    'held-objects',
    [install(), edit(Deployments, controller, HELD), uninstall(), edit(Deployments, controller, RELEASED)],
    HOLDS,
  ),
  scenario('kept-namespace', [
    install({ targetNamespace: ROOM }),
    add(ConfigMaps, { namespace: ROOM, name: 'notes' }, { metadata: others }),
    pause('true'),
    uninstall(),
    pause(null),
  ]),
];
