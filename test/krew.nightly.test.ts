import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, expect, it } from '@jest/globals';

import { bundle } from '../tools/bundle.js';
import { pathWithKubectl } from './support/clients/kubectl.js';
import { describeWithBuiltProgram } from './support/programs/built.js';
import { root } from './support/repository/root.js';

const BUNDLE = 'dist/bundle';

describeWithBuiltProgram('krew with the archive and the manifest of a release', 'krew', (_run, krew) => {
  const release = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-krew-'));
  let archive: string;
  let manifest: string;
  beforeAll(async () => {
    mkdirSync(path.join(release, 'home'));
    await bundle(root, path.join(release, BUNDLE));
    cpSync(path.join(root, 'crds'), path.join(release, 'crds'), { recursive: true });
    cpSync(path.join(root, 'package.json'), path.join(release, 'package.json'));
    const { stdout } = spawnSync('npm', ['pack', '--ignore-scripts', '--silent'], { cwd: release, encoding: 'utf8' });
    archive = path.join(release, stdout.trim());
    manifest = path.join(release, 'mce.yaml');
    const page = 'https://example.com/release';
    const tool = path.join(root, 'dist', 'tools', 'krew.js');
    writeFileSync(manifest, spawnSync(process.execPath, [tool, archive, `${page}/x.tgz`, page]).stdout);
  });
  afterAll(() => rmSync(release, { recursive: true, force: true }));

  function install(
    system: string,
    place = system,
  ): { readonly status: number | null; readonly stderr: string; readonly bin: string } {
    const krewRoot = path.join(release, place);
    const env = { PATH: pathWithKubectl(), HOME: path.join(release, 'home'), KREW_ROOT: krewRoot, KREW_OS: system };
    const args = ['install', `--manifest=${manifest}`, `--archive=${archive}`];
    const { status, stderr } = spawnSync(krew, args, { env, encoding: 'utf8' });
    return { status, stderr, bin: path.join(krewRoot, 'bin') };
  }

  it.each(['linux', 'darwin'])('krew installs the plugin on %s, and kubectl runs it', (system) => {
    const { status, stderr, bin } = install(system);
    const env = { ...process.env, PATH: pathWithKubectl(bin), KUBECONFIG: path.join(release, 'none') };
    const { stdout } = spawnSync('kubectl', ['mce', 'version', '-o', 'json'], { env, encoding: 'utf8' });

    expect([status, stderr]).toEqual([0, expect.stringContaining('This plugin needs Node.js 20.19 or newer')]);
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'Version', version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  });

  it('krew refuses another archive, and a system for which the manifest has none', () => {
    expect(install('windows')).toMatchObject({ status: 1, stderr: expect.stringContaining('does not offer') });
    appendFileSync(archive, 'x');
    expect(install('linux', 'other')).toMatchObject({ status: 1, stderr: expect.stringContaining('checksum') });
  });
});
