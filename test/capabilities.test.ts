import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { root } from './support/repository/root.js';

const FOLDER = path.join(root, 'test');
/** A test that needs more than its suite: `testNeeding('x')('title'`. */
const TAGGED = /testNeeding\('(\w+)'\)(?:\.each\([^]*?\]\))?\(\s*(['"`])([^]*?)\2,/g;
/** A suite that needs a capability that only the real server has. */
const SUITE = /describeWithServer\(\s*(['"`])([^]*?)\1,\s*\{[^}]*capabilities: \[[^\]]*'(pods|podSecurity|quota)'/g;

interface Tagged {
  readonly capability: string;
  readonly title: string;
  readonly file: string;
}

function tagged(): Tagged[] {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.test.ts') && file !== 'capabilities.test.ts',
  );
  return files.flatMap((file) => {
    const text = readFileSync(path.join(FOLDER, file), 'utf8');
    const tests = [...text.matchAll(TAGGED)].map(([, capability = '', , title = '']) => ({ capability, title, file }));
    const suites = [...text.matchAll(SUITE)].map(([, , title = '', capability = '']) => ({
      capability,
      title: `all of ${title}`,
      file,
    }));
    return [...suites, ...tests];
  });
}

describe('the tests that the embedded server cannot run', () => {
  const found = tagged();

  it('the title of each test that the embedded server cannot run names what it needs', () => {
    expect(found.length).toBeGreaterThan(3);
    for (const { capability, title, file } of found.filter((one) => !one.title.startsWith('all of '))) {
      expect({ file, title }).toEqual({ file, title: expect.stringMatching(new RegExp(`\\(${capability}\\)$`)) });
    }
  });

  it('test/README.md lists the tests that the embedded server cannot run, and no others', () => {
    const rows = readFileSync(path.join(FOLDER, 'README.md'), 'utf8')
      .split('\n')
      .filter((line) => /^\| `\w+` \| /.test(line));
    const listed = rows.map((line) =>
      line
        .split('|')
        .slice(1, 4)
        .map((cell) => cell.trim()),
    );
    const expected = found.map(({ capability, title, file }) => [
      `\`${capability}\``,
      title.replace(/ \(\w+\)$/, ''),
      `\`${file}\``,
    ]);
    expect(listed.map(String).sort()).toEqual(expected.map(String).sort());
  });
});
