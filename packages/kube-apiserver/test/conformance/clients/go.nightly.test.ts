import { expect } from '@jest/globals';

import { describeClientProgram } from './program.js';

/** The program may end during a renewal of its Lease, or not. */
const CANCELED = 'context canceled';
const WORK = {
  script: '"$PROGRAM"',
  env: (program: string) => ({ PROGRAM: program }),
  isStable: (line: string) => !line.includes(CANCELED),
};

describeClientProgram('client-go and controller-runtime', 'go', WORK, (lines) => {
  expect(lines).toContain(
    'informer: ["add early at 0","add late at 1","update early at 0 to early at 2","delete late at 1","delete early at 2"]',
  );
  expect(lines).toContain(
    'cache: ["add before","add red","update red to red","update red to red","update red to red","delete red"]',
  );
  expect(lines).toContain('elections: ["first leads","first stopped","second leads","second stopped"]');
  expect(lines.at(-1)).toBe('exit code: 0');
});
