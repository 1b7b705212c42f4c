import { field, isRecord, recordsIn, textField } from '../../../runtime/vocabulary/json.js';
import type { KubeObject, ObjectName, OwnerReference, RawObject } from '../../../runtime/vocabulary/meta.js';
import { AGENTS_NAMESPACE, CLUSTER_SET_LABEL, JOIN_FIELD_MANAGER } from '../../../api/names.js';
import { ManagedClusters } from '../../../api/resources.js';
import { apiVersionOf, Leases, Secrets, ServiceAccounts } from '../../../runtime/vocabulary/kinds.js';
import type { ReadClient, WriteClient } from '../../../runtime/client/client.js';
import type { IdentityClient } from '../../../runtime/client/identity.js';
import { isFailure, type ApiError } from '../../../runtime/errors.js';
import { meantInHub } from '../../../answers/meant.js';
import { NotFoundError, RefusedError } from '../../../answers/output.js';

/** Lets a cluster join: accepts it, and gives it an identity on the hub and a token to begin with. */

export interface JoinRequest {
  readonly name: string;
  /** The value of the set label; undefined: the label stays as it is. */
  readonly clusterSet: string | undefined;
  /** How long the token is valid with which the cluster joins. */
  readonly validSeconds: number;
  /** Ends the identity that the cluster has, and gives it another one. */
  readonly renew: boolean;
}

/** What the agent of a cluster needs to join. */
export interface Join {
  /** The uid of the ManagedCluster. */
  readonly clusterUid: string;
  /** The uid of the Secret that the token is bound to. */
  readonly secretUid: string;
  readonly token: string;
  /** When the token expires, RFC 3339. */
  readonly expires: string;
}

/** The hub, with the rights of the caller. */
export interface JoinHub {
  readonly client: Pick<ReadClient, 'get' | 'list'> & Pick<WriteClient, 'apply' | 'create'>;
  readonly identity: IdentityClient;
}

/**
 * The steps of joining that a person takes. It can be repeated: until the cluster has joined each call gives another token and
 * ends the one before.
 * @throws RefusedError when the cluster has joined already, or is being deleted; NotFoundError; ApiError.
 */
export async function prepareJoin(hub: JoinHub, request: JoinRequest): Promise<Join> {
  const { name, validSeconds, renew } = request;
  const lease = await hub.client.get<KubeObject>(Leases, { namespace: AGENTS_NAMESPACE, name });
  const found = await hub.client.get<RawObject>(ManagedClusters, { name });
  // The Lease is in the namespace, too.
  if (lease === undefined) await checkNamespace(hub, name);
  const cluster = renew ? await joined(hub, name, found) : await accept(hub, request, { cluster: found, lease });
  const { uid = '' } = cluster.metadata;
  const owner = { apiVersion: apiVersionOf(ManagedClusters), kind: ManagedClusters.kind, name, uid };
  // Objects of an earlier ManagedCluster occupy the names until they are garbage-collected.
  if (renew || lease !== undefined) await endIdentity(hub, name);
  await giveAccount(hub, name, owner);
  const secretUid = await giveSecret(hub, name, owner);
  const account = { namespace: AGENTS_NAMESPACE, name };
  const { token, expires } = await hub.identity.requestToken(account, {
    expirationSeconds: validSeconds,
    secret: { name, uid: secretUid },
  });
  return { clusterUid: uid, secretUid, token, expires };
}

/** The ManagedCluster whose agent is to have another identity. */
async function joined({ client }: JoinHub, name: string, cluster: RawObject | undefined): Promise<RawObject> {
  if (cluster === undefined) {
    const meant = await meantInHub(client, ManagedClusters, name);
    throw new NotFoundError(`ManagedCluster ${name} was not found: add it without --renew${meant}`);
  }
  checkNotDeleting(cluster);
  if (field(cluster.spec, 'hubAcceptsClient') !== true)
    throw new RefusedError(`the hub does not accept ${name}: set spec.hubAcceptsClient to true first`);
  return cluster;
}

/**
 * Whether the identity can be written, before the ManagedCluster is: without the namespace it would be left behind. Who lets
 * clusters join need not have the right to read the namespace.
 * @throws RefusedError; ApiError, Forbidden without the right to write it.
 */
async function checkNamespace({ client }: JoinHub, name: string): Promise<void> {
  const object = { metadata: { name, namespace: AGENTS_NAMESPACE } };
  try {
    await client.apply(ServiceAccounts, object, { fieldManager: JOIN_FIELD_MANAGER, force: false, dryRun: true });
  } catch (error) {
    if (!isFailure(error, 'NotFound')) throw error;
    throw new RefusedError(
      `namespace ${AGENTS_NAMESPACE} was not found: it is one of the manifests of the operator, so apply these to the hub first`,
      { cause: error },
    );
  }
}

/** What the hub has of a cluster. */
interface Known {
  readonly cluster: RawObject | undefined;
  readonly lease: KubeObject | undefined;
}

/** Creates the ManagedCluster, or accepts an existing one; writes nothing where nothing changes. */
async function accept(hub: JoinHub, { name, clusterSet }: JoinRequest, { cluster, lease }: Known): Promise<RawObject> {
  if (cluster !== undefined) {
    checkNotDeleting(cluster);
    checkNotJoined(cluster, lease);
    const set = cluster.metadata.labels?.[CLUSTER_SET_LABEL];
    const isSame = clusterSet === undefined || clusterSet === set;
    if (isSame && field(cluster.spec, 'hubAcceptsClient') === true) return cluster;
  }
  // An apply drops what it does not name: without the label that an earlier call has set, the cluster would leave its set.
  const set = clusterSet ?? (isLabelOurs(cluster) ? cluster?.metadata.labels?.[CLUSTER_SET_LABEL] : undefined);
  const object = {
    metadata: { name, ...(set === undefined ? {} : { labels: { [CLUSTER_SET_LABEL]: set } }) },
    spec: { hubAcceptsClient: true },
  };
  try {
    return await hub.client.apply<KubeObject>(ManagedClusters, object, {
      fieldManager: JOIN_FIELD_MANAGER,
      force: false,
    });
  } catch (error) {
    const line = isFailure(error, 'Conflict') && cluster !== undefined ? conflictLine(error, cluster, set) : undefined;
    throw line === undefined ? error : new RefusedError(line, { cause: error });
  }
}

