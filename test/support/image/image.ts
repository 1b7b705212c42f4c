import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { codeOf, type Exit } from '@multicluster-engine/kube-apiserver';
import { root } from '../repository/root.js';
import { Standalone } from '../processes/standalone.js';
import { readDockerfile, type Stage } from '../../../tools/image/dockerfile.js';

const CONTAINER = path.join(root, 'test', 'support', 'image', 'container.sh');
/** The stages of the repository's Dockerfile. */
const [program, , image] = readDockerfile(readFileSync(path.join(root, 'Dockerfile'), 'utf8')) as [Stage, Stage, Stage];
export const imageStage = image;

/** One line with the reason why no container can be started here; undefined where one can. */
export function containersMissing(): string | undefined {
  const flags = ['--mount', '--pid', '--fork', ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'])];
  const { status, stderr, error } = spawnSync('unshare', [...flags, 'true'], { encoding: 'utf8' });
  if (status === 0) return undefined;
  return `no namespaces for mounts and processes: ${error?.message ?? stderr.trim()}`;
}

/**
 * Runs the steps of the Dockerfile without an engine, with the files that it copies in an empty folder of `folder`;
 * returns the root folder of the image. The installed packages are those of the repository.
 */
export function buildImage(folder: string): string {
  const sources = path.join(folder, 'build');
  mkdirSync(sources, { recursive: true });
  for (const [from, to] of program.copied)
    cpSync(path.join(root, from), path.join(sources, to), { recursive: true, filter: isSource });
  linkPackages(sources);
  const built = path.join(folder, 'image');
  for (const part of ['runtime', 'program']) {
    const out = path.join(folder, part);
    execFileSync('bash', [path.join(sources, 'tools/image/build.sh'), part, out], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    cpSync(out, built, { recursive: true });
  }
  // An engine mounts these.
  for (const name of ['dev', 'proc']) mkdirSync(path.join(built, name));
  return built;
}

/** Whether a file belongs to the build context. The folders left out are those of .dockerignore. */
function isSource(file: string): boolean {
  return !/\/(?:dist|node_modules|\.bin)$/.test(file);
}

/** `node_modules` as `npm ci` would make it: each package of the workspace is a link to its folder. */
export function linkPackages(sources: string): void {
  const scope = '@multicluster-engine';
  const from = path.join(root, 'node_modules');
  const to = path.join(sources, 'node_modules');
  mkdirSync(path.join(to, scope), { recursive: true });
  for (const name of readdirSync(from)) if (name !== scope) symlinkSync(path.join(from, name), path.join(to, name));
  for (const name of readdirSync(path.join(from, scope)))
    symlinkSync(`../../packages/${name}`, path.join(to, scope, name));
}

/** A volume that the user of the image owns. */
export function createVolume(): string {
  const volume = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-volume-'));
  const [uid = 0, gid = 0] = image.all('USER').join('').split(':').map(Number);
  if (process.getuid?.() === 0) chownSync(volume, uid, gid);
  return volume;
}

/** A container of the image in the folder `built`. */
export interface ContainerOptions {
  readonly built: string;
  readonly volume: string;
  /** Variables that differ from those of the image. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The command that runs `command` in a container. */
function inContainer({ built, volume, env = {} }: ContainerOptions, command: readonly string[]): [string, ...string[]] {
  const variables = Object.entries({ ...image.pairs('ENV'), ...env }).map(([name, value]) => `${name}=${value}`);
  const [name = '', ...rest] = command;
  const executable = path.join(image.pairs('ENV')['PATH'] ?? '', name);
  return ['bash', CONTAINER, built, volume, image.all('USER').join(''), ...variables, '--', executable, ...rest];
}

/** `docker run IMAGE standalone`. */
export function runStandalone(options: ContainerOptions): Promise<Standalone> {
  const command = inContainer(options, image.words('ENTRYPOINT'));
  return Standalone.launch(options.volume, [], { command, addresses: 'none' });
}

/** Sends a signal to the first process of a container, if it still runs; SIGKILL ends all of them. Resolves when they have ended. */
export function endContainer(container: Standalone, signal: 'SIGTERM' | 'SIGKILL'): Promise<Exit> {
  // The process of this machine that waits for the container ignores the signal; both are of one process group.
  try {
    process.kill(-container.pid, signal);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
  return container.exited;
}

/** Runs the health check of the image in a container with the same volume; returns its exit code and output. */
export function checkHealth(options: ContainerOptions): { readonly code: number | null; readonly output: string } {
  const [file, ...args] = inContainer(options, image.words('HEALTHCHECK'));
  const { status, stdout, stderr } = spawnSync(file, args, { encoding: 'utf8' });
  return { code: status, output: stdout + stderr };
}
