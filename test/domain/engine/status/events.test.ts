import { LIMITING_POLICIES } from '../../../../src/domain/engine/policies.js';
import { describe, expect, it } from '@jest/globals';

import { EngineEvents } from '../../../../src/api/enginereasons.js';
import type { MultiClusterEngineStatus } from '../../../../src/api/generated/multiclusterengine.js';
import { engineEvents } from '../../../../src/domain/engine/status/events.js';
import type { ObjectState, StatusInput } from '../../../../src/domain/engine/status/input.js';
import { engineStatus } from '../../../../src/domain/engine/status/status.js';
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

function after(before: MultiClusterEngineStatus | undefined, over: Partial<StatusInput>): MultiClusterEngineStatus {
  return engineStatus(statusInput({ engine: engine(before === undefined ? {} : { status: before }), ...over }), LATER);
}

const fresh: MultiClusterEngineStatus = { observedGeneration: -1 };
const well = engineStatus(statusInput(), NOW);
const installing = engineStatus(statusInput({ objects: starting }), NOW);
const stalled = after(well, { objects: foreign });
const paused = after(well, { paused: true });

describe('events of an engine', () => {
  it.each<[string, MultiClusterEngineStatus | undefined, Partial<StatusInput>, string[]]>([
    ['a new engine', fresh, { objects: starting }, ['EngineInstalling']],
    ['a new engine without any status', undefined, { objects: starting }, ['EngineInstalling']],
    ['a new engine beside an older one', fresh, { anotherEngine: 'older', objects: undefined }, ['EngineStalled']],
    ['an engine that came up', installing, {}, ['EngineAvailable']],
    ['an engine that stays as it is', well, {}, []],
    ['a component that went down', well, { objects: down }, ['ComponentUnavailable']],
    ['more replicas that are on their way', well, { objects: growing(2) }, []],
    ['more replicas on their way, and one lost', well, { objects: growing(1) }, ['ComponentUnavailable']],
    ['a new version with more replicas', well, { version: '2.0.0', objects: growing(2) }, ['EngineUpdating']],
    ['a component that stays down', after(well, { objects: down }), { objects: down }, []],
    ['a foreign object', well, { objects: foreign }, ['EngineStalled']],
    ['a foreign object that is still there', stalled, { objects: foreign }, []],
    [
      'another thing that only the user can mend',
      stalled,
      { denied: 'may not', objects: undefined, undecided: 'x' },
      ['EngineStalled'],
    ],
    ['a foreign object that went', stalled, {}, ['EngineAvailable']],
    ['an object that failed for long', well, { objects: failing }, ['ComponentFailed']],
    ['an object that still fails', after(well, { objects: failing }), { objects: failing }, []],
    [
      'a certificate that no server can use',
      well,
      { objects: objectStates({ ServiceAccount: { state: 'unusable' } }) },
      ['CertificateUnusable'],
    ],
    ['a pull secret of another type', well, { unusablePullSecret: 'x/y' }, ['PullSecretUnusable']],
    [
      'a missing policy',
      well,
      { policies: { kind: 'Known', limiting: LIMITING_POLICIES, protecting: [] } },
      ['PoliciesMissing'],
    ],
    ['an unusable trust bundle', well, { unusableTrustBundle: 'ConfigMap x/y is away' }, ['TrustBundleUnusable']],
    ['a missing pull secret', well, { missingPullSecret: 'x/y' }, ['PullSecretNotFound']],
    [
      'a new version of the operator',
      well,
      { version: '2.0.0', objects: starting },
      ['EngineUpdating', 'ComponentUnavailable'],
    ],
    ['the pause', well, { paused: true }, ['EnginePaused']],
    ['the end of the pause', paused, {}, ['EngineAvailable', 'EngineResumed']],
    ['the uninstall', well, { objects: undefined, uninstall: { remaining: [], message: 'x' } }, ['EngineUninstalling']],
  ])('events of an engine: %s', (_name, before, over, reasons) => {
    const events = engineEvents(before, after(before, over));

    expect(events.map((one) => one.reason)).toEqual(reasons);
    expect(events.every((one) => one.note !== '')).toBe(true);
  });

  it('the notes of events name their objects', () => {
    expect(engineEvents(well, after(well, { objects: down }))).toEqual([
      {
        reason: 'ComponentUnavailable',
        note: 'Deployment placement-controller: 0 of 2 replicas available, 2 up to date',
      },
    ]);
    expect(engineEvents(undefined, installing)[0]?.note).toBe('version 1.0.0 into namespace multicluster-engine');
    expect(engineEvents(well, stalled)[0]?.note).toBe(
      'ForeignObject: ServiceAccount multicluster-engine/placement-controller: theirs',
    );
    expect(engineEvents(well, after(well, { version: '2.0.0', objects: starting }))[0]?.note).toBe(
      'from 1.0.0 to 2.0.0',
    );
  });

  it('every event is in the table, with its type and occasion', () => {
    for (const event of Object.values(EngineEvents)) {
      expect(['Normal', 'Warning']).toContain(event.type);
      expect(event.when).not.toBe('');
    }
  });
});
