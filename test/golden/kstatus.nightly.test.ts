import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, it } from '@jest/globals';
import { load } from 'js-yaml';

import { asRecord, isRecord, type JsonRecord } from '../../src/runtime/vocabulary/json.js';
import type { ResourceType } from '../../src/runtime/vocabulary/meta.js';
import { MultiClusterEngines, Placements } from '../../src/api/resources.js';
import { apiVersionOf } from '../../src/runtime/vocabulary/kinds.js';
import { readingOf, type Readable, type Reading } from '../support/kstatus/reading.js';
import { describeWithBuiltProgram } from '../support/programs/built.js';
import { root } from '../support/repository/root.js';
import { readRecorded, type RecordedFile } from './recorded.js';

/** An object in one state. `phase`: that of its status. */
interface State {
  readonly sentence: string;
  readonly phase: string;
  readonly object: Readable;
}

function stateOf(sentence: string, type: ResourceType, status: JsonRecord, metadata: Readable['metadata']): State {
  const object = { apiVersion: apiVersionOf(type), kind: type.kind, metadata: { name: 'x', ...metadata }, status };
  return { sentence: `${type.kind}: ${sentence}`, phase: String(status['phase']), object };
}

/** The states of a recorded file: as recorded, with a spec that has changed since, and deleted. */
function recordedStates(file: RecordedFile, type: ResourceType): State[] {
  return Object.entries(readRecorded(file)).flatMap(([sentence, output]) => {
    if (!isRecord(output) || !isRecord(output['rest']) || !Array.isArray(output['conditions'])) return [];
    const status: JsonRecord = { ...output['rest'], conditions: output['conditions'] };
    const generation = Number(output['rest']['observedGeneration']);
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    const deleting = status['phase'] === 'Uninstalling' ? { deletionTimestamp } : {};
    return [
      stateOf(sentence, type, status, { generation, ...deleting }),
      stateOf(`${sentence}, then a change of the spec`, type, status, { generation: generation + 1, ...deleting }),
      stateOf(`${sentence}, then a deletion`, type, status, { generation, deletionTimestamp }),
    ];
  });
}

/** The status of an object that no controller has read: the default of its definition. */
function untouched(file: string, type: ResourceType): State {
  const definition = asRecord(asRecord(load(readFileSync(path.join(root, 'crds', file), 'utf8')))['spec']);
  const versions = Array.isArray(definition['versions']) ? definition['versions'] : [];
  const schema = asRecord(asRecord(asRecord(versions[0])['schema'])['openAPIV3Schema']);
  const status = asRecord(asRecord(asRecord(schema['properties'])['status'])['default']);
  return stateOf('read by no controller', type, status, { generation: 1 });
}

const STATES = [
  untouched('multiclusterengine.yaml', MultiClusterEngines),
  untouched('placement.yaml', Placements),
  ...recordedStates('engine-status', MultiClusterEngines),
  ...recordedStates('engine-run', MultiClusterEngines),
  ...recordedStates('placement-status', Placements),
];
const PHASES: Readonly<Record<string, readonly Reading[]>> = {
  undefined: ['InProgress'],
  Progressing: ['InProgress'],
  Available: ['Current'],
  Updating: ['InProgress'],
  // Of an engine, and of a Placement.
  Paused: ['InProgress', 'Current'],
  Error: ['InProgress', 'Failed'],
  Uninstalling: ['Terminating'],
  Pending: ['InProgress'],
  Misconfigured: ['Failed'],
  Held: ['Current'],
  Waiting: ['Current'],
  Unsatisfied: ['Current', 'InProgress'],
  PartiallySatisfied: ['Current', 'InProgress'],
  Satisfied: ['Current'],
};

describeWithBuiltProgram('the kstatus library', 'kstatus', (run) => {
  const { code, stdout, output } = run([], JSON.stringify(STATES.map(({ object }) => object)));
  const readings: readonly unknown[] = code === 0 ? JSON.parse(stdout) : [];

  it('the kstatus library reads every recorded state as the promised rules do', () => {
    expect(output).toBe(stdout);
    expect(STATES.map(({ sentence }, index) => [sentence, readings[index]])).toEqual(
      STATES.map(({ sentence, object }) => [sentence, readingOf(object)]),
    );
  });

  it.each(Object.entries(PHASES))('the kstatus library reads a current object in phase %s as %j', (phase, expected) => {
    const found = STATES.flatMap((state, index) =>
      state.phase === phase && !/, then a (?:change|deletion)/.test(state.sentence) ? [readings[index]] : [],
    );

    expect(new Set(found)).toEqual(new Set(expected));
  });
});
