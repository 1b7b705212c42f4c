import { describe, expect, it } from '@jest/globals';
import type { ValueLoss } from '../../../src/answers/plan/loss.js';
import { heatOf } from '../../../src/console/server/heat.js';

const KEY = { source: 'label', name: 'region' } as const;

function loss(value: string, effects: Readonly<Record<string, 'Moves' | 'Short' | 'Empty'>>): ValueLoss {
  const placements = Object.entries(effects).map(([name, effect]) => {
    return { namespace: 'shop', name, effect, selected: { before: 3, after: effect === 'Empty' ? 0 : 2 } };
  });
  return { value, clusters: 2, move: placements.length, short: 0, empty: 0, placements };
}

describe('the table of losses', () => {
  it('has a row for each Placement, the one that is hurt worst first, and a cell for what each value does to it', () => {
    const values = [loss('eu', { api: 'Moves', web: 'Empty' }), loss('us', { api: 'Short' }), loss('ap', {})];
    expect(heatOf({ key: KEY, values }, ['a note'])).toEqual({
      key: 'label/region',
      columns: [
        { value: 'eu', target: 'label/region=eu', clusters: 2 },
        { value: 'us', target: 'label/region=us', clusters: 2 },
        { value: 'ap', target: 'label/region=ap', clusters: 2 },
      ],
      columnsTotal: 3,
      rowsTotal: 2,
      notes: ['a note'],
      rows: [
        { namespace: 'shop', name: 'web', cells: [{ effect: 'Empty', before: 3, after: 0 }, null, null] },
        {
          namespace: 'shop',
          name: 'api',
          cells: [{ effect: 'Moves', before: 3, after: 2 }, { effect: 'Short', before: 3, after: 2 }, null],
        },
      ],
    });
  });

  it('has of Placements that are hurt alike the larger one first', () => {
    const one = loss('eu', { api: 'Empty' });
    const [small] = one.placements;
    const large = { namespace: 'shop', name: 'web', effect: 'Empty', selected: { before: 30, after: 0 } } as const;
    const values = [{ ...one, placements: [...(small === undefined ? [] : [small]), large] }];
    expect(heatOf({ key: KEY, values }, []).rows.map(({ name }) => name)).toEqual(['web', 'api']);
  });

  it('is a window: how many there are stands beside it', () => {
    const effects = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`p${index}`, 'Moves' as const]));
    const values = Array.from({ length: 100 }, (_, index) => loss(`v${index}`, effects));
    const { rows, columns, rowsTotal, columnsTotal } = heatOf({ key: KEY, values }, []);
    expect([rows.length, columns.length, rowsTotal, columnsTotal]).toEqual([500, 40, 600, 100]);
  });
});