function isLabelOurs(cluster: RawObject | undefined): boolean {
  return managersOf(cluster, SET_PATH).includes(JOIN_FIELD_MANAGER);
}

const SET_PATH = ['metadata', 'labels', CLUSTER_SET_LABEL];
const ACCEPTED_PATH = ['spec', 'hubAcceptsClient'];

/** The field managers that have written a field. */
function managersOf(cluster: RawObject | undefined, path: readonly string[]): readonly string[] {
  const keys = ['fieldsV1', ...path.map((key) => `f:${key}`)];
  return recordsIn(field(cluster?.metadata, 'managedFields'))
    .filter((one) => isRecord(keys.reduce<unknown>(field, one)))
    .map((one) => textField(one, 'manager'));
}

/** The fields that others have written, and what to do; undefined for a conflict about none of these. */
function conflictLine({ causes }: ApiError, cluster: RawObject, set: string | undefined): string | undefined {
  const { name } = cluster.metadata;
  const remedies = [
    {
      path: SET_PATH,
      remedy: `without --set it stays; kubectl label fmcl ${name} ${CLUSTER_SET_LABEL}=${set} --overwrite changes it, and kubectl mce plan --set mcl/${name}:${CLUSTER_SET_LABEL}=${set} shows which Placements lose the cluster`,
    },
    {
      path: ACCEPTED_PATH,
      remedy: `kubectl patch fmcl ${name} --type=merge -p '{"spec":{"hubAcceptsClient":true}}' accepts the cluster`,
    },
  ];
  const lines = remedies
    .filter(({ path }) => causes.some((cause) => cause.field === `.${path.join('.')}`))
    .map(({ path, remedy }) => {
      const value = JSON.stringify(path.reduce<unknown>(field, cluster));
      const others = managersOf(cluster, path).filter((one) => one !== JOIN_FIELD_MANAGER);
      return `${path.join('.')} of ${name} is ${value}, set by field manager ${others.join(', ')}: ${remedy}`;
    });
  return lines.length === 0 ? undefined : lines.join('; ');
}

function checkNotDeleting({ metadata: { name, deletionTimestamp } }: KubeObject): void {
  if (deletionTimestamp !== undefined) throw new RefusedError(`ManagedCluster ${name} is being deleted`);
}

/** A Lease of this ManagedCluster, and not of an earlier one of its name, means that an agent has joined. */
function checkNotJoined({ metadata: { name, uid }, spec }: RawObject, lease: KubeObject | undefined): void {
  if (lease === undefined || isOfAnother(lease, uid ?? '')) return;
  if (field(spec, 'hubAcceptsClient') !== true)
    throw new RefusedError(
      `${name} has joined already, and the hub does not accept it: set spec.hubAcceptsClient to true, which is enough for its agent; --renew, which ends all its tokens and prints another manifest, needs that first`,
    );
  throw new RefusedError(`${name} has joined already: --renew ends all its tokens and prints another manifest`);
}

/** Whether the owner is a ManagedCluster that does not exist any more: garbage collection will delete the object. */
function isOfAnother({ metadata }: KubeObject, uid: string): boolean {
  return (metadata.ownerReferences ?? []).some((one) => one.kind === ManagedClusters.kind && one.uid !== uid);
}

/** The ServiceAccount first: with it all tokens end. */
async function endIdentity(hub: JoinHub, name: string): Promise<void> {
  for (const type of [ServiceAccounts, Leases, Secrets])
    await hub.identity.deleteNamed(type, { namespace: AGENTS_NAMESPACE, name });
}

/**
 * The ServiceAccount of an earlier ManagedCluster of this name is not taken over: its tokens would be valid for this one.
 */
async function giveAccount(hub: JoinHub, name: string, owner: OwnerReference): Promise<void> {
  const object = {
    metadata: { name, namespace: AGENTS_NAMESPACE, ownerReferences: [owner] },
    automountServiceAccountToken: false,
  };
  const apply = (): Promise<KubeObject> =>
    hub.client.apply<KubeObject>(ServiceAccounts, object, { fieldManager: JOIN_FIELD_MANAGER, force: false });
  if (!isOfAnother(await apply(), owner.uid)) return;
  await endIdentity(hub, name);
  await apply();
}

/** A new Secret; with the one before it, the token of an earlier call ends. Returns its uid. */
async function giveSecret(hub: JoinHub, name: string, owner: OwnerReference): Promise<string> {
  const place: ObjectName = { namespace: AGENTS_NAMESPACE, name };
  const object = { metadata: { ...place, name, ownerReferences: [owner] }, type: 'Opaque' };
  const create = (): Promise<KubeObject> =>
    hub.client.create<KubeObject>(Secrets, object, { fieldManager: JOIN_FIELD_MANAGER });
  try {
    return (await create()).metadata.uid ?? '';
  } catch (error) {
    if (!isFailure(error, 'AlreadyExists')) throw error;
    await hub.identity.deleteNamed(Secrets, place);
    return (await create()).metadata.uid ?? '';
  }
}
