import { field, textField } from '../runtime/vocabulary/json.js';
import { AGENT_FIELD_MANAGER, AGENTS_NAMESPACE } from '../api/names.js';
import { ManagedClusters } from '../api/resources.js';
import { apiVersionOf, Leases, Secrets } from '../runtime/vocabulary/kinds.js';
import { argoCdSecret, configWithToken } from '../domain/agent/argocd.js';
import type { JoinData } from '../domain/agent/hubtoken.js';
import { removalOf } from '../runtime/client/object.js';
import { collectionPath, objectPath, resourceOf } from '../runtime/client/path.js';
import { requestToken } from '../runtime/client/identity.js';
import type { Environment } from '../runtime/flags/flags.js';
import { processEnvironment, routeFromEnvironment } from '../runtime/kubeconfig/environment.js';
import { microTime } from '../runtime/leaderelection/leaserecord.js';
import type { Call } from '../runtime/transport/call.js';
import { createTransport, type Transport, type TransportOptions } from '../runtime/transport/transport.js';
import type { Clock } from '../runtime/clock.js';
import { isFailure } from '../runtime/errors.js';
import type { ObjectName, ResourceType } from '../runtime/vocabulary/meta.js';
import { DEFAULT_LEASE_SECONDS } from './schedule.js';
import { withoutEmpty, withStoredTimes, type ClusterReport } from '../domain/agent/report/report.js';

/** A token of the agent's ServiceAccount on the hub. */
export interface TokenGrant {
  readonly token: string;
  /** The lifetime that the hub has granted; it may be shorter than the one requested. */
  readonly lifetimeSeconds: number;
}

/** A Lease as its agent writes it. */
interface HeldLease {
  /** The identity of the cluster. */
  readonly holder: string;
  readonly seconds: number;
}

/**
 * The requests that an agent sends to a hub. There is no GET but in `handOver`: the responses to writes have all that it needs.
 * Each request has 10 s, and one attempt; if the hub rejects the token, another one with the token read anew. All throw ApiError.
 */
