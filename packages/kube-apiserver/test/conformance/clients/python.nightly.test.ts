import { expect } from '@jest/globals';

import { describeWork } from './foreign.js';

const WORK = { script: '"$PROGRAM" python/day.py', env: (program: string) => ({ PROGRAM: program }) };

describeWork("Python's kubernetes", 'python', WORK, (lines) => {
  expect(lines).toContain('pages: [["one", "three"], ["two"]]');
  expect(lines).toContain(
    'watched: [["MODIFIED", "two", {"at": "1"}], ["DELETED", "three", {"at": "0"}], ["DELETED", "two", {"at": "1"}]]',
  );
  expect(lines.at(-1)).toBe('exit code: 0');
});
