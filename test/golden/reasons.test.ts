import { isRecord } from '../../src/runtime/vocabulary/json.js';
import { readdirSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';
import { BindingReasons, ClusterReasons, ClusterSetReasons, InUseReasons } from '../../src/api/clusterreasons.js';
import { ComponentReasons, EngineConditions, EngineEvents, EngineReasons } from '../../src/api/enginereasons.js';
import { PlacementEvents, PlacementConditions, PlacementReasons } from '../../src/api/placementreasons.js';
import { STATUS_ERRORS } from '../../src/gateway/statuserror.js';
import { readRecorded, RECORDED_FILES, RECORDED_FOLDER, type RecordedFile } from './recorded.js';

/** The texts at `field` of every item in the lists `list` of every recorded output. */
function recorded(files: readonly RecordedFile[], list: string, field: string): ReadonlySet<unknown> {
  const outputs = files.flatMap((file) => Object.values(readRecorded(file)));
  const lists = outputs.map((output) => (isRecord(output) ? output[list] : undefined));
  return new Set(
    lists.flatMap((items) =>
      Array.isArray(items) ? items.map((item: unknown) => (isRecord(item) ? item[field] : undefined)) : [],
    ),
  );
}

const ENGINE: readonly RecordedFile[] = ['engine-status', 'engine-run'];

describe('a recorded output', () => {
  it.each<[string, object, ReadonlySet<unknown>]>([
    ['reason of an engine condition', EngineReasons, recorded(ENGINE, 'conditions', 'reason')],
    ['type of an engine condition', EngineConditions, recorded(ENGINE, 'conditions', 'type')],
    [
      'reason of a component',
      ComponentReasons,
      new Set([...recorded(ENGINE, 'rows', 'reason'), ...componentsOfReadyEngine()]),
    ],
    ['engine event', EngineEvents, recorded(ENGINE, 'events', 'reason')],
    ['reason of a Placement condition', PlacementReasons, recorded(['placement-status'], 'conditions', 'reason')],
    ['type of a Placement condition', PlacementConditions, recorded(['placement-status'], 'conditions', 'type')],
    ['Placement event', PlacementEvents, recorded(['placement-status'], 'events', 'reason')],
    [
      'reason of a ManagedCluster, a ManagedClusterSet or a binding',
      { ...ClusterReasons, ...ClusterSetReasons, ...BindingReasons, ...InUseReasons },
      recorded(['clusters'], 'conditions', 'reason'),
    ],
  ])('a recorded output exists for every %s, and for none that is not in the table', (_what, table, found) => {
    expect(found).toEqual(new Set(Object.keys(table)));
  });

  it('a recorded output exists for every refusal of the gateway', () => {
    const sentences = Object.keys(readRecorded('gateway-answers'));

    expect(Object.keys(STATUS_ERRORS).filter((kind) => !sentences.includes(`the answer to a refusal ${kind}`))).toEqual(
      [],
    );
  });

  it('a recorded output lies in a file that a test compares', () => {
    expect(new Set(readdirSync(RECORDED_FOLDER))).toEqual(new Set(RECORDED_FILES.map((file) => `${file}.json`)));
  });
});

/** The one output that has every row of a status. */
function componentsOfReadyEngine(): readonly unknown[] {
  const rows = readRecorded('engine-status')['every row of an engine that is ready'];
  return Array.isArray(rows) ? rows.map((row: unknown) => (isRecord(row) ? row['reason'] : undefined)) : [];
}
