import { describe, expect, it } from '@jest/globals';
import { completionAt, type Known } from '../../../src/console/web/completion.js';
import { contextAt } from '../../../src/console/web/yamlcontext.js';

const KNOWN: Known = {
  schema: [
    { path: 'spec.numberOfClusters', type: 'integer', description: 'how many', values: [] },
    { path: 'spec.predicates', type: 'array', description: 'any of them', values: [] },
    { path: 'spec.predicates.requiredClusterSelector', type: 'object', description: '', values: [] },
    { path: 'spec.tolerations.operator', type: 'string', description: '', values: ['Exists', 'Equal'] },
  ],
  keys: [
    {
      source: 'label',
      key: 'tier',
      clusters: 9,
      values: [
        { value: 'gold', count: 4 },
        { value: '1.20', count: 1 },
      ],
    },
    { source: 'claim', key: 'platform', clusters: 3, values: [{ value: 'Google Cloud', count: 3 }] },
  ],
  sets: [{ value: 'edge', count: 4 }],
};

/** The texts that are offered where the text ends, or at the mark `|`. */
function offered(text: string): readonly string[] | undefined {
  const caret = text.indexOf('|');
  return completionAt(text.replace('|', ''), caret < 0 ? text.length : caret, KNOWN)?.list.map((one) => one.text);
}

describe('completion in a manifest', () => {
  it.each<readonly [string, string, readonly string[] | undefined]>([
    ['fields of the spec', 'spec:\n  num', ['numberOfClusters: ']],
    ['fields of the items of a list', 'spec:\n  predicates:\n    - req', ['requiredClusterSelector: ']],
    ['the same, in the indent of the list', 'spec:\n  predicates:\n  - req', ['requiredClusterSelector: ']],
    [
      'keys of labels',
      'spec:\n  predicates:\n    - requiredClusterSelector:\n        labelSelector:\n          matchLabels:\n            t',
      ['tier: '],
    ],
    [
      'values of a label',
      'spec:\n  predicates:\n    - requiredClusterSelector:\n        labelSelector:\n          matchLabels:\n            tier: ',
      ['gold', '"1.20"'],
    ],
    [
      'keys of claims',
      'spec:\n  predicates:\n    - requiredClusterSelector:\n        claimSelector:\n          matchExpressions:\n            - key: p',
      ['platform'],
    ],
    [
      'values of the key above',
      'spec:\n  predicates:\n    - requiredClusterSelector:\n        claimSelector:\n          matchExpressions:\n            - key: platform\n              operator: In\n              values: [',
      ['"Google Cloud"'],
    ],
    ['cluster sets', 'spec:\n  ClusterSets:\n    - e', ['edge']],
    ['values of an enumeration', 'spec:\n  tolerations:\n    - operator: E', ['Exists', 'Equal']],
    ['in the middle of a text', 'spec:\n  num|\n  predicates: []\n', ['numberOfClusters: ']],
    ['nothing in a comment', 'spec:\n  # num', undefined],
    ['nothing in a second document', 'spec:\n  a: 1\n---\n  num', undefined],
    ['nothing where all is typed', 'spec:\n  ClusterSets:\n    - edge', undefined],
  ])('%s are offered', (_what, text, texts) => {
    expect(offered(text)).toEqual(texts);
  });

  it('the keys above the caret are those that hold it', () => {
    expect(contextAt('metadata:\n  name: a\nspec:\n  b:\n    c:\n  d', 40)?.path).toEqual(['spec']);
  });
});
