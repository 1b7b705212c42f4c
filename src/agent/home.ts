import type { KubeObject } from '../runtime/vocabulary/meta.js';
import { AGENT_FIELD_MANAGER, AGENT_TOKEN_SECRET } from '../api/names.js';
import { ConfigMaps, Namespaces, Nodes, Secrets } from '../runtime/vocabulary/kinds.js';
import { ownTokenData, readHubToken, type HubToken, type JoinData } from '../domain/agent/hubtoken.js';
import { ARGO_CD_ACCOUNT } from '../domain/agent/argocd.js';
import { requestToken } from '../runtime/client/identity.js';
import type { TokenGrant } from './hub.js';
import { malformed } from '../runtime/transport/apierror.js';
import { probeReadiness } from '../runtime/client/readyz.js';
import { serverVersion } from '../runtime/client/serverversion.js';
import type { Cache, CacheTools } from '../runtime/cache/cache.js';
import { createCache } from '../runtime/cache/reflector.js';
import { pagesOf } from '../runtime/client/list.js';
import { createClient } from '../runtime/client/rest.js';
import type { KubeClient } from '../runtime/client/client.js';
import type { Transport } from '../runtime/transport/transport.js';
import { isFailure } from '../runtime/errors.js';
import { CLAIMS_LABEL, type ClaimConfigMap } from '../domain/agent/report/claims.js';
import type { ClientConfig } from '../domain/agent/report/report.js';
import { nodeFacts, type NodeFacts } from '../domain/agent/report/nodes.js';
import { field, textField } from '../runtime/vocabulary/json.js';
import { httpsUrl } from '../runtime/vocabulary/url.js';
import { parseKubeconfig, type ClusterEntry } from '../runtime/kubeconfig/document.js';
import { KubeconfigError } from '../runtime/transport/credentials.js';

/** The Secret `hub-token` as it is stored. */
export interface StoredSecret {
  readonly uid: string;
  readonly content: HubToken;
}

/** The cluster that an agent reports on. All requests throw an ApiError. */
export interface Home {
  /** The uid of the namespace kube-system. */
  clusterId(signal: AbortSignal): Promise<string>;
  readSecret(signal: AbortSignal): Promise<StoredSecret>;
  /** Stores the agent's token in the Secret with this uid. */
  storeToken(secretUid: string, token: string, join: JoinData, signal: AbortSignal): Promise<void>;
  /** `gitVersion` of /version. */
  version(signal: AbortSignal): Promise<string>;
  nodes(signal: AbortSignal): Promise<readonly NodeFacts[]>;
  /** How clients reach its API server; undefined when it does not say. */
  clientConfig(signal: AbortSignal): Promise<ClientConfig | undefined>;
  /** A token of the ServiceAccount that Argo CD acts as, for an hour. */
  argoCdToken(signal: AbortSignal): Promise<TokenGrant>;
  /** Throws when /readyz does not succeed within 5 s. */
  probe(signal: AbortSignal): Promise<void>;
  readonly claims: ClaimMaps;
}

/** What is read of the cache of the ConfigMaps with custom claims. */
export interface ClaimMaps extends Pick<
  Cache<ClaimConfigMap>,
  'start' | 'stop' | 'whenSynced' | 'current' | 'failure'
> {
  readonly store: Pick<Cache<ClaimConfigMap>['store'], 'values'>;
  onChange(handler: () => void): void;
}

interface HomeOptions {
  /** With the rights of the agent's ServiceAccount. */
  readonly transport: Transport;
  /** The namespace of the agent, with its Secret and the ConfigMaps that have claims. */
  readonly namespace: string;
  /** Published as the URL of the API server, instead of that of kube-public/cluster-info. */
  readonly apiEndpoint: string | undefined;
  readonly tools: CacheTools;
}

/** Argo CD has its tokens for this long; it lists all objects of the cluster when it gets another one. */
const ARGO_CD_SECONDS = 3_600;
const CLUSTER_INFO = { namespace: 'kube-public', name: 'cluster-info' };

/** A cluster over its API. */
export class ApiHome implements Home {
  readonly claims: ClaimMaps;
  readonly #transport: Transport;
  readonly #client: KubeClient;
  readonly #options: HomeOptions;

