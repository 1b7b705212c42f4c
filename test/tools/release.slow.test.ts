import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { load } from 'js-yaml';

import { describeWithPrograms, runProgram } from '../support/programs/programs.js';
import { openRelease, type Release } from '../support/rehearsal/release.js';
import { committedClone, git } from '../support/rehearsal/sources.js';
import { verifyRelease } from '../support/rehearsal/verify.js';
import { manifest } from '../support/processes/npmpackage.js';
import { fields, items } from '../support/scenario/checks/reading.js';

const MINUTE = 60_000;
const REGISTRY = 'registry.example.com:5000/team';
const REPOSITORY = 'https://sources.example.com/team/engine';
const { version } = manifest;
const PACKAGE = `multicluster-engine-${version}.tgz`;

function sha256(data: Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

describeWithPrograms('what tools/release/build.sh makes', ['helm'], () => {
  let folder = '';
  let sources = '';
  let made = '';
  let key = '';
  let release: Release;

  function build(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): { readonly status: number | null; readonly stderr: string } {
    const all = { ...process.env, REGISTRY, REPOSITORY, SIGNING_KEY: key, ...env };
    const { status, stderr } = spawnSync('bash', ['tools/release/build.sh', ...args], {
      cwd: sources,
      env: all,
      encoding: 'utf8',
    });
    return { status, stderr };
  }

  function newKey(file: string): string {
    const args = ['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', file];
    spawnSync('openssl', args, { stdio: 'ignore' });
    return file;
  }

  function read(file: string): string {
    return readFileSync(path.join(made, file), 'utf8');
  }

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-release-'));
    sources = path.join(folder, 'sources');
    made = path.join(folder, 'made');
    committedClone(sources);
    key = newKey(path.join(folder, 'signing.key'));
    expect(build([version, made])).toEqual({ status: 0, stderr: '' });
    release = openRelease(made, path.join(folder, 'unpacked'));
  }, 8 * MINUTE);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('the release has the files that its page lists, and nothing else', () => {
    expect(readdirSync(made, { recursive: true, encoding: 'utf8' }).sort()).toEqual(
      [
        'SHA256SUMS',
        'SHA256SUMS.sig',
        'charts',
        `charts/multicluster-engine-${version}.tgz`,
        `charts/multicluster-engine-agent-${version}.tgz`,
        'definitions.yaml',
        'install.yaml',
        'mce.yaml',
        `multicluster-engine-${version}.oci.tar`,
        PACKAGE,
        `multicluster-engine-bundle-${version}.oci.tar`,
        'multicluster-engine.rb',
        'notes.md',
        'release.pub',
        'sbom.spdx.json',
      ].sort(),
    );
  });

  it('the image of the release says what it was made from, and its layers are what its configuration says', () => {
    const { config, layers } = release.unpacked;

    expect(config.config).toMatchObject({
      User: '65532:65532',
      Entrypoint: ['node', '/app/dist/bundle/main.js'],
      Env: expect.arrayContaining(['PATH=/usr/local/bin', 'MULTICLUSTER_ENGINE_DATA_DIR=/data']),
      Healthcheck: { Test: ['CMD', 'node', '/app/health.js'], Interval: 30e9, Timeout: 5e9, StartPeriod: 60e9 },
      Labels: {
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.revision': git(sources, 'rev-parse', 'HEAD').trim(),
        'org.opencontainers.image.source': REPOSITORY,
      },
    });
    expect(layers.map((file) => `sha256:${sha256(gunzipSync(readFileSync(file)))}`)).toEqual(config.rootfs.diff_ids);
    expect(layers.map((file) => sha256(readFileSync(file)))).toEqual(layers.map((file) => path.basename(file)));
  });

  it('the program of the image and that of the npm package have the version of the release', () => {
    const programs = [release.program, [process.execPath, path.join(release.npmPackage, 'dist/bundle/main.js')]];
    for (const [file = '', ...args] of programs) {
      const { stdout } = spawnSync(file, [...args, 'version', '-o', 'json'], { encoding: 'utf8' });
      expect(JSON.parse(stdout)).toMatchObject({ version });
    }
  });

  it('charts, manifests and bundle install the image of the release by its digest, and no other', async () => {
    const image = `${REGISTRY}/multicluster-engine@${release.unpacked.digest}`;
    const bundled = path.join(release.bundle, 'manifests', 'multicluster-engine.clusterserviceversion.yaml');
    const texts = [
      await runProgram('helm', ['template', release.chart]),
      await runProgram('helm', ['template', release.agentChart]),
      read('install.yaml'),
      readFileSync(bundled, 'utf8'),
    ];

    for (const one of texts) {
      const images = [...one.matchAll(/\bimage: "?([^"\s]+)"?$/gm)].map(([, name]) => name);
      expect(new Set(images)).toEqual(new Set([image]));
      expect(one).not.toContain('image-not-set.invalid');
    }
    expect(read('notes.md')).toContain(image);
  });

  it('charts, bundle, manifest of krew, formula and list of packages have the version of the release', async () => {
    const chart = async (file: string): Promise<unknown> => load(await runProgram('helm', ['show', 'chart', file]));
    const bundled = path.join(release.bundle, 'manifests', 'multicluster-engine.clusterserviceversion.yaml');

    for (const file of [release.chart, release.agentChart])
      expect(await chart(file)).toMatchObject({ version, appVersion: version });
    expect(load(readFileSync(bundled, 'utf8'))).toMatchObject({ spec: { version } });
    expect(load(read('mce.yaml'))).toMatchObject({ spec: { version: `v${version}` } });
    expect(read('multicluster-engine.rb')).toContain(`  version "${version}"\n`);
    expect(fields(JSON.parse(read('sbom.spdx.json')))['name']).toBe(`multicluster-engine@${version}`);
  });

  it('the manifest of krew and the formula have address and checksum of the npm package, which names the sources', () => {
    const sum = sha256(readFileSync(path.join(made, PACKAGE)));
    const uri = `${REPOSITORY}/releases/download/v${version}/${PACKAGE}`;
    const platforms = items(fields(fields(load(read('mce.yaml')))['spec'])['platforms']);

    expect(platforms.map((one) => [one['uri'], one['sha256']])).toEqual(platforms.map(() => [uri, sum]));
    expect(read('multicluster-engine.rb')).toContain(`  url "${uri}"\n  version "${version}"\n  sha256 "${sum}"\n`);
    const packed: unknown = JSON.parse(readFileSync(path.join(release.npmPackage, 'package.json'), 'utf8'));
    expect(packed).toMatchObject({ repository: { url: `git+${REPOSITORY}.git` } });
  });

  it('the alerts of the chart link to the pages of the release', async () => {
    const rendered = await runProgram('helm', ['template', release.chart, '--set', 'metrics.monitoring=true']);

    expect(rendered).toContain(`runbook_url: ${REPOSITORY}/blob/v${version}/docs/runbooks/`);
  });

  it('the checksums are of every file, and their signature is verified with the public key', () => {
    const named = read('SHA256SUMS')
      .trim()
      .split('\n')
      .map((line) => line.slice(66));
    const files = readdirSync(made, { recursive: true, encoding: 'utf8' }).filter(
      (name) => !['SHA256SUMS', 'SHA256SUMS.sig', 'release.pub', 'charts'].includes(name),
    );

    expect(named.sort()).toEqual(files.sort());
    expect(() => verifyRelease(made, path.join(made, 'release.pub'))).not.toThrow();
  });

  it.each(['SHA256SUMS', PACKAGE, `charts/multicluster-engine-${version}.tgz`, 'SHA256SUMS.sig'])(
    'a release of which one byte of %s was changed is not verified',
    (name) => {
      const changed = path.join(folder, 'changed');
      cpSync(made, changed, { recursive: true });
      const data = readFileSync(path.join(changed, name));
      data[data.length >> 1] = (data[data.length >> 1] ?? 0) ^ 1;
      writeFileSync(path.join(changed, name), data);

      expect(() => verifyRelease(changed, path.join(changed, 'release.pub'))).toThrow('Command failed');
      rmSync(changed, { recursive: true });
    },
  );

  it('a release that somebody else signed is not verified with the public key', () => {
    const other = path.join(folder, 'other.pub');
    spawnSync('openssl', ['pkey', '-in', newKey(path.join(folder, 'other.key')), '-pubout', '-out', other]);

    expect(() => verifyRelease(made, other)).toThrow('Command failed');
  });

  /** A PATH with these programs of this machine alone. */
  function only(...names: readonly string[]): string {
    const place = mkdtempSync(path.join(folder, 'path-'));
    for (const name of names) {
      const { stdout } = spawnSync('which', [name], { encoding: 'utf8' });
      symlinkSync(stdout.trim(), path.join(place, name));
    }
    return place;
  }

  it.each<[string, () => readonly [readonly string[], Readonly<Record<string, string>>], string]>([
    ['another version', () => [['9.9.9', ''], {}], 'the tag is "v9.9.9", and package.json has the version'],
    ['a folder with a file', () => [[version, made], {}], 'is not an empty folder'],
    ['a folder that is a file', () => [[version, key], {}], 'is not an empty folder'],
    ['no registry', () => [[version, ''], { REGISTRY: '' }], "REGISTRY must be HOST[:PORT][/PATH], got ''"],
    [
      'an address of sources without https',
      () => [[version, ''], { REPOSITORY: 'http://x' }],
      'REPOSITORY must be an https',
    ],
    [
      'no key',
      () => [[version, ''], { SIGNING_KEY: '' }],
      "SIGNING_KEY must be a file with a private key of the curve P-256, got ''",
    ],
    [
      'a public key',
      () => [[version, ''], { SIGNING_KEY: path.join(made, 'release.pub') }],
      'SIGNING_KEY must be a file',
    ],
    [
      'a missing program',
      () => [[version, ''], { PATH: only('bash', 'dirname', 'realpath', 'git', 'node', 'npm') }],
      'openssl was not found',
    ],
  ])('tools/release/build.sh refuses %s, and makes nothing', (_what, input, message) => {
    const [[asked = '', place = ''], env] = input();
    const target = place === '' ? path.join(folder, 'refused') : place;

    expect(build([asked, target], env)).toEqual({ status: 1, stderr: expect.stringContaining(message) });
    expect(existsSync(path.join(folder, 'refused'))).toBe(false);
  });

  it('tools/release/build.sh refuses a tree that differs from its commit, and names the file', () => {
    writeFileSync(path.join(sources, 'new.txt'), '');
    const refused = build([version, path.join(folder, 'refused')]);
    rmSync(path.join(sources, 'new.txt'));

    expect(refused).toEqual({ status: 1, stderr: expect.stringMatching(/^release: the tree differs .* new\.txt/) });
  });

  it(
    'a release that could not be made whole leaves no folder',
    () => {
      const stub = path.join(folder, 'stub');
      mkdirSync(stub);
      writeFileSync(path.join(stub, 'npm'), '#!/bin/sh\n[ "$1" != sbom ] || exit 7\nexec "$NPM" "$@"\n', {
        mode: 0o755,
      });
      const { stdout } = spawnSync('which', ['npm'], { encoding: 'utf8' });
      const { status } = build([version, path.join(folder, 'half', 'made')], {
        PATH: [stub, process.env['PATH'] ?? ''].join(path.delimiter),
        NPM: stdout.trim(),
      });

      expect(status).toBe(7);
      expect(readdirSync(path.join(folder, 'half'))).toEqual([]);
    },
    4 * MINUTE,
  );

  afterEach(() => expect(git(sources, 'status', '--porcelain')).toBe(''));
});
