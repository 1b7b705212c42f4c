import { describe, expect, it } from '@jest/globals';

import type { StatusInput } from '../../../../src/domain/engine/status/input.js';
import { engineStatus } from '../../../../src/domain/engine/status/status.js';
import {
  deployment,
  engine,
  objectState,
  objectStates,
  LATER,
  NOW,
  statusInput,
} from '../../../support/builders/engine.js';
import { readingOf } from '../../../support/kstatus/reading.js';

const starting = objectStates({
  Deployment: {
    object: deployment({
      available: 0,
      conditions: [{ type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated' }],
    }),
  },
});
const crashing = objectStates({ Deployment: { object: deployment({ available: 0 }) } });
const well = engineStatus(statusInput(), NOW);
const deleting = engine({ metadata: { deletionTimestamp: NOW }, status: well });

describe('kstatus of an engine', () => {
  it.each<[string, string, Partial<StatusInput>]>([
    ['InProgress', 'installing', { objects: starting }],
    ['InProgress', 'nothing known yet', { objects: undefined, undecided: 'reading' }],
    ['Current', 'available', {}],
    [
      'InProgress',
      'a changed spec on its way',
      { engine: engine({ metadata: { generation: 2 }, status: well }), objects: starting },
    ],
    ['InProgress', 'updating', { engine: engine({ status: well }), version: '2.0.0', objects: starting }],
    ['InProgress', 'crashing', { engine: engine({ status: well }), objects: crashing }],
    [
      'InProgress',
      'refused, to be tried again',
      { objects: objectStates({ Deployment: { state: 'failed', message: 'no', failures: 1 } }) },
    ],
    [
      'InProgress',
      'refused for long',
      { objects: objectStates({ Deployment: { state: 'failed', message: 'no', failures: 9 } }) },
    ],
    ['InProgress', 'a terminating namespace', { terminating: 'x', objects: starting }],
    ['InProgress', 'a missing pull secret', { pullSecret: { kind: 'missing', name: 'x/y' } }],
    [
      'InProgress',
      'a certificate that no server can use',
      { objects: objectStates({ ServiceAccount: { state: 'unusable' } }) },
    ],
    ['Failed', 'a foreign object', { objects: objectStates({ Deployment: { state: 'foreign', message: 'theirs' } }) }],
    ['Failed', 'a missing right', { objects: objectStates({ Deployment: { state: 'denied', message: 'may not' } }) }],
    [
      'Failed',
      'a missing right to list',
      { engine: engine({ status: well }), objects: undefined, undecided: 'reading', denied: 'may not list' },
    ],
    ['Failed', 'an older engine', { anotherEngine: 'older', objects: undefined }],
    ['Failed', 'a faulty spec', { fieldErrors: [{ field: 'f', message: 'v: r' }], objects: undefined }],
    ['InProgress', 'paused', { engine: engine({ status: well }), paused: true }],
    [
      'InProgress',
      'paused, the spec changed',
      { engine: engine({ metadata: { generation: 2 }, status: well }), paused: true },
    ],
    ['InProgress', 'paused from the first day', { paused: true, objects: undefined }],
    [
      'Terminating',
      'uninstalling',
      {
        engine: deleting,
        objects: undefined,
        uninstall: { remaining: [objectState('Deployment', { state: 'removing', message: 'x' })], message: 'x' },
      },
    ],
    [
      'Terminating',
      'uninstalling, held by the pause',
      { engine: deleting, paused: true, objects: undefined, uninstall: { message: 'x' } },
    ],
    [
      'Terminating',
      'uninstalling, a right missing',
      { engine: deleting, objects: undefined, uninstall: { message: 'x', denied: 'x' } },
    ],
  ])('kstatus of an engine is %s: %s', (expected, _name, over) => {
    const input = statusInput(over);

    expect(readingOf({ ...input.engine, status: engineStatus(input, LATER) })).toBe(expected);
  });

  it('kstatus of an engine is InProgress before the first reconcile', () => {
    expect(readingOf(engine())).toBe('InProgress');
  });

  it('kstatus of an engine is InProgress after a change of the spec, before a reconcile', () => {
    expect(readingOf(engine({ metadata: { generation: 2 }, status: well }))).toBe('InProgress');
  });
});
