import { expect } from '@jest/globals';

import { describeClientProgram } from './program.js';

const WORK = { script: '"$PROGRAM" python/client.py', env: (program: string) => ({ PROGRAM: program }) };

describeClientProgram("Python's kubernetes", 'python', WORK, (lines) => {
  expect(lines).toContain('pages: [["one", "three"], ["two"]]');
  expect(lines).toContain(
    'watched: [["MODIFIED", "two", {"at": "1"}], ["DELETED", "three", {"at": "0"}], ["DELETED", "two", {"at": "1"}]]',
  );
  expect(lines.at(-1)).toBe('exit code: 0');
});
