import { describe, expect, it } from '@jest/globals';

import { EngineEvents } from '../../../../src/api/enginereasons.js';
import type { MultiClusterEngineStatus } from '../../../../src/api/generated/multiclusterengine.js';
import { engineEvents, engineStatus } from '../../../../src/domain/engine/status/status.js';
import type { ObjectState, StatusInput } from '../../../../src/domain/engine/status/input.js';
import { deployment, engine, objectStates, LATER, NOW, statusInput } from '../../../support/builders/engine.js';

const starting = objectStates({
  Deployment: {
    object: deployment({
      available: 0,
      conditions: [{ type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated' }],
    }),
  },
});
const down = objectStates({ Deployment: { object: deployment({ available: 0 }) } });
const growing = (available: number): readonly ObjectState[] =>
  objectStates({
    Deployment: {
      lastReadyReplicas: 2,
      object: deployment({
        wanted: 3,
        replicas: 3,
        updated: 1,
        available,
        conditions: [
          { type: 'Available', status: 'False' },
          { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated' },
        ],
      }),
    },
  });
const foreign = objectStates({ ServiceAccount: { state: 'foreign', message: 'theirs' } });
const failing = objectStates({ ServiceAccount: { state: 'failed', message: 'quota', failures: 3 } });

function after(before: MultiClusterEngineStatus, over: Partial<StatusInput>): MultiClusterEngineStatus {
  return engineStatus(statusInput({ engine: engine({ status: before }), ...over }), LATER);
}

const fresh: MultiClusterEngineStatus = { observedGeneration: -1 };
const well = engineStatus(statusInput(), NOW);
const stalled = after(well, { objects: foreign });

/** Beside those that golden/enginestatus records with each status. */
describe('events of an engine', () => {
  it.each<[string, MultiClusterEngineStatus, Partial<StatusInput>, string[]]>([
    ['a new engine', fresh, { objects: starting }, ['EngineInstalling']],
    ['more replicas that are on their way', well, { objects: growing(2) }, []],
    ['more replicas on their way, and one lost', well, { objects: growing(1) }, ['ComponentUnavailable']],
    ['a new version with more replicas', well, { version: '2.0.0', objects: growing(2) }, ['EngineUpdating']],
    ['a component that stays down', after(well, { objects: down }), { objects: down }, []],
    ['a foreign object that is still there', stalled, { objects: foreign }, []],
    [
      'another thing that only the user can mend',
      stalled,
      { denied: 'may not', objects: undefined, undecided: 'x' },
      ['EngineStalled'],
    ],
    ['an object that still fails', after(well, { objects: failing }), { objects: failing }, []],
  ])('events of an engine: %s', (_name, before, over, reasons) => {
    const events = engineEvents(before, after(before, over));

    expect(events.map((one) => one.reason)).toEqual(reasons);
    expect(events.every((one) => one.note !== '')).toBe(true);
  });

  it('every event is in the table, with its type and occasion', () => {
    for (const event of Object.values(EngineEvents)) {
      expect(['Normal', 'Warning']).toContain(event.type);
      expect(event.when).not.toBe('');
    }
  });
});
