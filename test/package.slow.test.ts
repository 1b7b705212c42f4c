import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { describeWithKubectl } from './support/clients/kubectl.js';
import { InstalledEngine, largePlacement } from './support/processes/installedengine.js';
import { manifest, pack, type NpmPackage } from './support/processes/npmpackage.js';
import { clustersOf, commandByNpx, installedBy, standaloneByNpx } from './support/processes/npx.js';
import type { Standalone } from './support/processes/standalone.js';

const MINUTE = 60_000;
const MAX_BYTES = 3 * 1024 * 1024;
/** Lifecycle scripts that npm runs where the package is installed. */
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare'];

let folder: string;
let packed: NpmPackage;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-package-'));
  packed = await pack(folder);
}, 2 * MINUTE);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the npm package', () => {
  it('the npm package holds what the program reads, and neither tests nor sources', () => {
    const places = new Set(packed.files.map((file) => file.split('/')[0]));

    expect(places).toEqual(
      new Set(['LICENSE', 'NOTICE', 'README.md', 'crds', 'deploy', 'dist', 'docs', 'examples', 'package.json']),
    );
    expect(packed.files.filter((file) => /^dist\/(?!bundle\/)|\.test\.|\.ts$|\.map$/.test(file))).toEqual([]);
    expect(packed.files).toEqual(
      expect.arrayContaining([
        'dist/bundle/main.js',
        'dist/bundle/parserworker.js',
        'dist/bundle/planworker.js',
        'crds/placement.yaml',
      ]),
    );
    expect(packed.files.filter((file) => file.startsWith('docs/'))).toEqual(['docs/reference/openapi.json']);
  });

  it('the npm package has at most 3 MiB', () => {
    expect(packed.size).toBeLessThanOrEqual(MAX_BYTES);
  });

  it('the npm package can be published, and its users install no other package and run no script', () => {
    expect(manifest.private).toBeUndefined();
    expect(manifest.scripts['prepack']).toBe('npm run --silent bundle');
    for (const field of ['dependencies', 'optionalDependencies', 'peerDependencies', 'bundleDependencies'])
      expect([field, manifest[field]]).toEqual([field, undefined]);
    expect(INSTALL_SCRIPTS.filter((name) => name in manifest.scripts)).toEqual([]);
  });
});

describeWithKubectl('npx with the npm package in an empty folder', () => {
  let running: Standalone | undefined;
  let engine: InstalledEngine | undefined;

  afterAll(async () => {
    await engine?.close();
    await running?.stop();
  }, 2 * MINUTE);

  it(
    'npx starts standalone, and kubectl reads from it',
    async () => {
      running = await standaloneByNpx({ tarball: packed.tarball, folder });

      expect(await clustersOf(running)).toHaveLength(5);
      const installed = readdirSync(path.dirname(installedBy(folder))).filter((name) => !name.startsWith('.'));
      expect(installed).toEqual(['multicluster-engine']);
      // Its terminal can be in any folder.
      const example = path.join(installedBy(folder), 'examples', 'engine.yaml');
      expect(running.printed).toContain(`  kubectl apply -f ${example}`);
    },
    4 * MINUTE,
  );

  it(
    'npx plans a change of the hub',
    () => {
      if (running === undefined) throw new Error('standalone does not run');
      const placement = path.join(installedBy(folder), 'examples', 'placement.yaml');
      const args = ['plan', '-f', placement, '--kubeconfig', running.kubeconfig];

      expect(commandByNpx({ tarball: packed.tarball, folder }, args)).toMatchObject({
        stderr: '',
        stdout: expect.stringMatching(
          /^shop\/web  new: 0 of 3 wanted, Unsatisfied\n  NoManagedClusterSetBindings: .*\nPlan: 0 to add, /,
        ),
        status: 2,
      });
    },
    2 * MINUTE,
  );

  it(
    'the gateway of an engine takes a body that its worker thread parses',
    async () => {
      if (running === undefined) throw new Error('standalone does not run');
      engine = await InstalledEngine.create(running, path.join(installedBy(folder), 'examples', 'engine.yaml'));

      const reply = await engine.ask(largePlacement('large'));

      expect([reply.status, reply.body]).toEqual([200, expect.stringContaining('kind: Placement\n')]);
    },
    4 * MINUTE,
  );
});
