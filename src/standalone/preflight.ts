import { constants } from 'node:fs';
import { access, open, readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';

import { codeOf, Damaged, FolderInUse, freePorts, makeFolder } from '@multicluster-engine/kube-apiserver';
import { addressOf, type Listen } from '../runtime/flags/flags.js';
import { delay, systemClock } from '../runtime/clock.js';
import { errorText, fileFault } from '../runtime/errors.js';
import type { StandaloneConfig } from './flags.js';

const GATEWAY_EXIT_MS = 2_000;
const POLL_MS = 100;
/** How often another process may take the port between its selection and the start of the API. */
const STARTS = 10;
/** How many ports are tried, from the default on. */
const PORTS = 100;
const FOLDERS = ['store', 'logs', 'pods'];

type Print = (line: string) => void;

/** The log file below a data folder. */
export function logFile(dataDir: string): string {
  return path.join(dataDir, 'logs', 'standalone.log');
}

/**
 * Checks that folder and logs are writable; creates the folder and its `logs` if they are missing.
 * @throws Error with the flag, its value and the reason.
 */
export async function checkFolders({
  dataDir,
  auditLog,
}: Pick<StandaloneConfig, 'dataDir' | 'auditLog'>): Promise<void> {
  const checkAll = async (): Promise<void> => {
    await makeFolder(dataDir);
    for (const folder of ['', ...FOLDERS]) await checkFolder(path.join(dataDir, folder));
    await makeFolder(path.dirname(logFile(dataDir)));
    await checkAppendable(logFile(dataDir));
  };
  await withContext(`--data-dir=${dataDir} cannot be used`, checkAll, 'no folder can be made there');
  if (auditLog !== undefined)
    await withContext(
      `--audit-log=${auditLog} cannot be written`,
      () => checkAppendable(auditLog),
      'its folder does not exist',
    );
}

/** A missing folder passes: it is created later. */
async function checkFolder(folder: string): Promise<void> {
  try {
    await readdir(folder);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

async function checkAppendable(file: string): Promise<void> {
  await (await open(file, 'a', 0o600)).close();
}

/**
 * Selects the address of the API: the configured one, or the next free port where that is a default and in use.
 * `print` gets a line about another port.
 */
export async function withApiAddress(config: StandaloneConfig, print: Print): Promise<StandaloneConfig> {
  const { listen, gatewayListen, requested } = config;
  if (requested.listen) return config;
  const free = await freeAddress(listen, (port) => port !== gatewayListen.port);
  if (free.port !== listen.port) print(otherPort('the Kubernetes API', 'listen', { inUse: listen, free }));
  return { ...config, listen: free };
}

/** As {@link withApiAddress}, the address of the console; undefined where there is none. */
export async function consoleAddress(config: StandaloneConfig, print: Print): Promise<Listen | undefined> {
  const { listen, gatewayListen, consoleListen, requested } = config;
  if (consoleListen === undefined || requested.consoleListen) return consoleListen;
  const free = await freeAddress(consoleListen, (port) => port !== listen.port && port !== gatewayListen.port);
  if (free.port !== consoleListen.port)
    print(otherPort('the console', 'console-listen', { inUse: consoleListen, free }));
  return free;
}

/**
 * Calls `start` with the configuration of {@link withApiAddress}, and again with the next free port when another process has
 * taken that port in the meantime. An address that was set is tried once.
 */
export async function startApiAt<T>(
  config: StandaloneConfig,
  print: Print,
  start: (config: StandaloneConfig) => Promise<T>,
): Promise<T> {
  for (let starts = 1; ; starts++) {
    const selected = await withApiAddress(config, print);
    try {
      return await start(selected);
    } catch (error) {
      if (config.requested.listen || codeOf(error) !== 'EADDRINUSE' || starts === STARTS) throw error;
    }
  }
}

/**
 * Selects the address of the gateway, once the API listens on its own: a free port for port 0, since the same address is
 * printed, listened on and probed; the next free port where the configured address is a default and in use. `print` gets a line
 * about another port. Waits up to 2 s for the gateway of a previous process to exit.
 * @throws Error with the flag, its value and the reason, since later the error would be in a log only.
 */
export async function withGatewayAddress(config: StandaloneConfig, print: Print): Promise<StandaloneConfig> {
  const { gatewayListen, requested } = config;
  if (gatewayListen.port === 0) {
    const [port = 0] = await freePorts(1);
    return { ...config, gatewayListen: { ...gatewayListen, port } };
  }
  try {
    await waitUntilFree(gatewayListen);
    return config;
  } catch (error) {
    if (requested.gatewayListen || codeOf(error) !== 'EADDRINUSE')
      throw new Error(`--gateway-listen=${addressOf(gatewayListen)} cannot be listened on: ${errorText(error)}`, {
        cause: error,
      });
  }
  const free = await freeAddress(gatewayListen, (port) => port !== gatewayListen.port);
  print(otherPort('the HTTPS interface', 'gateway-listen', { inUse: gatewayListen, free }));
  return { ...config, gatewayListen: free };
}

/**
 * `HOST:PORT` of the gateway for each start of its process: that of {@link withGatewayAddress}, and the next free port where
 * that is a default and another process has taken it since. Never rejects: other errors are those of the process itself.
 */
export function gatewayAddresses(config: StandaloneConfig, print: Print): () => Promise<string> {
  let current = config;
  return async () => {
    if (!config.requested.gatewayListen) current = await withGatewayAddress(current, print).catch(() => current);
    return addressOf(current.gatewayListen);
  };
}

function otherPort(what: string, flag: string, { inUse, free }: Record<'inUse' | 'free', Listen>): string {
  return `${addressOf(inUse)} is in use: ${what} takes ${addressOf(free)} (--${flag}=HOST:PORT selects another address)`;
}

/** The address itself, or the one with the next port that is allowed and not in use. */
async function freeAddress({ host, port: first }: Listen, allowed: (port: number) => boolean): Promise<Listen> {
  for (let port = first; port < first + PORTS; port++)
    if (allowed(port) && !(await isInUse({ host, port }))) return { host, port };
  throw new Error(`the ports ${first} to ${first + PORTS - 1} of ${host} are in use`);
}

/** Other errors are those of listening itself. */
async function isInUse(address: Listen): Promise<boolean> {
  try {
    await tryListening(address);
    return false;
  } catch (error) {
    return codeOf(error) === 'EADDRINUSE';
  }
}

async function waitUntilFree(address: Listen): Promise<void> {
  const end = systemClock.monotonic() + GATEWAY_EXIT_MS;
  for (;;) {
    try {
      return await tryListening(address);
    } catch (error) {
      if (codeOf(error) !== 'EADDRINUSE' || systemClock.monotonic() > end) throw error;
      await delay(systemClock, POLL_MS);
    }
  }
}

/** The message for a failed start: the reason, and the remedy if it is known. */
export function startErrorMessage(error: unknown, dataDir: string): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof FolderInUse) return `${error.message}: stop that, or take another folder with --data-dir=DIR`;
  if (error instanceof Damaged)
    return `${error.message}; nothing was changed: put a copy of the folder in its place, or start with another --data-dir=DIR`;
  if (codeOf(error) === 'ENOSPC')
    return `--data-dir=${dataDir}: no space is left on its disk: make room there, or take another folder with --data-dir=DIR`;
  return isListenError(error) ? `${error.message}; use another address with --listen=HOST:PORT` : error.message;
}

function isListenError(error: Error): boolean {
  return 'syscall' in error && (error.syscall === 'listen' || error.syscall === 'getaddrinfo');
}

/** Runs `work`, and begins the message of its error with `what`. `missing`: what it means that there is no such file. */
async function withContext(what: string, work: () => Promise<void>, missing?: string): Promise<void> {
  try {
    await work();
  } catch (error) {
    const fault = fileFault(error, missing);
    const file = pathOf(error);
    const place = what.includes(`=${file} `) || file === '' ? '' : `${file}: `;
    throw new Error(`${what}: ${place}${fault}: correct it, or take another place`, { cause: error });
  }
}

/** The file that an error of the system is about; empty where it names none. */
function pathOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'path' in error ? String(error.path) : '';
}

function tryListening({ host, port }: Listen): Promise<void> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve()));
  });
}
