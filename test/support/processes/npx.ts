import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';

import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';

import { Standalone } from './standalone.js';

const MINUTE = 60_000;

/** Where npx runs. */
export interface NpxOptions {
  readonly tarball: string;
  /** A folder that exists; its subfolder `empty` must not. */
  readonly folder: string;
  /** The folder of the `node` to use; that of the tests by default. */
  readonly node?: string;
}

/** Runs `npx multicluster-engine standalone` with the package `tarball` in an empty folder, without a network and with an empty npm cache, until it is up. */
export async function standaloneByNpx({ tarball, folder, node }: NpxOptions): Promise<Standalone> {
  const data = path.join(folder, 'empty');
  mkdirSync(data);
  const standalone = await Standalone.launch(data, ['--seed-fleet=5'], {
    command: [
      'npx',
      '--yes',
      '--offline',
      `--cache=${path.join(folder, 'cache')}`,
      `--package=${tarball}`,
      'multicluster-engine',
    ],
    env: {
      HOME: folder,
      PATH: [node ?? path.dirname(process.execPath), process.env['PATH'] ?? ''].join(path.delimiter),
    },
  });
  await standalone.up({ deadlineMs: 2 * MINUTE });
  return standalone;
}

/** Runs a command of the package once {@link standaloneByNpx} has installed it, in `folder`; returns its outcome. */
export function commandByNpx(
  { tarball, folder }: NpxOptions,
  args: readonly string[],
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  const cache = `--cache=${path.join(folder, 'cache')}`;
  const npx = ['--yes', '--offline', '--no-update-notifier', cache, `--package=${tarball}`, 'multicluster-engine'];
  const env = { HOME: folder, PATH: process.env['PATH'] ?? '' };
  return spawnSync('npx', [...npx, ...args], { cwd: folder, env, encoding: 'utf8', timeout: MINUTE });
}

/** The folder of the package that npx has installed below the `folder` of {@link standaloneByNpx}. */
export function installedBy(folder: string): string {
  const installs = path.join(folder, 'cache', '_npx');
  const [install = ''] = readdirSync(installs);
  return realpathSync(path.join(installs, install, 'node_modules', 'multicluster-engine'));
}

/** The names of the clusters, by kubectl. */
export async function clustersOf({ kubeconfig }: Standalone): Promise<readonly string[]> {
  const names = await kubectlOk(['get', 'managedclusters', '-o', 'jsonpath={.items[*].metadata.name}'], { kubeconfig });
  return names.split(' ');
}
