import { describe, expect, it } from '@jest/globals';

import { blocksIn, masked, stepsIn, typedBlocksIn } from './markdown.js';

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

describe('the blocks of a document', () => {
  const text = [
    '# Page',
    '<!-- not run: needs a registry -->',
    '```console',
    '$ push',
    '```',
    '<!-- not run: belongs to no block -->',
    '',
    '```sh',
    'one',
    'two',
    '```',
    '- item',
    '  ```yaml',
    '  a: 1',
    '  ```',
    '```',
    'plain',
    '```',
    '',
  ].join('\n');

  it('the blocks of a document have their line, language and text, and the reason directly above them why they are not run', () => {
    expect(blocksIn(text)).toEqual([
      { line: 3, language: 'console', text: '$ push\n', notRun: 'needs a registry' },
      { line: 8, language: 'sh', text: 'one\ntwo\n', notRun: undefined },
      { line: 13, language: 'yaml', text: '  a: 1\n', notRun: undefined },
      { line: 16, language: '', text: 'plain\n', notRun: undefined },
    ]);
    expect(typedBlocksIn(text).map(({ line }) => line)).toEqual([3, 8]);
  });

  it('a block that is not run has no steps, and a script is one step', () => {
    expect(stepsIn(text)).toEqual([{ command: 'one\ntwo\n', output: [] }]);
  });
});

describe('a line of output', () => {
  it.each([
    ['web    Satisfied   3          AGE 12s', 'web Satisfied 3 AGE TIME'],
    ['starting ... 9.8 s', 'starting ... TIME'],
    ['x   3m4s', 'x TIME'],
    ['taint since 2026-11-30T09:08:46Z, tolerated', 'taint since TIME, tolerated'],
    ['prod-1s-eu 5', 'prod-1s-eu 5'],
  ])('the line of output %j is masked as %j', (line, plain) => {
    expect(masked([line, ''])).toEqual([plain]);
  });
});
