import type { ObjectName, ResourceType } from '../vocabulary/meta.js';
import { isFailure, type FailedCall } from '../errors.js';
import { malformed } from '../transport/apierror.js';
import type { Transport } from '../transport/transport.js';
import { objectPath, resourceOf } from './path.js';
import { field, textField } from '../vocabulary/json.js';
import { ServiceAccounts } from '../vocabulary/kinds.js';
import type { Call } from '../transport/call.js';

export interface IssuedToken {
  readonly token: string;
  /** RFC 3339. */
  readonly expires: string;
}

/** The calls that make and end an identity, besides those of a KubeClient. They throw ApiError. */
export interface IdentityClient {
  /** A token of a ServiceAccount, for the API server. */
  requestToken(account: ObjectName, options: TokenOptions): Promise<IssuedToken>;
  /** Deletes the object that has the name now, whatever its uid; false where there is none. */
  deleteNamed(type: ResourceType, name: ObjectName): Promise<boolean>;
}

export function createIdentityClient(transport: Transport): IdentityClient {
  return {
    requestToken: (account, options) => issueToken(transport, account, options),
    deleteNamed: (type, name) => deleteNamed(transport, type, name),
  };
}

async function issueToken(transport: Transport, account: ObjectName, options: TokenOptions): Promise<IssuedToken> {
  const { token, expirationTimestamp: expires } = await requestToken(transport, account, options);
  if (expires === '') throw malformed(tokenTarget(account), 'a TokenRequest without an expiry time');
  return { token, expires };
}

async function deleteNamed(transport: Transport, type: ResourceType, name: ObjectName): Promise<boolean> {
  try {
    const target = { verb: 'delete', resource: resourceOf(type), ...name };
    await transport.call({ method: 'DELETE', path: objectPath(type, name), target, idempotent: true });
    return true;
  } catch (error) {
    if (isFailure(error, 'NotFound')) return false;
    throw error;
  }
}

/** The Secret that a token is bound to: the token becomes invalid when it is deleted. */
interface BoundSecret {
  readonly name: string;
  readonly uid: string;
}

interface TokenOptions {
  /** At least 600. The API server may shorten it. */
  readonly expirationSeconds: number;
  readonly secret?: BoundSecret;
}

/** The fields of the response; the times are those that the API server has decided on. */
export interface TokenResponse {
  readonly token: string;
  /** RFC 3339; empty where the response has none. */
  readonly expirationTimestamp: string;
  /** The lifetime; undefined where the response has none. */
  readonly expirationSeconds: number | undefined;
}

/** How the request is sent, where the defaults of the transport do not fit. */
type TokenCall = Pick<Call, 'attempts' | 'deadlineMs' | 'signal'>;

/**
 * Requests a token of a ServiceAccount, for the API server.
 * @throws ApiError NotFound while there is no such ServiceAccount; Malformed for a response without a token
 */
export async function requestToken(
  transport: Transport,
  account: ObjectName,
  { expirationSeconds, secret }: TokenOptions,
  call: TokenCall = {},
): Promise<TokenResponse> {
  const boundObjectRef =
    secret === undefined ? {} : { boundObjectRef: { apiVersion: 'v1', kind: 'Secret', ...secret } };
  const target = tokenTarget(account);
  const { body } = await transport.call({
    method: 'POST',
    path: `${objectPath(ServiceAccounts, account)}/token`,
    target,
    body: JSON.stringify({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds, ...boundObjectRef },
    }),
    // Repeating it is safe: no client has a token whose response was lost, and it expires.
    idempotent: true,
    ...call,
  });
  const status = field(body, 'status');
  const token = textField(status, 'token');
  if (token === '') throw malformed(target, 'a TokenRequest without a token');
  const given = field(field(body, 'spec'), 'expirationSeconds');
  return {
    token,
    expirationTimestamp: textField(status, 'expirationTimestamp'),
    expirationSeconds: typeof given === 'number' ? given : undefined,
  };
}

/** What errors say about the call. */
export function tokenTarget(account: ObjectName): FailedCall {
  return { verb: 'create', resource: resourceOf(ServiceAccounts, 'token'), ...account };
}
