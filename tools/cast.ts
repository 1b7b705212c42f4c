import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Records `docs/pictures/first-decision.cast` (asciinema, version 2): the commands of the README, typed into a
 * standalone hub that really runs. `npm run record` writes it, with kubectl in the PATH. Instead of `make run`, the command
 * that it ends with is run, on a temporary data folder; in the output the name of that folder is replaced by the default.
 */

const FILE = 'docs/pictures/first-decision.cast';
const COMMANDS = [
  'kubectl apply -f examples/engine.yaml',
  'kubectl wait --for=condition=Ready mce/engine',
  'kubectl apply -f examples/fleet.yaml',
  'kubectl apply --server-side --subresource=status -f examples/status/claims.yaml',
  'kubectl apply -f examples/placement.yaml',
  'kubectl wait --for=condition=Ready placement/web -n shop',
  "kubectl get placementdecision web-decision-1 -n shop -o jsonpath='{.status.decisions[*].clusterName}'",
  'kubectl label mcl prod-us-1 tier=silver --overwrite',
  "kubectl get placementdecision web-decision-1 -n shop -o jsonpath='{.status.decisions[*].clusterName}'",
  'node dist/src/main.js explain placement web -n shop --nearest 0',
];
/** The default data folder, shown instead of the temporary one. */
const DATA = '.standalone';
/** Seconds between two typed characters, and before each prompt. */
const TYPING = 0.03;
const PAUSE = 1;

class Recording {
  readonly #events: string[] = [];
  readonly #folder: string;
  /** Seconds of the recording that no clock has measured: typing and pauses. */
  #added = 0;
  readonly #start = performance.now();

  constructor(folder: string) {
    this.#folder = folder;
  }

  print(text: string): void {
    const local = text.replaceAll(this.#folder, DATA).replaceAll(path.relative('.', this.#folder), DATA);
    const shown = local.replaceAll(/\r?\n/g, '\r\n');
    const at = this.#added + (performance.now() - this.#start) / 1000;
    this.#events.push(JSON.stringify([Number(at.toFixed(3)), 'o', shown]));
  }

  type(command: string): void {
    this.#added += PAUSE;
    this.print('$ ');
    for (const character of command) {
      this.#added += TYPING;
      this.print(character);
    }
    this.print('\n');
  }

  text(): string {
    const header = { version: 2, width: 110, height: 32, idle_time_limit: 2, title: 'The first decision' };
    return [JSON.stringify(header), ...this.#events, ''].join('\n');
  }
}

/** Prints what the process writes to both streams; resolves with its exit code. */
function show(child: ChildProcess, recording: Recording): Promise<number | null> {
  let last = '\n';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      last = text;
      recording.print(text);
    });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (!last.endsWith('\n')) recording.print('\n');
      resolve(code);
    });
  });
}

function isUp(hub: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let printed = '';
    hub.stdout?.on('data', (text: string) => {
      printed += text;
      if (printed.includes('Ctrl-C stops it')) resolve();
    });
    hub.on('close', () => reject(new Error(`the hub has ended: ${printed}`)));
  });
}

async function record(folder: string): Promise<void> {
  const recording = new Recording(folder);
  recording.type('make run &');
  const hub = spawn(process.execPath, ['dist/src/main.js', 'standalone', `--data-dir=${folder}`]);
  const shown = show(hub, recording);
  try {
    await isUp(hub);
    recording.type(`export KUBECONFIG=${DATA}/kubeconfig`);
    const env = { ...process.env, KUBECONFIG: path.join(folder, 'kubeconfig') };
    for (const command of COMMANDS) {
      recording.type(command);
      const code = await show(spawn('/bin/sh', ['-c', command], { env }), recording);
      if (code !== 0) throw new Error(`exit code ${code} of: ${command}`);
    }
    writeFileSync(FILE, recording.text());
  } finally {
    hub.kill('SIGINT');
    await shown;
  }
}

const folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-cast-'));
try {
  await record(folder);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
