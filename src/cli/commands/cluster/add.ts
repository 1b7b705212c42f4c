import path from 'node:path';
import { agentManifest } from '../../../domain/agent/manifest.js';
import { createIdentityClient } from '../../../runtime/client/identity.js';
import type { Kubeconfig } from '../../../runtime/kubeconfig/kubeconfig.js';
import { readKustomization } from '../../../runtime/manifests.js';
import { packageRoot } from '../../../runtime/process/build.js';
import type { ChangeConfig, Hub } from '../../hub.js';
import { absentSetNote } from '../../../answers/meant.js';
import type { Answer } from '../../terminal/answer.js';
import { manifestsText, RefusedError } from '../../../answers/output.js';
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
}

/** Lets a cluster join. The manifest goes to standard output alone, so that it can be piped into kubectl. */
export async function addCluster(config: ClusterAddConfig, { client, transport, kubeconfig }: Hub): Promise<Answer> {
  const { cluster, clusterSet, validSeconds, renew, image, apiEndpoint } = config;
  checkOtherCluster({ cluster, apiEndpoint, isContextNamed: config.source.context !== undefined }, kubeconfig);
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
  const accepted = renew ? `all tokens of ${cluster} have ended` : `the hub accepts ${cluster}`;
  const notes = [
    `${accepted}; apply the manifest to that cluster until ${join.expires}: whoever has it can join as ${cluster}`,
  ];
  const absent = clusterSet === undefined ? undefined : await absentSetNote(client, clusterSet);
  const errors = [...notes, absent, warning].filter((line) => line !== undefined);
  return { text: manifestsText(manifest), exitCode: 0, errors };
}

/** How the kubeconfig of the caller reaches the hub. */
interface CallerAddress {
  readonly server: string;
  /** PEM; undefined: the certificates of the system. */
  readonly ca: string | undefined;
  /** Whether the caller verifies the hub's certificate. */
  readonly isVerified: boolean;
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * The address for an agent: `url`, a valid URL, else that of the caller; `warning`: why the agent may not reach it.
 * @throws RefusedError for an address without TLS, or when the caller does not verify the hub's certificate: the agent,
 * which gets the caller's certificate authority, could not verify it either
 */
export function hubAddress(url: string | undefined, { server, ca, isVerified }: CallerAddress) {
  const address = url ?? server;
  const { protocol, hostname } = new URL(address);
  if (protocol !== 'https:')
    throw new RefusedError(`the hub's address ${address} is not https: name another one with --hub-url`);
  if (!isVerified)
    throw new RefusedError(
      'the kubeconfig does not verify the certificate of the hub (insecure-skip-tls-verify): the agent could not either',
    );
  const isLocal = url === undefined && LOOPBACK.test(hostname);
  const warning = isLocal
    ? `${address} can be reached only from this machine: name another address with --hub-url`
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
