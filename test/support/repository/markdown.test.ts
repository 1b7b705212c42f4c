import { describe, expect, it } from '@jest/globals';

import { masked, stepsIn } from './markdown.js';

describe('the steps of a document', () => {
  it('the steps of a document are its commands with their output, without comments, from console blocks alone', () => {
    const text = [
      '```console',
      '$ one --flag    # why',
      '$ two',
      'row 1',
      '',
      'row 2',
      '```',
      '```yaml',
      '$ no',
      '```',
      '```console',
      '$ three',
      '```',
    ].join('\n');
    expect(stepsIn(text)).toEqual([
      { command: 'one --flag', output: [] },
      { command: 'two', output: ['row 1', 'row 2'] },
      { command: 'three', output: [] },
    ]);
  });
});

describe('a line of output', () => {
  it.each([
    ['web    Satisfied   3          AGE 12s', 'web Satisfied 3 AGE TIME'],
    ['starting ... 9.8 s', 'starting ... TIME'],
    ['x   3m4s', 'x TIME'],
    ['prod-1s-eu 5', 'prod-1s-eu 5'],
  ])('the line of output %j is masked as %j', (line, plain) => {
    expect(masked([line, ''])).toEqual([plain]);
  });
});
