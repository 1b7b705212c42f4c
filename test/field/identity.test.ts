import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { build, type Build } from '../../src/runtime/process/build.js';
import { versionText } from '../../src/cli/commands/version.js';
import { readConfig } from '../support/commandline.js';
import { createGatewayMetrics } from '../../src/gateway/metrics.js';
import { createAgentMetrics } from '../../src/agent/metrics.js';
import { createMetrics } from '../../src/operator/metrics.js';
import { root } from '../support/repository/root.js';

/**
 * Every build called itself 0.1.0, whatever commit it was made from: a report of a fault did not say which code had it, and an
 * upgrade from one build to the next could not be waited for. Right is: version, commit and date, the same in the program, in
 * the labels of the image and in the metrics, from a checkout, from an archive and in a container, and never the wall clock.
 */

const DATE = '2026-03-04T05:06:07Z';
const ENV = { PATH: process.env['PATH'] ?? '', HOME: '/nowhere', GIT_CONFIG_GLOBAL: '/dev/null', TZ: 'Asia/Tokyo' };

let folder = '';
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'identity-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function git(where: string, ...args: readonly string[]): string {
  const names = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
  const env = { ...ENV, ...names, GIT_AUTHOR_DATE: DATE, GIT_COMMITTER_DATE: DATE };
  return execFileSync('git', args, { cwd: where, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}

/** The files of a source archive, of version 1.2.0. */
function archive(name: string): string {
  const place = path.join(folder, name);
  mkdirSync(path.join(place, 'tools'), { recursive: true });
  cpSync(path.join(root, 'tools', 'identity.sh'), path.join(place, 'tools', 'identity.sh'));
  writeFileSync(path.join(place, 'package.json'), '{\n  "version": "1.2.0",\n  "x": 1\n}\n');
  return place;
}

/** The same as a checkout with one commit. */
function checkout(): { readonly place: string; readonly commit: string } {
  const place = archive('checkout');
  git(place, 'init', '--quiet');
  git(place, 'add', '.');
  git(place, 'commit', '--quiet', '-m', 'first');
  return { place, commit: git(place, 'rev-parse', 'HEAD') };
}

function identity(place: string, env: Readonly<Record<string, string>> = {}, ...args: readonly string[]): string {
  const all = ['tools/identity.sh', ...args];
  return execFileSync('bash', all, { cwd: place, env: { ...ENV, ...env }, encoding: 'utf8' }).trim();
}

function identityOf(place: string, env: Readonly<Record<string, string>> = {}): Build {
  return JSON.parse(identity(place, env)) as Build;
}

describe('what a build is made from', () => {
  it('a commit between releases is named in the version, with its own date in UTC', () => {
    const { place, commit } = checkout();

    expect(identityOf(place)).toEqual({ version: `1.2.0+dev.${commit.slice(0, 12)}`, commit, date: DATE });
    // The tag of an image cannot contain a plus sign.
    expect(identity(place, {}, 'tag')).toBe(`1.2.0-dev.${commit.slice(0, 12)}`);
  });

  it('the commit with the tag of the version is the release, and of another version it is not', () => {
    const { place, commit } = checkout();
    git(place, 'tag', 'v1.1.0');
    expect(identityOf(place).version).toContain('+dev.');
    git(place, 'tag', 'v1.2.0');

    expect(identityOf(place)).toEqual({ version: '1.2.0', commit, date: DATE });
  });

  it('a changed file is said, also at the commit of a release', () => {
    const { place, commit } = checkout();
    git(place, 'tag', 'v1.2.0');
    writeFileSync(path.join(place, 'package.json'), '{\n  "version": "1.2.0"\n}\n');

    expect(identityOf(place).version).toBe(`1.2.0+dev.${commit.slice(0, 12)}.modified`);
  });

  it('files without git are a version without a commit, also within the checkout of something else', () => {
    const { place } = checkout();
    const inside = archive('checkout/vendor/engine');
    const outside = archive('archive');

    for (const where of [inside, outside])
      expect(identityOf(where)).toEqual({ version: '1.2.0+dev', commit: '', date: '' });
    expect(identityOf(place).commit).not.toBe('');
  });

  it('who builds without git passes what is built', () => {
    const place = archive('archive');
    const commit = 'ab'.repeat(20);
    const passed = { MCE_BUILD_VERSION: '1.2.0', MCE_BUILD_COMMIT: commit, MCE_BUILD_DATE: DATE };

    expect(identityOf(place, passed)).toEqual({ version: '1.2.0', commit, date: DATE });
    expect(identityOf(place, { MCE_BUILD_COMMIT: commit }).version).toBe('1.2.0+dev.abababababab');
    expect(identityOf(place, { ...passed, SOURCE_DATE_EPOCH: '1' }).date).toBe('1970-01-01T00:00:01Z');
  });

  it.each([
    ['MCE_BUILD_VERSION', '1.3.0', 'MCE_BUILD_VERSION must be 1.2.0 or 1.2.0+…, got "1.3.0"'],
    ['MCE_BUILD_COMMIT', 'main', 'MCE_BUILD_COMMIT must be a whole commit, got "main"'],
    ['MCE_BUILD_DATE', 'today', 'MCE_BUILD_DATE must be a time in UTC, got "today"'],
    ['SOURCE_DATE_EPOCH', 'now', 'SOURCE_DATE_EPOCH must be seconds, got "now"'],
  ])('a wrong %s (%s) ends the build with one line', (name, value, line) => {
    const options = { cwd: archive('archive'), env: { ...ENV, [name]: value }, encoding: 'utf8' } as const;

    expect(spawnSync('bash', ['tools/identity.sh'], options)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: `identity: ${line}\n`,
    });
  });
});

