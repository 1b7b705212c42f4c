import { describe, expect, it } from '@jest/globals';
import { compilePath } from '../../../src/table/jsonpath.js';

const OBJECT = {
  spec: { n: 1, list: [{ a: 1, b: 'x' }, { a: 2 }, { a: 3, b: 'y' }], text: 't', nothing: null },
  metadata: { labels: { 'a.b/c': 'dotted', plain: 'p' } },
  status: {
    conditions: [
      { type: 'Other', status: 'no' },
      { type: 'Ready', status: 'True', at: 5 },
    ],
  },
};

describe('a path', () => {
  it.each([
    ['.spec.n', [1]],
    ['spec.n', [1]],
    ['$.spec.n', [1]],
    ['.', [OBJECT]],
    ['.spec.none', []],
    ['.spec.n.deeper', []],
    ['.spec.nothing', [null]],
    ['.spec.list[0].a', [1]],
    ['.spec.list[-1].a', [3]],
    ['.spec.list[9].a', []],
    ['.spec.list[*].a', [1, 2, 3]],
    ['.spec.list[1:3].a', [2, 3]],
    ['.spec.list[:2].a', [1, 2]],
    ['.spec.list[0:3:2].a', [1, 3]],
    ['.spec.list[0,2].a', [1, 3]],
    ['.spec.*', [1, OBJECT.spec.list, 't', null]],
    [String.raw`.metadata.labels.a\.b/c`, ['dotted']],
    [`.metadata.labels['a.b/c']`, []],
    [String.raw`.metadata.labels['a\.b/c']`, ['dotted']],
    [`.metadata['labels.plain']`, ['p']],
    [`.metadata['labels'].plain`, ['p']],
    [`.spec['n', 'text']`, [1, 't']],
    ['.spec[*]', []],
    [`.spec['']`, []],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    [`.status.conditions[?(@.type == 'Ready')].status`, ['True']],
    ['.status.conditions[?(@.type!="Ready")].status', ['no']],
    ['.status.conditions[?(@.at)].type', ['Ready']],
    ['.status.conditions[?(@.at>4)].type', ['Ready']],
    ['.status.conditions[?(@.at<=4)].type', []],
    ['.spec.list[?(@.a>=2)].a', [2, 3]],
    ['..b', ['x', 'y']],
    ['.spec..a', [1, 2, 3]],
  ])('the path %s finds %j', (path, found) => {
    expect(compilePath(path)?.(OBJECT)).toEqual(found);
  });

  it.each(['.a[', '.a[?(@.b=)]', '.a[x]', '.a{b}', '.a["b"]', ".a[ 'b' ]", '.a[ 0 ]', ".a['b]c']", '.a[0,x]'])(
    'the path %s is invalid',
    (path) => {
      expect(compilePath(path)).toBeUndefined();
    },
  );

  it('a path does not find inherited properties', () => {
    expect(compilePath('.constructor')?.({})).toEqual([]);
  });
});
