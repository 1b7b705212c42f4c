import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { committedClone } from '../support/rehearsal/sources.js';
import type { UpgradeFigures } from '../support/rehearsal/upgrade.js';

const MINUTE = 60_000;

describe('make rehearse', () => {
  let folder = '';
  let sources = '';
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-rehearsal-'));
    sources = path.join(folder, 'sources');
    committedClone(sources);
  }, 2 * MINUTE);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function refused(...args: readonly string[]): unknown {
    const { status, stderr } = spawnSync('make', ['rehearse', ...args], { cwd: sources, encoding: 'utf8' });
    return [status, stderr.split('\n')[0]];
  }

  it('make rehearse refuses another version, and a tree that differs from its commit, and makes nothing', () => {
    const added = path.join(sources, 'new.txt');

    expect(refused('VERSION=9.9.9')).toEqual([2, expect.stringContaining('the tag is "v9.9.9"')]);
    writeFileSync(added, '');
    expect(refused()).toEqual([2, expect.stringContaining('the tree differs from the commit: ?? new.txt')]);
    rmSync(added);
    expect(existsSync(path.join(sources, '.rehearsal'))).toBe(false);
  });

  it(
    'make rehearse makes the release, installs it in each way, and upgrades a hub under work to it',
    async () => {
      const { stdout } = await promisify(execFile)('make', ['rehearse'], { cwd: sources, maxBuffer: 1 << 26 });
      const figures = readFileSync(path.join(sources, '.rehearsal', 'figures.json'), 'utf8');
      const { firstDecisions, silence, changes, refused: requests } = JSON.parse(figures) as UpgradeFigures;

      process.stdout.write(stdout);
      for (const way of ['the chart', 'the manifests', 'the bundle for OLM'])
        expect(stdout).toContain(`installing from ${way} ... `);
      expect(firstDecisions.length).toBeGreaterThan(0);
      expect(Object.keys(silence).sort()).toEqual(['berlin-1', 'berlin-2', 'berlin-3']);
      // The new version has taken over each Lease.
      for (const count of Object.values(changes)) expect(count).toBeGreaterThan(0);
      expect(requests).toEqual([]);
      expect(refused()).toEqual([2, expect.stringContaining('.rehearsal is not an empty folder')]);
    },
    30 * MINUTE,
  );
});
