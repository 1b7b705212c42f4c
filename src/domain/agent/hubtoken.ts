import { field, isRecord, textField } from '../../runtime/vocabulary/json.js';
import { authoritiesProblem } from '../../runtime/vocabulary/keypair.js';
import { httpsUrl, HTTPS_URL_RULE } from '../../runtime/vocabulary/url.js';

/** What an agent has to know to join a hub: the content of its manifest's Secret. */
export interface JoinData {
  /** Name of the ManagedCluster, and of the agent's ServiceAccount, Lease and join Secret on the hub. */
  readonly cluster: string;
  /** The uid of the ManagedCluster: a cluster that is created again with the same name is another identity. */
  readonly clusterUid: string;
  /** URL of the hub's API server: `https://host:port`, with a path where the API is served under one. */
  readonly hubUrl: string;
  /** PEM certificates that verify the hub; absent: those of the system. */
  readonly hubCa?: string | undefined;
  /** Token of the ServiceAccount that is bound to the join Secret. */
  readonly joinToken: string;
  /** The uid of the join Secret: each manifest has its own. */
  readonly joinSecretUid: string;
}

/** The keys of the Secret `hub-token` that come from the manifest. */
export const JOIN_KEYS = {
  cluster: 'cluster',
  clusterUid: 'cluster-uid',
  hubUrl: 'hub',
  hubCa: 'ca.crt',
  joinToken: 'join-token',
  joinSecretUid: 'join-secret-uid',
} as const satisfies Record<keyof JoinData, string>;
/** The keys that the agent writes: its token, and the join Secret of the manifest that it came from. */
const KEYS = { ...JOIN_KEYS, token: 'token', tokenOrigin: 'token-join-secret-uid' } as const;

const REQUIRED = ['cluster', 'clusterUid', 'hubUrl', 'joinToken', 'joinSecretUid'] as const;

/** The content of a Secret `hub-token`. */
export type HubToken =
  | {
      readonly kind: 'complete';
      readonly join: JoinData;
      /** The agent's own token; undefined when it has none, or one of an earlier manifest. */
      readonly token: string | undefined;
    }
  | { readonly kind: 'unusable'; readonly problem: string };

/** The `data` of the manifest's Secret, base64. */
export function joinSecretData(join: JoinData): Record<string, string> {
  const { hubCa } = join;
  return {
    ...Object.fromEntries(REQUIRED.map((name) => [KEYS[name], encoded(join[name])])),
    ...(hubCa === undefined ? {} : { [KEYS.hubCa]: encoded(hubCa) }),
  };
}

/** The `data` that the agent adds: its own token, and which manifest it came from. */
export function ownTokenData(token: string, join: JoinData): Record<string, string> {
  return { [KEYS.token]: encoded(token), [KEYS.tokenOrigin]: encoded(join.joinSecretUid) };
}

/** Reads the `data` of a Secret `hub-token`. `problem` never contains values of the Secret. */
export function readHubToken(secret: unknown): HubToken {
  const data = field(secret, 'data');
  const value = (name: keyof typeof KEYS): string =>
    Buffer.from(textField(data, KEYS[name]), 'base64').toString().trim();
  const missing = REQUIRED.filter((name) => value(name) === '').map((name) => KEYS[name]);
  if (missing.length > 0) return unusable(`it has no ${missing.join(', ')}`);
  const hubUrl = value('hubUrl').replace(/\/+$/, '');
  if (httpsUrl(hubUrl) === undefined) return unusable(`${KEYS.hubUrl} must be ${HTTPS_URL_RULE}`);
  const hubCa = isRecord(data) && KEYS.hubCa in data ? value('hubCa') : undefined;
  const problem = hubCa === undefined ? undefined : authoritiesProblem(hubCa, KEYS.hubCa);
  if (problem !== undefined) return unusable(problem);
  const join: JoinData = {
    cluster: value('cluster'),
    clusterUid: value('clusterUid'),
    hubUrl,
    hubCa,
    joinToken: value('joinToken'),
    joinSecretUid: value('joinSecretUid'),
  };
  const isOwn = value('tokenOrigin') === join.joinSecretUid && value('token') !== '';
  return { kind: 'complete', join, token: isOwn ? value('token') : undefined };
}

function unusable(problem: string): HubToken {
  return { kind: 'unusable', problem };
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}
