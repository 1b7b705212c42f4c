import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import type { CrowdKind, CrowdReport } from './badclients.js';

const PROGRAM = fileURLToPath(new URL('./badclients.js', import.meta.url));

/** A crowd of bad clients in a process of its own. */
export interface Gathering {
  report(): Promise<CrowdReport>;
  stop(): Promise<void>;
}

/** Sends a crowd to the gateway at that port of this machine. */
export function gather(port: number, counts: Readonly<Partial<Record<CrowdKind, number>>>): Gathering {
  const words = Object.entries(counts).map(([kind, count]) => `${kind}=${count}`);
  // It ends when its input does, which it does with this process too.
  const child = spawn(process.execPath, [PROGRAM, String(port), ...words], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async report() {
      child.stdin.write('\n');
      const { value, done = false } = await lines.next();
      if (done) throw new Error('the crowd has ended');
      return JSON.parse(value);
    },
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
