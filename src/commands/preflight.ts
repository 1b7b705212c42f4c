import { constants } from 'node:fs';
import { access, open, readdir, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';

import { codeOf, Damaged, FolderInUse, freePorts, makeFolder } from '@multicluster-engine/kube-apiserver';
import { addressOf, type Listen } from '../config/flags.js';
import { delay, systemClock } from '../runtime/clock.js';
import type { StandaloneConfig } from '../config/standalone.js';

const LEAVING_MS = 2_000;
const LOOK_MS = 100;
const FOLDERS = ['store', 'logs', 'pods'];
const ANOTHER = 'another folder with --data-dir=DIR';

/** Where the operator's log of a hub lies. */
export function logFile(dataDir: string): string {
  return path.join(dataDir, 'logs', 'standalone.log');
}

/**
 * Looks before anything starts whether folder and logs can be written; the folder and its `logs` are made where they are missing.
 * @throws Error that names the flag, its value and what is wrong.
 */
export async function checkFolders({
  dataDir,
  auditLog,
}: Pick<StandaloneConfig, 'dataDir' | 'auditLog'>): Promise<void> {
  const blame = `--data-dir=${dataDir} cannot be used`;
  if (await isOtherThanFolder(dataDir))
    throw new Error(`--data-dir=${dataDir} must be a folder, and is a file: take ${ANOTHER}`);
  await withContext(blame, () => makeFolder(dataDir));
  await withContext(blame, () => checkFolder(dataDir));
  for (const folder of FOLDERS.map((name) => path.join(dataDir, name))) {
    if (await isOtherThanFolder(folder))
      throw new Error(`${blame}: ${folder} must be a folder, and is a file: move it away, or take ${ANOTHER}`);
    await withContext(blame, () => checkFolder(folder));
  }
  await withContext(blame, async () => {
    await makeFolder(path.dirname(logFile(dataDir)));
    await checkAppending(logFile(dataDir));
  });
  if (auditLog !== undefined)
    await withContext(`--audit-log=${auditLog} cannot be written`, () => checkAppending(auditLog));
}

/** One that is missing is made later. */
async function checkFolder(folder: string): Promise<void> {
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    await readdir(folder);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

async function checkAppending(file: string): Promise<void> {
  await (await open(file, 'a', 0o600)).close();
}

/** With a free port in place of port 0 of the gateway: what is printed, listened on and probed has to be one address. */
export async function withGatewayPort(config: StandaloneConfig): Promise<StandaloneConfig> {
  if (config.gatewayListen.port !== 0) return config;
  const [port = 0] = await freePorts(1);
  return { ...config, gatewayListen: { ...config.gatewayListen, port } };
}

/**
 * Looks whether the gateway's address is free: an engine that is installed later could say it only in a log. Waits a
 * moment for the gateway of a process that was killed just now.
 * @throws Error that names the flag, its value and what is wrong.
 */
export async function checkGatewayAddress({ gatewayListen }: Pick<StandaloneConfig, 'gatewayListen'>): Promise<void> {
  const end = systemClock.monotonic() + LEAVING_MS;
  await withContext(`--gateway-listen=${addressOf(gatewayListen)} cannot be listened on`, async () => {
    for (;;) {
      try {
        return await tryListening(gatewayListen);
      } catch (error) {
        if (codeOf(error) !== 'EADDRINUSE' || systemClock.monotonic() > end) throw error;
        await delay(systemClock, LOOK_MS);
      }
    }
  });
}

/** What went wrong, and what to do where that is known; a disk that is full does not say which it is. */
export function startErrorMessage(error: unknown, dataDir: string): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof FolderInUse) return `${error.message}: stop that, or take another folder with --data-dir=DIR`;
  if (error instanceof Damaged)
    return `${error.message}; nothing was changed: put a copy of the folder in its place, or begin anew with another --data-dir=DIR`;
  if (codeOf(error) === 'ENOSPC')
    return `--data-dir=${dataDir}: no space is left on its disk (${error.message}): make room there, or take ${ANOTHER}`;
  return isListenError(error) ? `${error.message}; --listen=HOST:PORT takes another address` : error.message;
}

function isListenError(error: Error): boolean {
  return 'syscall' in error && (error.syscall === 'listen' || error.syscall === 'getaddrinfo');
}

async function withContext(what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw new Error(`${what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function tryListening({ host, port }: Listen): Promise<void> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve()));
  });
}

/** There is something there that is no folder. */
async function isOtherThanFolder(place: string): Promise<boolean> {
  const found = await stat(place).catch(() => undefined);
  return found !== undefined && !found.isDirectory();
}
