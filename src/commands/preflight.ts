import { constants } from 'node:fs';
import { access, open } from 'node:fs/promises';
import { createServer } from 'node:net';

import { codeOf, disk } from '../apiserver/store/filesystem.js';
import { FolderInUse } from '../apiserver/store/lock.js';
import { Damaged } from '../apiserver/store/segment.js';
import type { Listen } from '../flags.js';
import { delay, systemClock } from '../runtime/clock.js';
import type { StandaloneConfig } from '../standaloneconfig.js';

const LEAVING_MS = 2_000;
const LOOK_MS = 100;

/**
 * Looks before anything starts whether folder and log can be written.
 * @throws Error that names the flag, its value and what is wrong.
 */
export async function checkPlaces({ dataDir, auditLog }: Pick<StandaloneConfig, 'dataDir' | 'auditLog'>): Promise<void> {
  await orBlame(`--data-dir=${dataDir} cannot be used`, async () => {
    await disk.makeFolder(dataDir);
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    await disk.list(dataDir);
  });
  if (auditLog === undefined) return;
  await orBlame(`--audit-log=${auditLog} cannot be written`, async () => (await open(auditLog, 'a', 0o600)).close());
}

/**
 * Looks whether the gateway's address is free: an engine that is installed later could say it only in a log. Waits a
 * moment for the gateway of a process that was killed just now.
 * @throws Error that names the flag, its value and what is wrong.
 */
export async function checkGateway({ gatewayListen }: Pick<StandaloneConfig, 'gatewayListen'>): Promise<void> {
  const end = systemClock.monotonic() + LEAVING_MS;
  await orBlame(`--gateway-listen=${addressOf(gatewayListen)} cannot be listened on`, async () => {
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

/** `HOST:PORT`, as flags have it. */
export function addressOf({ host, port }: Listen): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** What went wrong, and what to do where that is known. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof FolderInUse) return `${error.message}: stop that, or take another folder with --data-dir=DIR`;
  if (error instanceof Damaged) return `${error.message}; nothing was changed: put a copy of the folder in its place, or begin anew with another --data-dir=DIR`;
  return isOfListening(error) ? `${error.message}; --listen=HOST:PORT takes another address` : error.message;
}

function isOfListening(error: Error): boolean {
  return 'syscall' in error && (error.syscall === 'listen' || error.syscall === 'getaddrinfo');
}

async function orBlame(what: string, work: () => Promise<void>): Promise<void> {
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
