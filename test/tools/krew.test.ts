import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';

import { krewManifest } from '../../tools/krew.js';
import { root } from '../support/repository/root.js';

const PACKAGE = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
};
const PROGRAM = fileURLToPath(new URL('../../tools/krew.js', import.meta.url));
const RELEASE = {
  version: PACKAGE.version,
  uri: 'https://example.com/multicluster-engine.tgz',
  sha256: 'a'.repeat(64),
  homepage: 'https://example.com',
};

/** That krew accepts the manifest is shown by a test of the bundle. */
describe('the manifest for krew', () => {
  it('has the short description that the index of krew asks for: one line of at most 50 characters, without a full stop', () => {
    const { spec } = krewManifest(RELEASE) as { spec: { shortDescription: string } };

    expect(spec.shortDescription).toMatch(/^[^\n]{1,49}[^.\n]$/);
  });

  it('the plugin is the program that npm installs as kubectl-mce', () => {
    const { spec } = krewManifest(RELEASE) as { spec: { platforms: readonly { bin: string }[] } };

    expect(new Set(spec.platforms.map(({ bin }) => bin))).toEqual(new Set([PACKAGE.bin['kubectl-mce']]));
  });

  it('the tool prints the manifest with the SHA-256 of the archive', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'krew-'));
    const archive = path.join(folder, 'archive.tgz');
    writeFileSync(archive, 'abc');
    const { stdout } = spawnSync(process.execPath, [PROGRAM, archive, RELEASE.uri, RELEASE.homepage], {
      encoding: 'utf8',
    });
    rmSync(folder, { recursive: true });

    const sha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    expect(load(stdout)).toEqual(krewManifest({ ...RELEASE, sha256 }));
  });
});
