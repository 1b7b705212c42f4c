import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from '@jest/globals';

import { brewFormula } from '../../tools/brew.js';
import { root } from '../support/repository/root.js';

const PACKAGE = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
};
const PROGRAM = fileURLToPath(new URL('../../tools/brew.js', import.meta.url));
const RELEASE = {
  version: PACKAGE.version,
  uri: 'https://example.com/multicluster-engine.tgz',
  sha256: 'a'.repeat(64),
  homepage: 'https://example.com/#{x}',
  programs: PACKAGE.bin,
};
const formula = brewFormula(RELEASE);

describe('the formula for Homebrew', () => {
  it('has the fields that Homebrew needs, each once, with texts that are no expressions', () => {
    for (const field of ['desc', 'homepage', 'url', 'version', 'sha256', 'license', 'depends_on'])
      expect(formula.match(new RegExp(`^  ${field} "[^"]+"$`, 'gm'))).toHaveLength(1);
    expect(formula).toContain('homepage "https://example.com/\\#{x}"');
    // Its rules for descriptions: no article at the beginning, no full stop, at most 80 characters.
    expect(formula).toMatch(/^  desc "(?!An? |The )[A-Z][^"]{1,78}[^".]"$/m);
  });

  it('closes every block that it opens', () => {
    const opened = formula.match(/^ *(?:class|def) |\bdo$/gm) ?? [];

    expect(formula.match(/^ *end$/gm)).toHaveLength(opened.length);
  });

  it('links every program of the package', () => {
    for (const [name, file] of Object.entries(PACKAGE.bin))
      expect(formula).toContain(`bin.install_symlink libexec/"${file}" => "${name}"\n`);
  });

  const hasRuby = spawnSync('ruby', ['--version']).error === undefined;
  if (hasRuby)
    it('is accepted by Ruby', () => {
      const { status, stderr } = spawnSync('ruby', ['-c'], { input: formula, encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
    });

  it('is printed with the digest of the archive', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'brew-'));
    try {
      const archive = path.join(folder, 'x.tgz');
      writeFileSync(archive, 'x');
      const env = { ...process.env, MCE_BUILD_VERSION: PACKAGE.version };
      const { stdout } = spawnSync(process.execPath, [PROGRAM, archive, RELEASE.uri, RELEASE.homepage], {
        encoding: 'utf8',
        env,
      });
      // printf x | sha256sum
      const sha256 = '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881';
      expect(stdout.replace(/version ".*"/, '')).toBe(brewFormula({ ...RELEASE, sha256 }).replace(/version ".*"/, ''));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
