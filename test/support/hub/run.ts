import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

import type { Exit } from '@multicluster-engine/kube-apiserver';
import { delay, systemClock } from '../../../src/runtime/clock.js';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { binaryFolder } from '@multicluster-engine/kube-apiserver/testing/controlplane/binaries';
import { startControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/start';
import { alive } from '../processes/alive.js';
import { root } from '../repository/root.js';
import { runComponents } from './components.js';
import { deploy, startOperator } from './operator.js';
import type { Pod } from './pod.js';

/**
 * What `make run` does: a hub of its own on this machine with `deploy/overlays/default` in it, two nodes, the operator
 * under its own ServiceAccount, and what the engine's Deployments would run. Everything lies in `.run/`, or in the folder
 * that is the first argument, and ends with this process.
 */

const STATE = path.resolve(process.argv[2] ?? path.join(root, '.run'));
const RESTART_MS = 1_000;
const KUBECONFIG = path.join(STATE, 'kubeconfig');
/** The process id of the hub that uses the folder. */
const OWNER = path.join(STATE, 'hub.pid');

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** One line for each thing that is waited for; Ctrl-C ends the wait. */
async function step<T>(what: string, work: Promise<T>, ended: Promise<void>): Promise<T> {
  const start = performance.now();
  process.stdout.write(`${what} ... `);
  const stopped = ended.then((): never => {
    throw new Error('stopped');
  });
  const result = await Promise.race([work, stopped]);
  say(`${((performance.now() - start) / 1000).toFixed(1)} s`);
  return result;
}

async function furnish(server: ControlPlane): Promise<void> {
  for (const zone of ['a', 'b'])
    await server.addNode({
      name: `node-${zone}`,
      labels: { 'kubernetes.io/hostname': `node-${zone}`, 'topology.kubernetes.io/zone': zone },
    });
}

/** @throws Error when another hub uses the folder. */
async function claimFolder(): Promise<void> {
  await mkdir(STATE, { recursive: true });
  const owner = Number(await readFile(OWNER, 'utf8').catch(() => '0'));
  if (owner > 0 && alive(owner)) throw new Error(`${STATE} is in use by another hub, process ${owner}: stop it first`);
  await writeFile(OWNER, String(process.pid));
}

function nextSteps(): string {
  const relative = (place: string): string => path.relative(process.cwd(), place) || '.';
  return [
    '',
    `The hub is up. Its kubeconfig: ${KUBECONFIG}`,
    'Next, in another terminal:',
    '',
    `  export KUBECONFIG=${KUBECONFIG} PATH="${binaryFolder()}:$PATH"`,
    `  kubectl apply -f ${relative(path.join(root, 'examples', 'engine.yaml'))}`,
    '  kubectl get mce -w',
    '',
    'The operator and the components are processes of this checkout, whatever image their Deployments name, and the',
    'operator has the token of its first ServiceAccount. So upgrades and other installations show in Pods only.',
    'Ctrl-C ends it and removes it.',
    '',
  ].join('\n');
}

/** Resolves with the first Ctrl-C (or SIGTERM); a second one ends the process at once. */
function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const stop = (): void => {
      if (asked) process.exit(130);
      asked = true;
      resolve();
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}

async function operate(server: ControlPlane, ended: Promise<void>): Promise<void> {
  const components = runComponents(server, { report: say });
  let operator = await startOperator(server);
  try {
    await step('waiting for the operator to be ready', operator.ready({ deadlineMs: 60_000 }), ended);
    say(nextSteps());
    for (let exit = await endOf(operator, ended); exit !== undefined; exit = await endOf(operator, ended)) {
      say(`the operator ended with ${exit.code ?? exit.signal}, starting it again`);
      operator = await startOperator(server);
    }
    say('\nstopping ...');
  } finally {
    await components.stop();
    await operator.stop();
  }
}

/** How the operator ended, a moment later, as a kubelet would wait; undefined when it is the user who ends it. */
async function endOf(operator: Pod, ended: Promise<void>): Promise<Exit | undefined> {
  const exit = await Promise.race([ended, operator.exited]);
  if (exit === undefined) return undefined;
  await Promise.race([ended, delay(systemClock, RESTART_MS)]);
  return exit;
}

async function run(ended: Promise<void>): Promise<void> {
  await claimFolder();
  const parent = await mkdtemp(path.join(STATE, 'hub-'));
  let server: ControlPlane | undefined;
  try {
    server = await step('starting the control plane', startControlPlane({ size: 'hub', parent }), ended);
    await rm(KUBECONFIG, { force: true });
    await symlink(server.adminKubeconfig, KUBECONFIG);
    await step('adding two nodes', furnish(server), ended);
    await step('installing the CRDs and deploy/overlays/default', deploy(server), ended);
    await operate(server, ended);
  } finally {
    await server?.stop();
    await rm(KUBECONFIG, { force: true });
    await rm(parent, { recursive: true, force: true });
    await rm(OWNER, { force: true });
  }
}

try {
  await run(interrupted());
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
// A step that is under way when the signal comes is not waited for: its processes end with this one.
process.exit();
