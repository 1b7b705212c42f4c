import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@multicluster-engine/kube-apiserver';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { issueServingCertificate } from '../../src/runtime/tls/serving.js';
import type { TokenServerConfig } from '../../src/runtime/flags/tokenserver.js';
import type { ProbeRequest, Sample } from '../placement/probe.js';
import type { Calls, HubOrder, HubStart } from './hub.js';
import type { BenchSize } from './world.js';

/** A console and its API server, each in a process of its own. The clients are in that of the bench. */

const HUB = fileURLToPath(new URL('./hub.js', import.meta.url));
const COMPONENT = fileURLToPath(new URL('./component.js', import.meta.url));
/** Half of the memory of its container, as Node takes it by itself there. */
const HEAP_MIB = 512;

export interface ConsoleProcess {
  readonly port: number;
  /** By which its certificate is verified. */
  readonly ca: string;
  /** Gives one more cluster the label that the queries count. */
  change(index: number): void;
  /** What the API server was asked since the last time. */
  calls(): Promise<Calls>;
  probe(request: ProbeRequest): Promise<Sample>;
  stop(): Promise<void>;
}

export async function startConsoleProcess({ clusters, placements }: BenchSize): Promise<ConsoleProcess> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-console-'));
  const hub = fork(HUB, [String(clusters), String(placements)]);
  const { port: hubPort, certificate }: HubStart = await answerOf(hub);
  const pair = await issueServingCertificate({ names: ['localhost'], addresses: ['127.0.0.1'], now: Date.now() });
  const file = (name: string, text: string): string => {
    writeFileSync(path.join(folder, name), text, { mode: 0o600 });
    return path.join(folder, name);
  };
  const [port = 0, metrics = 0, health = 0] = await freePorts(3);
  const local = (one: number): TokenServerConfig['listen'] => ({ host: '127.0.0.1', port: one });
  const config: TokenServerConfig = {
    listen: local(port),
    metricsListen: local(metrics),
    healthListen: local(health),
    metricsSecure: false,
    tls: { cert: file('tls.crt', pair.certificate), key: file('tls.key', pair.privateKey) },
    upstream: `https://127.0.0.1:${hubPort}`,
    upstreamCa: file('ca.crt', certificate),
    extraCa: undefined,
    logLevel: 'warn',
  };
  const console = fork(COMPONENT, [JSON.stringify(config)], {
    execArgv: ['--expose-gc', `--max-old-space-size=${HEAP_MIB}`],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  console.stdout?.pipe(createWriteStream(path.join(folder, 'log')));
  await waitFor('the console', async () => (await fetch(`http://127.0.0.1:${health}/readyz`)).ok || undefined, {
    deadlineMs: 60_000,
  });
  const order = (one: HubOrder): void => void hub.send(one);
  return {
    port,
    ca: pair.certificate,
    change: (index) => order({ kind: 'change', index }),
    calls() {
      const answer = answerOf<Calls>(hub);
      order({ kind: 'calls' });
      return answer;
    },
    probe(request) {
      const answer = answerOf<Sample>(console);
      console.send(request);
      return answer;
    },
    async stop() {
      for (const child of [console, hub]) {
        const ended = once(child, 'exit');
        child.kill();
        await ended;
      }
      rmSync(folder, { recursive: true });
    },
  };
}

async function answerOf<T>(child: ChildProcess): Promise<T> {
  const [answer]: unknown[] = await once(child, 'message');
  // What the child sends is in its file.
  return answer as T;
}
