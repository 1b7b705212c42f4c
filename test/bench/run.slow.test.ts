import { spawnSync } from 'node:child_process';
import path from 'node:path';

import { expect, it } from '@jest/globals';

import { root } from '../support/repository/root.js';

const PROGRAM = path.join(root, 'dist', 'bench', 'run.js');

// A bench that starts with them would replace results that are committed.
it.each([
  ['--runs=0', '--runs: "0" is not an integer of at least 1'],
  ['placement-10x10', 'placement-10x10: at least 60 clusters'],
])('bench refuses %s', (argument, message) => {
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, argument], { encoding: 'utf8', timeout: 60_000 });
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(`bench: ${message}`) });
});
