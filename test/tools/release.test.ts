import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { load } from 'js-yaml';

import { describeWithPrograms, runProgram } from '../support/programs/programs.js';
import { root } from '../support/repository/root.js';
import { fields, items, text } from '../support/scenario/checks/reading.js';

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

describeWithPrograms('the charts of a release', ['helm'], () => {
  const CHARTS = path.join('deploy', 'helm');
  const REFERENCE = `registry.example.com:5000/team/multicluster-engine@sha256:${'ab'.repeat(32)}`;
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'chart-'));
    cpSync(path.join(root, CHARTS), path.join(folder, CHARTS), { recursive: true });
    symlinkSync(path.join(root, '.bin'), path.join(folder, '.bin'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it.each([
    ['multicluster-engine', 2],
    ['multicluster-engine-agent', 1],
  ])('the chart %s of a release installs its image, by digest, where no value sets another', async (name, times) => {
    const chartFolder = path.join(CHARTS, name);
    const { chart } = fields(fields(load(read('.github/workflows/release.yml')))['jobs']);
    const step = items(fields(chart)['steps']).find(({ env }) => 'REFERENCE' in fields(env));
    const env = { ...process.env, REFERENCE };
    const { status } = spawnSync('bash', ['-eo', 'pipefail', '-c', text(step?.['run'])], { cwd: folder, env });
    const rendered = await runProgram('helm', ['template', path.join(folder, chartFolder)]);

    expect(status).toBe(0);
    expect(rendered.match(/^ +image: .*$/gm)).toEqual(Array(times).fill(`          image: "${REFERENCE}"`));
    expect(readdirSync(path.join(folder, chartFolder)).sort()).toEqual(
      readdirSync(path.join(root, chartFolder)).sort(),
    );
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
