import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';

import { describeWithKubectl } from './support/clients/kubectl.js';
import { InstalledEngine, largePlacement } from './support/processes/installedengine.js';
import { pack, type NpmPackage } from './support/processes/npmpackage.js';
import { clustersOf, installedBy, standaloneByNpx } from './support/processes/npx.js';
import type { Standalone } from './support/processes/standalone.js';

const MINUTE = 60_000;
/** The oldest release that package.json allows, and the newest one of each even major version. */
const RELEASES = ['20.19.0', '20', '22', '24'];

describeWithKubectl('the npm package with other releases of Node', () => {
  let folder: string;
  let packed: NpmPackage;
  let running: Standalone | undefined;
  let engine: InstalledEngine | undefined;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-releases-'));
    packed = await pack(folder);
  }, 2 * MINUTE);
  afterEach(async () => {
    await engine?.close();
    await running?.stop();
    engine = undefined;
    running = undefined;
  }, 2 * MINUTE);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(RELEASES)(
    'the npm package runs standalone and the components of an engine with Node %s',
    async (release) => {
      const own = path.join(folder, `node-${release}`);
      mkdirSync(own);
      running = await standaloneByNpx({ tarball: packed.tarball, folder: own, node: nodeOf(release) });

      expect(await clustersOf(running)).toHaveLength(5);
      engine = await InstalledEngine.create(running, path.join(installedBy(own), 'examples', 'engine.yaml'));
      expect(await engine.ask(largePlacement('large'))).toMatchObject({ status: 200 });
    },
    8 * MINUTE,
  );
});

/** The folder with the program of this release, which npm downloads once per machine. */
function nodeOf(release: string): string {
  const print = ['--print', 'JSON.stringify([process.version, require("path").dirname(process.execPath)])'];
  const output = execFileSync('npx', ['--yes', `node@${release}`, ...print], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [version, folder] = JSON.parse(output) as [string, string];
  if (!version.startsWith(`v${release}`)) throw new Error(`npx ran Node ${version} instead of ${release}`);
  return folder;
}
