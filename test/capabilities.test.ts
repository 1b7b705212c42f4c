import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { root } from './support/repository/root.js';

const FOLDER = path.join(root, 'test');
/** A test that needs more than its suite: `testNeeding('x')('title'`. */
const TAGGED = /testNeeding\('(\w+)'\)(?:\.each\([^]*?\]\))?\(\s*(['"`])([^]*?)\2,/g;
/** A suite that needs a capability that only the real server has. */
const SUITE = /describeWithServer\(\s*(['"`])([^]*?)\1,\s*\{[^}]*capabilities: \[[^\]]*'(pods|podSecurity|quota)'/g;

/** The files with tests that run on the real server alone, by what they need. */
const REAL_ONLY = {
  podSecurity: ['integration/deploy/manifests.test.ts', 'integration/gateway/component.test.ts'],
  pods: [
    'e2e/helm.slow.test.ts',
    'e2e/highavailability.test.ts',
    'e2e/image.test.ts',
    'e2e/mainjob.test.ts',
    'integration/controlplane/hub.test.ts',
  ],
  quota: ['e2e/cures.test.ts', 'e2e/docshub.slow.test.ts', 'integration/engine/refusedpods.slow.test.ts'],
};

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

  it('no other file has such tests: what the embedded server can run, it runs', () => {
    const filesByCapability = (['podSecurity', 'pods', 'quota'] as const).map((one) => [
      one,
      [...new Set(found.filter(({ capability }) => capability === one).map(({ file }) => file))].sort(),
    ]);
    expect(Object.fromEntries(filesByCapability)).toEqual(REAL_ONLY);
  });
});
