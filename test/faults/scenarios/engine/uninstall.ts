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
  scenario('kept-namespace', [
    install({ targetNamespace: ROOM }),
    add(ConfigMaps, { namespace: ROOM, name: 'notes' }, { metadata: others }),
    pause('true'),
    uninstall(),
    pause(null),
  ]),
];
