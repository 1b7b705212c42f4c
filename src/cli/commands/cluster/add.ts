import path from 'node:path';
import { agentManifest } from '../../../domain/agent/manifest.js';
import { createIdentityClient } from '../../../runtime/client/identity.js';
import { loadKubeconfig, type Kubeconfig } from '../../../runtime/kubeconfig/kubeconfig.js';
import { readKustomization } from '../../../runtime/manifests.js';
import { packageRoot } from '../../../runtime/process/build.js';
import type { ChangeConfig, Hub } from '../../hub.js';
import { absentSetNote } from '../../../answers/meant.js';
import type { Answer } from '../../terminal/answer.js';
import { manifestsText, RefusedError } from '../../../answers/output.js';
import { addToArgoCd, argoCdManifest, checkNamespaces, type ArgoCdAccess } from './argocd.js';
import { prepareJoin, type JoinRequest } from './join.js';

export interface ClusterAddConfig extends ChangeConfig, Omit<JoinRequest, 'name'> {
  readonly command: 'cluster add';
  readonly cluster: string;
  /** The hub's address for the agent; undefined: that of the kubeconfig. */
  readonly hubUrl: string | undefined;
  /** Of the agent. */
  readonly image: string;
  /** The cluster's own address that its agent reports; undefined: the agent finds it. */
  readonly apiEndpoint: string | undefined;
  /** Undefined: Argo CD gets no access to the cluster. */
  readonly argoCd: ArgoCdAccess | undefined;
}

/** Lets a cluster join. The manifest goes to standard output alone, so that it can be piped into kubectl. */
export async function addCluster(config: ClusterAddConfig, { client, transport, kubeconfig }: Hub): Promise<Answer> {
  const { cluster, clusterSet, validSeconds, renew, image, apiEndpoint } = config;
  checkOtherCluster({ cluster, apiEndpoint, isContextNamed: config.source.context !== undefined }, kubeconfig);
  const { url, ca, warning } = addressFor(HUB, config.hubUrl, await addressIn(kubeconfig));
  const access = config.argoCd && (await clusterAddress(config, config.argoCd, kubeconfig));
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
    argoCdNamespace: config.argoCd?.argoCdNamespace,
  });
  if (config.argoCd !== undefined && access !== undefined)
    await addToArgoCd(client, config.argoCd, {
      cluster,
      clusterUid: join.clusterUid,
      server: access.url,
      ca: access.ca,
    });
  const accepted = renew ? `all tokens of ${cluster} have ended` : `the hub accepts ${cluster}`;
  const notes = [
    `${accepted}; apply the manifest to that cluster until ${join.expires}: whoever has it can join as ${cluster}`,
  ];
  const absent = clusterSet === undefined ? undefined : await absentSetNote(client, clusterSet);
  const errors = [...notes, absent, warning, access?.warning].filter((line) => line !== undefined);
  const objects = config.argoCd === undefined ? manifest : [...manifest, ...argoCdManifest(config.argoCd)];
  return { text: manifestsText(objects), exitCode: 0, errors };
}

/** Where Argo CD finds the cluster. @throws RefusedError; KubeconfigError without such a context. */
async function clusterAddress({ source, apiEndpoint }: ClusterAddConfig, access: ArgoCdAccess, hub: Kubeconfig) {
  checkNamespaces(access);
  const file = source.kubeconfig === undefined ? {} : { path: source.kubeconfig };
  const found = loadKubeconfig({ ...file, context: access.context });
  if (found.server === hub.server)
    throw new RefusedError(`context ${access.context} is the hub: name that of the cluster with --cluster-context`);
  return addressFor({ name: 'cluster', flag: '--api-endpoint' }, apiEndpoint, await addressIn(found));
}

/** How the kubeconfig of the caller reaches a server. */
interface CallerAddress {
  readonly server: string;
  /** PEM; undefined: the certificates of the system. */
  readonly ca: string | undefined;
  /** Whether the caller verifies the certificate. */
  readonly isVerified: boolean;
}

async function addressIn(kubeconfig: Kubeconfig): Promise<CallerAddress> {
  const { server, tls } = await kubeconfig.load(false);
  return { server, ca: tls.ca?.toString(), isVerified: tls.rejectUnauthorized };
}

/** The hub, of which the agent needs an address, or the cluster, of which Argo CD needs one; and the flag that names another. */
interface Addressed {
  readonly name: 'hub' | 'cluster';
  readonly flag: string;
}
export const HUB: Addressed = { name: 'hub', flag: '--hub-url' };

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * The address for another program: `url`, a valid URL, else that of the caller; `warning`: why that may not reach it.
 * @throws RefusedError for an address without TLS, or when the caller does not verify the certificate: the other program,
 * which gets the caller's certificate authority, could not verify it either
 */
export function addressFor({ name, flag }: Addressed, url: string | undefined, caller: CallerAddress) {
  const { server, ca, isVerified } = caller;
  const address = url ?? server;
  const { protocol, hostname } = new URL(address);
  if (protocol !== 'https:')
    throw new RefusedError(`the address ${address} of the ${name} is not https: name another one with ${flag}`);
  if (!isVerified)
    throw new RefusedError(
      `the kubeconfig does not verify the certificate of the ${name} (insecure-skip-tls-verify): others could not either`,
    );
  const isLocal = url === undefined && LOOPBACK.test(hostname);
  const warning = isLocal
    ? `${address} can be reached only from this machine: name another address of the ${name} with ${flag}`
    : undefined;
  return { url: address, ca, warning };
}

interface JoiningCluster extends Pick<ClusterAddConfig, 'cluster' | 'apiEndpoint'> {
  /** Whether the hub's context is named on the command line. */
  readonly isContextNamed: boolean;
}

/**
 * Contexts are usually called like their clusters: a hub whose current context has the name of the cluster that is to join is
 * most likely that cluster. @throws RefusedError then, and where both have the same address
 */
export function checkOtherCluster(
  { cluster, apiEndpoint, isContextNamed }: JoiningCluster,
  { server, context }: Pick<Kubeconfig, 'server' | 'context'>,
): void {
  if (apiEndpoint !== undefined && new URL(apiEndpoint).host === new URL(server).host)
    throw new RefusedError(`--api-endpoint ${apiEndpoint} is the address of the hub: ${cluster} would join itself`);
  if (context === cluster && !isContextNamed)
    throw new RefusedError(
      `the current context is ${context}, which has the name of the cluster: name the context of the hub with --context`,
    );
}
