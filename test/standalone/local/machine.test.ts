import { describe, expect, it } from '@jest/globals';

import { capacity, nodeInfo, prettyName } from '../../../src/standalone/local/machine.js';

describe('the name of an operating system', () => {
  it.each<[string, string, string | undefined]>([
    ['in quotes', 'ID=x\nPRETTY_NAME="Some Linux 12 (name)"\nVERSION=1\n', 'Some Linux 12 (name)'],
    ['in single quotes', "PRETTY_NAME='Some Linux'\n", 'Some Linux'],
    ['bare', 'PRETTY_NAME=Linux', 'Linux'],
    ['of another field', 'NOT_PRETTY_NAME=Linux', undefined],
    ['empty', 'PRETTY_NAME=""', undefined],
  ])('the name of an operating system is read from os-release: %s', (_name, text, name) => {
    expect(prettyName(text)).toBe(name);
  });
});

it('nodeInfo and capacity report kernel, operating system, CPUs and memory', () => {
  expect(nodeInfo('v1')).toMatchObject({
    kubeletVersion: 'v1',
    kernelVersion: expect.stringMatching(/./),
    osImage: expect.stringMatching(/./),
    machineID: '',
  });
  expect(capacity()).toEqual({
    cpu: expect.stringMatching(/^[1-9]\d*$/),
    memory: expect.stringMatching(/^[1-9]\d*Ki$/),
  });
});
