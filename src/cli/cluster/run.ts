import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { isatty } from 'node:tty';
import { bindClusterSet } from '../clusterset/run.js';
import { cordon, uncordon } from '../maintenance/maintenance.js';
import { drainCluster, type DrainConsole } from '../maintenance/drain.js';
import { prepareJoin } from './join.js';
import { listClusters } from './list.js';
import { removeCluster } from './remove.js';
import { ManagedClusters } from '../../api/resources.js';
import { checkOtherCluster, hubAddress } from './add.js';
import { absentSetNote } from '../meant.js';
import { linesText, manifestsText, RefusedError } from '../terminal/output.js';
import type { ClusterSetBindConfig } from '../clusterset/flags.js';
import type { CordonConfig } from '../maintenance/flags.js';
import type { DrainConfig } from '../drain/flags.js';
import type { ClusterAddConfig, ClusterConfig } from './flags.js';
import { packageRoot } from '../../runtime/process/build.js';
import { PROGRAM } from '../program.js';
import { agentManifest } from '../../domain/agent/manifest.js';
import type { RawObject } from '../../domain/fleet/world.js';

import { createIdentityClient } from '../../runtime/client/identity.js';
import type { Kubeconfig } from '../../runtime/kubeconfig/kubeconfig.js';
import { readKustomization } from '../../runtime/manifests/kustomization.js';
import { waitingClock } from '../../runtime/clock.js';
import { isFailure } from '../../runtime/errors.js';
import { answer, isColored, type Answer } from '../terminal/answer.js';
import { withHub, type Hub } from '../hub.js';
import { printAnswer } from '../terminal/print.js';
import { progressLine } from '../terminal/terminal.js';

type FleetConfig = ClusterConfig | ClusterSetBindConfig | CordonConfig | DrainConfig;

const STANDARD_INPUT = 0;

/** Runs a command about the clusters of the fleet; returns the exit code: 1, and one line on standard error, for any error. */
export function runFleetCommand(config: FleetConfig): Promise<number> {
  return answer(config.command, () => withHub(config, config.source, (hub) => runOn(config, hub)));
}

async function runOn(config: FleetConfig, hub: Hub): Promise<Answer> {
  try {
    return await run(config, hub);
  } catch (error) {
    if (!isFailure(error, 'ResourceMissing') || !error.call.resource.endsWith(`.${ManagedClusters.group}`)) throw error;
    throw new RefusedError(notInstalledLine(error.call.resource, config.source, hub.kubeconfig), { cause: error });
  }
}

/** The flags of the source are repeated: without them the command would check another server. */
function notInstalledLine(
  resource: string,
  { kubeconfig, context: named }: FleetConfig['source'],
  { server, context }: Hub['kubeconfig'],
): string {
  const flags = Object.entries({ kubeconfig, context: named }).flatMap(([name, value]) =>
    value === undefined ? [] : [` --${name} ${value}`],
  );
  const check = `${PROGRAM} check --pre${flags.join('')}`;
  return `multicluster-engine is not installed on ${server} (context ${context}), which does not serve ${resource}; before you install it there: ${check}`;
}

async function run(config: FleetConfig, hub: Hub): Promise<Answer> {
  const { client } = hub;
  switch (config.command) {
    case 'cluster add':
      return addCluster(config, hub);
    case 'cluster remove':
      return lines(await removeCluster(client, { name: config.cluster, force: config.force }));
    case 'cluster list': {
      const clusters = await client.list<RawObject>(ManagedClusters, undefined);
      return { text: listClusters(clusters, { output: config.output, colored: isColored(config) }), exitCode: 0 };
    }
    case 'clusterset bind':
      return lines(...(await bindClusterSet(client, { clusterSet: config.clusterSet, namespace: hub.namespace() })));
    case 'cordon':
      return lines(await cordon(client, config.cluster));
    case 'uncordon':
      return lines(await uncordon(client, config.cluster));
    case 'drain':
      return drain(config, hub);
  }
}

function lines(...text: readonly string[]): Answer {
  return { text: linesText(text), exitCode: 0 };
}

async function drain(config: DrainConfig, { client, announceWrites }: Hub): Promise<Answer> {
  const progress = progressLine();
  const console: DrainConsole = {
    print: (text) => {
      progress.clear();
      printAnswer(text);
    },
    progress: (text) => progress.show(text),
    confirm: (question) => (config.yes ? Promise.resolve(true) : ask(question)),
  };
  const { cluster: name, dryRun, timeoutMs } = config;
  if (!dryRun) announceWrites();
  try {
    return {
      text: '',
      exitCode: await drainCluster({ client, console, clock: waitingClock }, { name, dryRun, timeoutMs }),
    };
  } finally {
    progress.clear();
  }
}

/** Asks on the terminal. @throws RefusedError where there is none. */
async function ask(question: string): Promise<boolean> {
  if (!isatty(STANDARD_INPUT)) throw new RefusedError(`${question} Standard input is not a terminal: use --yes`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}

/** @throws RefusedError where the hub and the cluster to be joined are the same as far as the command line says. */
function checkNotTheHub({ cluster, source, apiEndpoint }: ClusterAddConfig, { server, context }: Kubeconfig): void {
  checkOtherCluster({ cluster, apiEndpoint, isContextNamed: source.context !== undefined }, { server, context });
}

/** The manifest goes to standard output alone, so that it can be piped into kubectl. */
async function addCluster(config: ClusterAddConfig, { client, transport, kubeconfig }: Hub): Promise<Answer> {
  const { cluster, clusterSet, validSeconds, renew, image, apiEndpoint } = config;
  checkNotTheHub(config, kubeconfig);
  const { server, tls } = await kubeconfig.load(false);
  const caller = { server, ca: tls.ca?.toString(), isVerified: tls.rejectUnauthorized };
  const { url, ca, warning } = hubAddress(config.hubUrl, caller);
  const request = { name: cluster, clusterSet, validSeconds, renew };
  const join = await prepareJoin({ client, identity: createIdentityClient(transport) }, request);
  const manifest = agentManifest(readKustomization(path.join(packageRoot(), 'deploy', 'agent', 'base')), {
    join: {
      cluster,
      clusterUid: join.clusterUid,
      hubUrl: url,
      hubCa: ca,
      joinToken: join.token,
      joinSecretUid: join.secretUid,
    },
    image,
    apiEndpoint,
  });
  const done = renew ? `all tokens of ${cluster} have ended` : `the hub accepts ${cluster}`;
  const notes = [
    `${done}; apply the manifest to that cluster until ${join.expires}: whoever has it can join as ${cluster}`,
  ];
  const absent = clusterSet === undefined ? undefined : await absentSetNote(client, clusterSet);
  const errors = [...notes, absent, warning].filter((line) => line !== undefined);
  return { text: manifestsText(manifest), exitCode: 0, errors };
}
