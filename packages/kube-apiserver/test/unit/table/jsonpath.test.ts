import { describe, expect, it } from '@jest/globals';
import { customColumns } from '../../../src/table/custom.js';

const OBJECT = {
  apiVersion: 'v1',
  kind: 'X',
  spec: { n: 1, list: [{ a: 1, b: 'x' }, { a: 2 }, { a: 3, b: 'y' }], text: 't', nothing: null },
  metadata: { name: 'x', labels: { 'a.b/c': 'dotted', plain: 'p' } },
  status: {
    conditions: [
      { type: 'Other', status: 'no' },
      { type: 'Ready', status: 'True', at: 5 },
    ],
  },
};

/** The cell of a column; undefined where the column is dropped. */
function cell(jsonPath: string): unknown {
  return customColumns([{ name: 'X', type: 'string', jsonPath }])[0]?.cell(OBJECT, 0);
}

/** `test/cli/jsonpath.test.ts` of the product compares templates with those of kubectl, which has the same library. */
describe('the path of a printer column', () => {
  it.each([
    ['.spec.n', '1'],
    ['.spec.none', null],
    ['.spec.n.deeper', null],
    ['.spec.nothing', '<no value>'],
    ['.spec.list[-1].a', '3'],
    ['.spec.list[9].a', null],
    ['.spec.list[1:3].a', '2'],
    ['.spec.list', '[{"a":1,"b":"x"},{"a":2},{"a":3,"b":"y"}]'],
    [String.raw`.metadata.labels.a\.b/c`, 'dotted'],
    [`.metadata.labels['a.b/c']`, null],
    ['.spec.text[?(@.x)]', null],
    ['.status.conditions[?(@.type=="Ready")].status', 'True'],
    ['.status.conditions[?(@.at<=4)].type', null],
    ['.constructor', null],
  ])('the cell of %s is %j: the first value, and null where there is none or the path fails', (path, value) => {
    expect(cell(path)).toBe(value);
  });

  it.each(['.a[', '.a[x]', '.a{b}', '.a["b"]', ".a[ 'b' ]", '.a[ 0 ]', ".a['b]c']", '.a[0,x]'])(
    'the path %s is invalid',
    (path) => {
      expect(cell(path)).toBeUndefined();
    },
  );
});
