import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { root } from '../support/repository/root.js';

function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

const VERSION: string = JSON.parse(read('package.json')).version;

/** What a file says of the version, by a pattern with one group. */
const PLACES: readonly (readonly [string, RegExp])[] = [
  ['package-lock.json', /^ {2}"version": "(.*)",$/m],
  ['packages/values/package.json', /^ {2}"version": "(.*)",$/m],
  ['packages/cel/package.json', /^ {2}"version": "(.*)",$/m],
  ['packages/kube-apiserver/package.json', /^ {2}"version": "(.*)",$/m],
  ['CHANGELOG.md', /^## (\d\S*) \(\d{4}-\d\d-\d\d\)$/m],
  ['deploy/helm/multicluster-engine/Chart.yaml', /^version: (.*)-dev\.c[0-9a-f]{10}$/m],
  ['deploy/helm/multicluster-engine/Chart.yaml', /^appVersion: "(.*)"$/m],
  ['deploy/helm/multicluster-engine-agent/Chart.yaml', /^version: (.*)-dev\.c[0-9a-f]{10}$/m],
  ['deploy/helm/multicluster-engine-agent/Chart.yaml', /^appVersion: "(.*)"$/m],
  ['deploy/olm/manifests/multicluster-engine.clusterserviceversion.yaml', /^ {2}version: (.*)$/m],
  ['Dockerfile', /^ARG VERSION=(.*)\+dev$/m],
  ['docs/how-to/standalone.md', /multicluster-engine-(\d[\w.]*?)\.tgz/],
];

describe('the version', () => {
  it.each(PLACES)('%s has the version of package.json (%s)', (file, pattern) => {
    expect(pattern.exec(read(file))?.[1]).toBe(VERSION);
  });
});

describe('the workflows', () => {
  const files = readdirSync(path.join(root, '.github', 'workflows')).map((file) => `.github/workflows/${file}`);

  it.each(files)('every action of %s is pinned to a commit, with its tag beside it', (file) => {
    const uses = read(file)
      .split('\n')
      .filter((line) => line.includes('uses:'));

    expect(uses.length).toBeGreaterThan(0);
    expect(uses.filter((line) => !/uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });

  it.each(files)('%s grants the whole workflow no permission to write', (file) => {
    expect(/^permissions:(?: \{\}|\n {2}contents: read)$/m.test(read(file))).toBe(true);
  });
});

describe('CHANGELOG.md', () => {
  it('CHANGELOG.md names the tag or commit from which upgrades are rehearsed, before its first release', () => {
    const [unreleased = ''] = read('CHANGELOG.md').split(/^## \d/m);

    expect(unreleased.match(/^Upgrades are rehearsed from `(?:v\d+\.\d+\.\d+|[0-9a-f]{40})`/gm)).toHaveLength(1);
  });
});

describe('tools/releasenotes.js', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'releasenotes-'));
    mkdirSync(path.join(folder, 'tools'));
    cpSync(path.join(root, 'tools', 'releasenotes.js'), path.join(folder, 'tools', 'releasenotes.js'));
    writeFileSync(path.join(folder, 'package.json'), '{"type":"module","version":"1.2.0"}');
    writeFileSync(
      path.join(folder, 'CHANGELOG.md'),
      '# Changelog\n\n## Unreleased\n- next\n\n## 1.2.0 (2026-01-01)\n### Added\n- this\n\n## 1.1.0 (2025-01-01)\n- last\n',
    );
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function notes(tag: string): readonly unknown[] {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['tools/releasenotes.js', tag], {
      cwd: folder,
      encoding: 'utf8',
    });
    return [status, stdout, stderr];
  }

  it('tools/releasenotes.js prints the part of the release and nothing else', () => {
    expect(notes('v1.2.0')).toEqual([0, '### Added\n- this\n', '']);
  });

  it('tools/releasenotes.js refuses a tag of another version', () => {
    expect(notes('v1.3.0')).toEqual([
      1,
      '',
      'releasenotes: the tag is "v1.3.0", and package.json has the version 1.2.0\n',
    ]);
  });

  it('tools/releasenotes.js refuses a version that CHANGELOG.md does not describe', () => {
    writeFileSync(path.join(folder, 'CHANGELOG.md'), '# Changelog\n\n## Unreleased\n- next\n');

    expect(notes('v1.2.0')).toEqual([1, '', 'releasenotes: CHANGELOG.md has no part "## 1.2.0 (DATE)"\n']);
  });
});