  constructor(options: HomeOptions) {
    const { transport, namespace, tools } = options;
    this.#options = options;
    this.#transport = transport;
    this.#client = createClient(transport);
    const claims = { type: ConfigMaps, namespace, labelSelector: `${CLAIMS_LABEL}=true` };
    this.claims = createCache<ClaimConfigMap>(transport, claims, tools);
  }

  async clusterId(signal: AbortSignal): Promise<string> {
    const found = await this.#client.get(Namespaces, { name: 'kube-system' }, { metadataOnly: true, signal });
    const uid = found?.metadata.uid ?? '';
    if (uid === '') throw malformed({ verb: 'get', resource: 'namespaces', name: 'kube-system' }, 'it has no uid');
    return uid;
  }

  async readSecret(signal: AbortSignal): Promise<StoredSecret> {
    const found = await this.#client.get(Secrets, this.#secretName(), { signal });
    if (found === undefined) return { uid: '', content: { kind: 'unusable', problem: 'it does not exist' } };
    return { uid: found.metadata.uid ?? '', content: readHubToken(found) };
  }

  async storeToken(secretUid: string, token: string, join: JoinData, signal: AbortSignal): Promise<void> {
    const secret = { metadata: { ...this.#secretName(), uid: secretUid }, data: ownTokenData(token, join) };
    const options = { fieldManager: AGENT_FIELD_MANAGER, force: true, metadataOnly: true, signal };
    await this.#client.apply<KubeObject>(Secrets, secret, options);
  }

  version(signal: AbortSignal): Promise<string> {
    return serverVersion(this.#transport, signal);
  }

  /** Keeps a few fields of each Node only: a page of 500 is a few megabytes. */
  async nodes(signal: AbortSignal): Promise<readonly NodeFacts[]> {
    const nodes: NodeFacts[] = [];
    for await (const page of pagesOf(this.#transport, { type: Nodes }, { signal }))
      nodes.push(...page.items.map(nodeFacts));
    return nodes;
  }

  async clientConfig(signal: AbortSignal): Promise<ClientConfig | undefined> {
    const { apiEndpoint } = this.#options;
    if (apiEndpoint !== undefined) return { url: apiEndpoint };
    try {
      return clusterInfoConfig(await this.#client.get(ConfigMaps, CLUSTER_INFO, { signal }));
    } catch (error) {
      // Many clusters have no such ConfigMap, and some no such namespace to grant it in.
      if (isFailure(error, 'Forbidden')) return undefined;
      throw error;
    }
  }

  async argoCdToken(signal: AbortSignal): Promise<TokenGrant> {
    const options = { expirationSeconds: ARGO_CD_SECONDS };
    const granted = await requestToken(this.#transport, ARGO_CD_ACCOUNT, options, { signal });
    return { token: granted.token, lifetimeSeconds: granted.expirationSeconds };
  }

  probe(signal: AbortSignal): Promise<void> {
    return probeReadiness(this.#transport, signal);
  }

  #secretName(): { readonly namespace: string; readonly name: string } {
    return { namespace: this.#options.namespace, name: AGENT_TOKEN_SECRET };
  }
}

/**
 * URL and certificates of the cluster's API server as kubeadm publishes them: the kubeconfig in ConfigMap
 * kube-public/cluster-info. Undefined when it has none.
 */
export function clusterInfoConfig(configMap: unknown): ClientConfig | undefined {
  const cluster = firstCluster(textField(field(configMap, 'data'), 'kubeconfig'));
  const url = cluster?.server ?? '';
  if (httpsUrl(url) === undefined) return undefined;
  const caBundle = cluster?.caData ?? '';
  return caBundle === '' ? { url } : { url, caBundle };
}

/** The first cluster of a kubeconfig; undefined for another text. */
function firstCluster(text: string): ClusterEntry | undefined {
  try {
    const [first] = parseKubeconfig(Buffer.from(text), '').clusters.values();
    return first;
  } catch (error) {
    if (!(error instanceof KubeconfigError)) throw error;
    return undefined;
  }
}