export interface Hub {
  requestToken(lifetimeSeconds: number, signal: AbortSignal): Promise<TokenGrant>;
  /**
   * Creates the Lease of the cluster. Throws AlreadyExists if there is one, which {@link takeLease} takes. `seconds`, here and below:
   * the `leaseDurationSeconds` to write; the hub uses the longer one of this and of the spec of the cluster.
   */
  createLease(lease: HeldLease, signal: AbortSignal): Promise<void>;
  /**
   * Renews an existing Lease as `holder`. The hub refuses another holder than that of the Lease. Returns its
   * `leaseDurationSeconds`: what the agent's last process has written.
   */
  takeLease(holder: string, signal: AbortSignal): Promise<number>;
  /** Renews the Lease as its holder: the hub refuses that, too, where another cluster has taken it meanwhile. */
  renewLease(lease: HeldLease, signal: AbortSignal): Promise<void>;
  /**
   * Applies the whole report to the status of the ManagedCluster, with the stored times of conditions whose status stays. Returns
   * `spec.leaseDurationSeconds`. One request; one more where the stored status is not known, and two where fields have to go.
   */
  applyStatus(report: ClusterReport, signal: AbortSignal): Promise<number>;
  /** Deletes the join Secret, so that the join token becomes invalid, also while a finalizer keeps the Secret. */
  deleteJoinSecret(signal: AbortSignal): Promise<void>;
  /**
   * Replaces the token of Argo CD for the cluster in its Secret in this namespace. Throws an Error where the Secret is not as
   * `cluster add` writes it.
   */
  handOver(token: string, namespace: string, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** What a connection to a hub needs of the process. */
interface HubTools extends Pick<TransportOptions, 'clock' | 'random' | 'log' | 'metrics' | 'userAgent'> {
  /** The environment with the variables of proxies; default: that of this process. */
  readonly env?: Environment;
}

/** The longest time that a request may take. */
const DEADLINE_MS = 10_000;

/**
 * A hub over HTTPS, through the proxy that HTTPS_PROXY and NO_PROXY name for it. `token` is called before a request if it has not
 * been called for 30 s, and after the hub has rejected the token.
 */
export function connectHub(join: JoinData, token: () => string, { env, ...tools }: HubTools): Hub {
  const route = routeFromEnvironment(join.hubUrl, 'the hub of the manifest', env ?? processEnvironment());
  const load = async () => ({
    server: join.hubUrl,
    ...route,
    headers: { Authorization: `Bearer ${token()}` },
    tls: { ...(join.hubCa === undefined ? {} : { ca: join.hubCa }), rejectUnauthorized: true },
  });
  const transport = createTransport({ load }, { ...tools, connections: 2, deadlineMs: DEADLINE_MS });
  return new TransportHub(transport, join, tools.clock);
}

type Identity = Pick<JoinData, 'cluster' | 'clusterUid' | 'joinSecretUid'>;

type HubRequest = Pick<Call, 'method' | 'query' | 'contentType'> & {
  readonly verb: string;
  readonly type: ResourceType;
  readonly subresource?: 'status';
  readonly body?: object;
  /** Default: the object of the cluster's name in the namespace of the agents. */
  readonly name?: ObjectName;
};

const PATCH = { method: 'PATCH', verb: 'patch' } as const;
const MERGE_PATCH = 'application/merge-patch+json';
const APPLY_PATCH = 'application/apply-patch+yaml';

/** A hub over a transport whose user is the agent's ServiceAccount. */
export class TransportHub implements Hub {
  readonly #transport: Transport;
  readonly #identity: Identity;
  readonly #clock: Clock;
  /** The name of the ServiceAccount, of the Lease and of the join Secret. */
  readonly #name: { readonly name: string; readonly namespace: string };
  /** The ManagedCluster in the last answer to a report; undefined where a report may have been stored since. */
  #stored: unknown;

  constructor(transport: Transport, identity: Identity, clock: Clock) {
    this.#transport = transport;
    this.#identity = identity;
    this.#clock = clock;
    this.#name = { name: identity.cluster, namespace: AGENTS_NAMESPACE };
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  async requestToken(lifetimeSeconds: number, signal: AbortSignal): Promise<TokenGrant> {
    const call = { attempts: 1, deadlineMs: DEADLINE_MS, signal };
    const options = { expirationSeconds: lifetimeSeconds };
    const { token, expirationSeconds } = await requestToken(this.#transport, this.#name, options, call);
    return { token, lifetimeSeconds: expirationSeconds };
  }

  async createLease({ holder, seconds }: HeldLease, signal: AbortSignal): Promise<void> {
    const time = microTime(this.#clock.now());
    const { cluster, clusterUid } = this.#identity;
    const owner = {
      apiVersion: apiVersionOf(ManagedClusters),
      kind: ManagedClusters.kind,
      name: cluster,
      uid: clusterUid,
    };
    const body = {
      apiVersion: apiVersionOf(Leases),
      kind: Leases.kind,
      metadata: { ...this.#name, ownerReferences: [owner] },
      spec: { holderIdentity: holder, leaseDurationSeconds: seconds, acquireTime: time, renewTime: time },
    };
    await this.#send({ method: 'POST', verb: 'create', type: Leases, body }, signal);
  }

  async takeLease(holder: string, signal: AbortSignal): Promise<number> {
    return durationIn(await this.#patchLease({ holderIdentity: holder }, signal));
  }

  async renewLease({ holder, seconds }: HeldLease, signal: AbortSignal): Promise<void> {
    await this.#patchLease({ holderIdentity: holder, leaseDurationSeconds: seconds }, signal);
  }

  async applyStatus(report: ClusterReport, signal: AbortSignal): Promise<number> {
    const { cluster, clusterUid } = this.#identity;
    const metadata = { name: cluster, uid: clusterUid };
    const patch = { ...PATCH, type: ManagedClusters, subresource: 'status' } as const;
    const merge = (body: object): Promise<unknown> =>
      this.#send({ ...patch, contentType: MERGE_PATCH, body: { ...body, metadata } }, signal);
    // A patch without fields writes nothing, and its answer is the object.
    const stored = this.#stored ?? (await merge({}));
    this.#stored = undefined;
    const applied = {
      apiVersion: apiVersionOf(ManagedClusters),
      kind: ManagedClusters.kind,
      metadata,
      status: withoutEmpty(withStoredTimes(report, field(stored, 'status'))),
    };
    // By force: people may have written claims of a cluster by hand before it had an agent.
    const query = { fieldManager: AGENT_FIELD_MANAGER, force: 'true' };
    const apply = (): Promise<unknown> =>
      this.#send({ ...patch, contentType: APPLY_PATCH, query, body: applied }, signal);
    try {
      this.#stored = await apply();
    } catch (error) {
      const removal = removalOf(error, applied);
      if (removal === undefined) throw error;
      // The apply was refused because it would empty fields that apply cannot empty: a merge patch removes them first.
      await merge(removal);
      this.#stored = await apply();
    }
    return durationIn(this.#stored);
  }

  async deleteJoinSecret(signal: AbortSignal): Promise<void> {
    const preconditions = { uid: this.#identity.joinSecretUid };
    const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions };
    try {
      await this.#send({ method: 'DELETE', verb: 'delete', type: Secrets, body }, signal);
    } catch (error) {
      // It is gone, or another Secret has its name.
      if (!isFailure(error, 'NotFound', 'Conflict')) throw error;
    }
  }

  async handOver(token: string, namespace: string, signal: AbortSignal): Promise<void> {
    const name = { namespace, name: argoCdSecret(this.#identity.cluster) };
    const stored = await this.#send({ method: 'GET', verb: 'get', type: Secrets, name }, signal);
    const config = Buffer.from(textField(field(stored, 'data'), 'config'), 'base64').toString();
    const data = { config: Buffer.from(configWithToken(config, token)).toString('base64') };
    await this.#send({ ...PATCH, contentType: MERGE_PATCH, type: Secrets, name, body: { data } }, signal);
  }

  #patchLease(fields: object, signal: AbortSignal): Promise<unknown> {
    const spec = { ...fields, renewTime: microTime(this.#clock.now()) };
    return this.#send({ ...PATCH, type: Leases, contentType: MERGE_PATCH, body: { spec } }, signal);
  }

  /** Sends a request once: the agent's own back-off decides when it is sent again. */
  async #send({ verb, type, subresource, body, name: other, ...request }: HubRequest, signal: AbortSignal) {
    const name = other ?? (type.namespaced ? this.#name : { name: this.#identity.cluster });
    const response = await this.#transport.call({
      ...request,
      path: request.method === 'POST' ? collectionPath(type, name.namespace) : objectPath(type, name, subresource),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      target: { verb, resource: resourceOf(type, subresource), ...name },
      // A repeated create is refused, and a deletion names the uid. With one attempt nothing is repeated anyway.
      idempotent: true,
      attempts: 1,
      deadlineMs: DEADLINE_MS,
      signal,
    });
    return response.body;
  }
}

/** `spec.leaseDurationSeconds` of a Lease or a ManagedCluster. */
function durationIn(object: unknown): number {
  const seconds = field(field(object, 'spec'), 'leaseDurationSeconds');
  return typeof seconds === 'number' ? seconds : DEFAULT_LEASE_SECONDS;
}
