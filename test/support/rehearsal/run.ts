import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { binaryFolder } from '@multicluster-engine/kube-apiserver/testing/controlplane/binaries';
import { builtProgram, pathWith, RehearsalHub } from './hub.js';
import { WAYS } from './install.js';
import { openBefore, openRelease, type Release } from './release.js';
import { upgrade, type UpgradeFigures } from './upgrade.js';
import { verifyRelease } from './verify.js';

/**
 * The second half of `make rehearse`: `run.js FOLDER`, where tools/release/rehearse.sh has made FOLDER/release and
 * FOLDER/before. Verifies the release, installs it in each way from its files alone, and upgrades to it; prints what it
 * measured, and writes it to FOLDER/figures.json. The programs of the image run as processes of this machine.
 */

async function step<T>(what: string, work: () => Promise<T> | T): Promise<T> {
  const start = performance.now();
  process.stdout.write(`${what} ... `);
  const result = await work();
  process.stdout.write(`${((performance.now() - start) / 1000).toFixed(1)} s\n`);
  return result;
}

/** Installs the release in one way on a control plane of its own, and waits for a decision. */
async function install(release: Release, way: string): Promise<void> {
  const hub = await RehearsalHub.start([release]);
  try {
    await WAYS[way]?.(hub, release);
    const example = (file: string): string => path.join(release.npmPackage, 'examples', file);
    await hub.engineReady(example('engine.yaml'), release);
    await hub.kubectl('apply', '--server-side', '-f', example('fleet.yaml'), '-f', example('placement.yaml'));
    const selected = await hub.decided('shop', 'web');
    if (selected.split(' ').length !== 3) throw new Error(`shop/web has ${selected}`);
    // The program of the npm package, as its users run it.
    const program = path.join(release.npmPackage, 'dist/bundle/main.js');
    const env = { ...process.env, KUBECONFIG: hub.server.adminKubeconfig };
    execFileSync(process.execPath, [program, 'explain', 'placement', 'web', '-n', 'shop'], { env, stdio: 'pipe' });
  } finally {
    await hub.stop();
  }
}

/** What krew does with the manifest and the archive of the release. */
async function installPlugin({ folder, version }: Release, work: string): Promise<void> {
  const kubectls = binaryFolder();
  const krewRoot = path.join(work, 'krew');
  const env = { PATH: pathWith(kubectls), HOME: work, KREW_ROOT: krewRoot };
  const archive = path.join(folder, `multicluster-engine-${version}.tgz`);
  const args = ['install', `--manifest=${path.join(folder, 'mce.yaml')}`, `--archive=${archive}`];
  execFileSync(builtProgram('krew'), args, { env, stdio: 'pipe' });
  const plugin = { ...process.env, PATH: pathWith(kubectls, path.join(krewRoot, 'bin')) };
  const printed = execFileSync('kubectl', ['mce', 'version', '-o', 'json'], { env: plugin, encoding: 'utf8' });
  if (JSON.parse(printed).version !== version) throw new Error(`the plugin prints ${printed}`);
}

function checkBundle({ bundle }: Release): void {
  const args = ['manifests', '--operatorhub_validate', '--object_validate', bundle];
  const { status, stdout, stderr } = spawnSync(builtProgram('operator-verify'), args, { encoding: 'utf8' });
  // It ends with 0 even where it finds errors.
  if (status !== 0 || stderr.includes('level=error')) throw new Error(stdout + stderr);
}

function report(figures: UpgradeFigures): string {
  const ms = (value: number): string => (value < 1000 ? `${value.toFixed(0)} ms` : `${(value / 1000).toFixed(1)} s`);
  const sorted = [...figures.firstDecisions].sort((a, b) => a - b);
  const at = (share: number): string => ms(sorted[Math.floor((sorted.length - 1) * share)] ?? NaN);
  const leaders = Object.entries(figures.withoutLeader).map(
    ([lease, gap]) => `  ${lease}: ${ms(gap)} without a leader; it changed ${figures.changes[lease]} times`,
  );
  const silent = Object.entries(figures.silence).map(([cluster, gap]) => `${cluster} ${ms(gap)}`);
  return [
    `The upgrade took ${figures.seconds.toFixed(0)} s.`,
    ...leaders,
    `  decisions of Placements that nobody edited: unchanged; ${figures.decisionWrites} writes of them`,
    `  ${sorted.length} new Placements meanwhile: decided after ${at(0.5)} (median), ${at(1)} (longest)`,
    `  agents: ${figures.renewals} renewals, ${figures.late} of them later than the 10 s of their Leases; longest between two: ${silent.join(', ')}`,
    '  clusters: available all the time',
    `  refused requests: ${figures.refused.length}`,
    ...new Set(figures.refused.map((one) => `    ${one}`)),
    '',
  ].join('\n');
}

const folder = path.resolve(process.argv[2] ?? '');
const work = mkdtempSync(path.join(tmpdir(), 'rehearsal-'));
try {
  await step('verifying the signature and the checksums', () =>
    verifyRelease(path.join(folder, 'release'), path.join(folder, 'rehearsal.pub')),
  );
  const release = openRelease(path.join(folder, 'release'), work);
  await step('validating the bundle for OLM', () => checkBundle(release));
  await step('installing the plugin with krew', () => installPlugin(release, work));
  for (const way of Object.keys(WAYS)) await step(`installing from ${way}`, () => install(release, way));
  const before = openBefore(path.join(folder, 'before'));
  const figures = await step(`upgrading from ${before.version} to ${release.version}`, () => upgrade(before, release));
  process.stdout.write(report(figures));
  writeFileSync(path.join(folder, 'figures.json'), `${JSON.stringify(figures, undefined, 2)}\n`);
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