describe('where a build says what it is', () => {
  it('the program prints version, commit, date and time zone data, as text and as JSON', () => {
    const { version, commit, date } = build();
    const from = `version ${version}\ncommit ${commit || 'unknown'}\ndate ${date || 'unknown'}`;
    const text = `${from}\nnode ${process.version}\ntime zone data ${process.versions['tz']}\n`;

    expect(version).toMatch(/^\d+\.\d+\.\d+(?:\+dev(?:\.[0-9a-f]{12}(?:\.modified)?)?)?$/);
    expect(versionText({ output: 'text' })).toBe(text);
    expect(JSON.parse(versionText({ output: 'json' }))).toEqual({
      apiVersion: 'cli.fleetmgmt.io/v1',
      kind: 'Version',
      version,
      commit,
      date,
      node: process.version,
      timeZoneData: process.versions['tz'],
    });
    expect(versionText({ output: 'yaml' })).toContain(`kind: Version\nversion: ${version}\n`);
    expect(readConfig(['version', '-o', 'xml'], {})).toMatchObject({ exitCode: 1 });
  });

  it.each([
    ['controllers', createMetrics],
    ['a gateway', createGatewayMetrics],
    ['an agent', createAgentMetrics],
  ])('the metrics of %s have it', async (_, create) => {
    const commit = 'ab'.repeat(20);
    const text = String(await create({ version: '1.2.0', commit, date: DATE }).text());

    expect(text).toContain(`multicluster_build_info{version="1.2.0",commit="${commit}",date="${DATE}"} 1\n`);
  });

  it('the labels of the image and its program get the same values, and `make image` passes them', () => {
    const dockerfile = readFileSync(path.join(root, 'Dockerfile'), 'utf8');
    const { stdout } = spawnSync('make', ['--dry-run', 'image'], { cwd: root, encoding: 'utf8' });
    const says = (value: string): string => identity(root, {}, value);

    for (const [label, name, variable] of [
      ['version', 'VERSION', 'MCE_BUILD_VERSION'],
      ['revision', 'REVISION', 'MCE_BUILD_COMMIT'],
      ['created', 'CREATED', 'MCE_BUILD_DATE'],
    ]) {
      expect(dockerfile).toContain(`org.opencontainers.image.${label}="$${name}"`);
      expect(dockerfile).toContain(`${variable}="$${name}"`);
    }
    expect(stdout).toContain(` -t localhost/multicluster-engine:${says('tag')} `);
    expect(stdout).toContain(
      ` --build-arg VERSION=${says('version')} --build-arg REVISION=${says('commit')} --build-arg CREATED=${says('date')} `,
    );
  });
});
