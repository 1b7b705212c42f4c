import { constants } from 'node:fs';
import { access, open, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';

import { readSigningKey } from '../apiserver/auth/jwt.js';
import { codeOf, disk } from '../apiserver/store/filesystem.js';
import { FolderInUse } from '../apiserver/store/lock.js';
import { Damaged } from '../apiserver/store/segment.js';
import { addressOf, type Listen } from '../flags.js';
import { freePorts } from '../local/ports.js';
import { delay, systemClock } from '../runtime/clock.js';
import type { StandaloneConfig } from '../standaloneconfig.js';

const LEAVING_MS = 2_000;
const LOOK_MS = 100;
const FOLDERS = ['store', 'logs', 'pods'];
/** Length of the tokens that are made: 24 random bytes in hexadecimal digits. */
const TOKEN_LENGTH = 48;
const ANOTHER = 'another folder with --data-dir=DIR';

/** Where the operator's log of a hub lies. */
export function logFile(dataDir: string): string {
  return path.join(dataDir, 'logs', 'standalone.log');
}

/**
 * Looks before anything starts whether folder and logs can be written; the folder and its `logs` are made where they are missing.
 * @throws Error that names the flag, its value and what is wrong.
 */
export async function checkPlaces({ dataDir, auditLog }: Pick<StandaloneConfig, 'dataDir' | 'auditLog'>): Promise<void> {
  const blame = `--data-dir=${dataDir} cannot be used`;
  if (await isNoFolder(dataDir)) throw new Error(`--data-dir=${dataDir} must be a folder, and is a file: take ${ANOTHER}`);
  await orBlame(blame, () => disk.makeFolder(dataDir));
  await orBlame(blame, () => checkFolder(dataDir));
  for (const folder of FOLDERS.map((name) => path.join(dataDir, name))) {
    if (await isNoFolder(folder)) throw new Error(`${blame}: ${folder} must be a folder, and is a file: move it away, or take ${ANOTHER}`);
    await orBlame(blame, () => checkFolder(folder));
  }
  await orBlame(blame, async () => {
    await disk.makeFolder(path.dirname(logFile(dataDir)));
    await checkAppending(logFile(dataDir));
  });
  if (auditLog !== undefined) await orBlame(`--audit-log=${auditLog} cannot be written`, () => checkAppending(auditLog));
}

/** One that is missing is made later. */
async function checkFolder(folder: string): Promise<void> {
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    await disk.list(folder);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

async function checkAppending(file: string): Promise<void> {
  await (await open(file, 'a', 0o600)).close();
}

/**
 * Looks whether the secrets of an earlier start are what was made then: a file that is missing or empty is made anew, one that
 * somebody has changed is not.
 * @throws Error that names the file, what it must hold, and what to do.
 */
export async function checkSecrets(dataDir: string): Promise<void> {
  const tokenFile = path.join(dataDir, 'admin.token');
  const token = await secretIn(tokenFile);
  if (token !== '' && (token.length < TOKEN_LENGTH || !/^[!-~]+$/.test(token))) {
    const got = `${token.length} character${token.length === 1 ? '' : 's'}`;
    throw new Error(`${tokenFile} must hold one token of at least ${TOKEN_LENGTH} visible ASCII characters, got ${got}: remove the file, and the next start makes a token and a kubeconfig with it`);
  }
  const keyFile = path.join(dataDir, 'service-account.key');
  const key = await secretIn(keyFile);
  if (key !== '' && !isSigningKey(key)) {
    throw new Error(`${keyFile} must hold a private key of the curve P-256 in PEM, and does not: put a copy of it back, or remove it, and the next start makes another, with which no token of a ServiceAccount is good that was issued before`);
  }
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

/** What went wrong, and what to do where that is known; a disk that is full does not say which it is. */
export function sentenceOf(error: unknown, dataDir: string): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof FolderInUse) return `${error.message}: stop that, or take another folder with --data-dir=DIR`;
  if (error instanceof Damaged) return `${error.message}; nothing was changed: put a copy of the folder in its place, or begin anew with another --data-dir=DIR`;
  if (codeOf(error) === 'ENOSPC') return `--data-dir=${dataDir}: no space is left on its disk (${error.message}): make room there, or take ${ANOTHER}`;
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

/** There is something there that is no folder. */
async function isNoFolder(place: string): Promise<boolean> {
  const found = await stat(place).catch(() => undefined);
  return found !== undefined && !found.isDirectory();
}

/** '' where there is no such file. */
async function secretIn(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw new Error(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function isSigningKey(pem: string): boolean {
  try {
    const { privateKey } = readSigningKey(pem);
    return privateKey.asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    return false;
  }
}
