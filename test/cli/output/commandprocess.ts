import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:https';
import path from 'node:path';

import { freePorts } from '@multicluster-engine/kube-apiserver';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { pairFor } from '../../gateway/rig.js';

/** A command that runs; `stdio` is that of its process. */
export interface CommandProcess {
  readonly child: ChildProcess;
  /** Resolves when it is ready; rejects when it has ended or does not become ready. */
  ready(): Promise<void>;
  /** Sends SIGTERM; resolves with the exit code, or the signal that has ended it. */
  stop(): Promise<number | string>;
  /** The text of `/metrics`; of the operator and the gateway only. */
  metrics(): Promise<string>;
  /** Status code of a GET; of the gateway only. */
  get(target: string): Promise<number>;
}

interface Start {
  readonly program: string;
  /** For its files. */
  readonly folder: string;
  readonly stdio: StdioOptions;
  /** Start it by a shell without standard output and standard error. */
  readonly closed?: boolean;
}

export type StartCommand = (start: Start) => Promise<CommandProcess>;

/** A gateway whose API server does not exist: it is live and answers from its own tables. */
export const startGateway: StartCommand = async (start) => {
  const [port = 0, metrics = 0, health = 0] = await freePorts(3);
  const pair = await pairFor();
  const [cert, key] = [path.join(start.folder, 'tls.crt'), path.join(start.folder, 'tls.key')];
  writeFileSync(cert, pair.certificate);
  writeFileSync(key, pair.privateKey, { mode: 0o600 });
  const child = run(start, [
    'gateway',
    `--listen=127.0.0.1:${port}`,
    `--metrics-listen=127.0.0.1:${metrics}`,
    `--health-listen=127.0.0.1:${health}`,
    `--tls-cert=${cert}`,
    `--tls-key=${key}`,
    `--upstream-ca=${cert}`,
    '--upstream=https://127.0.0.1:1',
    '--shutdown-delay=0s',
  ]);
  const agent = new Agent({ keepAlive: true, ca: pair.certificate, maxSockets: 8 });
  const livez = async (): Promise<boolean> => (await fetch(`http://127.0.0.1:${health}/livez`)).ok;
  return {
    ...processOf(child, livez),
    metrics: () => textOf(`http://127.0.0.1:${metrics}/metrics`),
    get: (target) => statusOf(`https://localhost:${port}${target}`, agent),
  };
};

/** An operator whose API server does not exist: it is live and tries again. */
export const startOperator: StartCommand = async (start) => {
  const [metrics = 0, health = 0] = await freePorts(2);
  const kubeconfig = path.join(start.folder, 'kubeconfig');
  const cluster = { name: 'a', cluster: { server: 'https://127.0.0.1:1' } };
  const context = { name: 'a', context: { cluster: 'a', user: 'a' } };
  const user = { name: 'a', user: { token: 'none' } };
  const content = { clusters: [cluster], contexts: [context], users: [user], 'current-context': 'a' };
  writeFileSync(kubeconfig, JSON.stringify({ apiVersion: 'v1', kind: 'Config', ...content }));
  const child = run(start, [
    'operator',
    `--kubeconfig=${kubeconfig}`,
    `--metrics-listen=127.0.0.1:${metrics}`,
    `--health-listen=127.0.0.1:${health}`,
    '--log-level=debug',
  ]);
  const livez = async (): Promise<boolean> => (await fetch(`http://127.0.0.1:${health}/livez`)).ok;
  return {
    ...processOf(child, livez),
    metrics: () => textOf(`http://127.0.0.1:${metrics}/metrics`),
    get: () => Promise.reject(new Error('the operator has no HTTPS interface')),
  };
};

/** Standalone. It is ready when its operator holds the lease: all of its start is printed then. */
export const startStandalone: StartCommand = async (start) => {
  const [api = 0, gateway = 0] = await freePorts(2);
  const child = run(start, [
    'standalone',
    '--ephemeral',
    `--data-dir=${start.folder}`,
    `--listen=127.0.0.1:${api}`,
    `--gateway-listen=127.0.0.1:${gateway}`,
  ]);
  const log = path.join(start.folder, 'logs', 'standalone.log');
  const none = (): Promise<never> => Promise.reject(new Error('standalone has no such port'));
  return {
    ...processOf(child, () => readFileSync(log, 'utf8').includes('"msg":"lease held"')),
    metrics: none,
    get: none,
  };
};

function run({ program, stdio, folder, closed = false }: Start, args: readonly string[]): ChildProcess {
  const command = [process.execPath, program, ...args];
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
  const [file = '', ...rest] = closed ? ['/bin/sh', '-c', 'exec "$@" >&- 2>&-', 'sh', ...command] : command;
  return spawn(file, rest, { env, stdio, cwd: path.dirname(program) });
}

function processOf(
  child: ChildProcess,
  isReady: () => boolean | Promise<boolean>,
): Pick<CommandProcess, 'child' | 'ready' | 'stop'> {
  const ended = (): number | string | undefined => child.exitCode ?? child.signalCode ?? undefined;
  const exited = new Promise<number | string>((resolve) =>
    child.once('exit', (code, signal) => resolve(code ?? signal ?? '')),
  );
  return {
    child,
    async ready() {
      const state = await waitFor('the command to be ready', async () => {
        if (ended() !== undefined) return 'ended';
        return (await isReady()) ? 'ready' : undefined;
      });
      if (state === 'ended') throw new Error(`it has ended with ${ended()}`);
    },
    async stop() {
      child.kill('SIGTERM');
      return exited;
    },
  };
}

async function textOf(url: string): Promise<string> {
  return (await fetch(url, { signal: AbortSignal.timeout(60_000) })).text();
}

function statusOf(url: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, timeout: 60_000 }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    request.once('timeout', () => request.destroy(new Error('no answer in time')));
    request.once('error', reject);
  });
}
