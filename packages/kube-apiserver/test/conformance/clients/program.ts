import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { beforeAll, expect, it } from '@jest/globals';

import { root } from '../../../testing/root.js';
import { maskedLines } from '../kubectl/mask.js';
import { describeOnAllServers, skipSuite } from '../suite.js';
import type { ConformanceTarget } from '../target.js';

export const FOLDER = path.join(root, 'test', 'conformance', 'clients');
const DEADLINE_S = '300';
const SCENARIO_MS = 330_000;
/** Times as Go programs print them. */
const TIMES =
  /\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}|\b\d{4}[-/]\d\d[-/]\d\d \d\d:\d\d:\d\d(\.\d+)?( [+-]\d{4} \w+)?/g;

/**
 * Defines a suite that runs a third-party program, which `build.sh` prepares once per machine. Where it cannot be
 * prepared (no Go, no Python, no registry) the suite is skipped with the reason.
 */
function describeProgram(
  title: string,
  client: 'helm' | 'go' | 'python',
  body: (program: string, targets: () => readonly ConformanceTarget[]) => void,
): void {
  const built = spawnSync('bash', [path.join(FOLDER, 'build.sh'), client], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const program = built.stdout.trim().split('\n').at(-1) ?? '';
  if (built.status !== 0 || program === '') {
    skipSuite(title, built.stderr.trim().split('\n').at(-1) ?? `build.sh ${client} ended with ${built.status}`);
    return;
  }
  describeOnAllServers(title, (targets) => body(program, targets));
}

export interface ClientProgram {
  /** Script for bash. */
  readonly script: string;
  /** Additional environment variables. */
  readonly env: (program: string) => Readonly<Record<string, string>>;
  /** Whether a line is printed in every run; by default all are. */
  readonly isStable?: (line: string) => boolean;
}

/** Runs a program on all servers. Its output has to be the same on each, and pass the assertions of `check`. */
export function describeClientProgram(
  title: string,
  client: 'helm' | 'go' | 'python',
  work: ClientProgram,
  check: (lines: readonly string[]) => void,
): void {
  describeProgram(title, client, (program, targets) => {
    let seen: readonly (readonly string[])[] = [];
    beforeAll(async () => {
      const all = await Promise.all(targets().map((target) => linesOf(work.script, target, work.env(program))));
      seen = all.map((lines) => lines.filter(work.isStable ?? (() => true)));
    }, SCENARIO_MS);

    it(`${title} has the same output on each server`, () => {
      for (const lines of seen) expect(lines).toEqual(seen[0]);
    });

    it(`${title} has the expected output`, () => {
      expect(seen).not.toEqual([]);
      for (const lines of seen) check(lines);
    });
  });
}

/** The masked lines of stdout and stderr of a bash script. It runs in {@link FOLDER} with a HOME of its own. */
async function linesOf(
  script: string,
  target: ConformanceTarget,
  env: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const home = await mkdtemp(path.join(tmpdir(), 'conformance-client-'));
  try {
    // GNU timeout ends the whole process group.
    const child = spawn('timeout', ['--signal=KILL', DEADLINE_S, 'bash', '-c', `exec 2>&1\n${script}`], {
      cwd: FOLDER,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: home,
        TMPDIR: home,
        KUBECONFIG: target.kubeconfig,
        SERVER: target.url,
        CA: target.caFile,
        TOKEN: target.token,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', resolve);
    });
    const printed = Buffer.concat(chunks).toString('utf8').replaceAll(TIMES, 'TIME');
    return [...maskedLines(printed, { server: target.url, namespace: 'NAMESPACE', home }), `exit code: ${code}`];
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}
