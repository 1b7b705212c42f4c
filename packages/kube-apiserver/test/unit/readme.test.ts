import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

import { root } from '../../testing/root.js';

it('the example of the README runs and prints its comment', async () => {
  const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
  const example = /```js\n(.*?)```/s.exec(readme)?.[1] ?? '';
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', example], {
    cwd: root,
    timeout: 120_000,
  });
  const [, comment = 'no comment'] = /; \/\/ (.*)/.exec(example) ?? [];
  expect(stdout.split('\n')).toContain(comment);
});
