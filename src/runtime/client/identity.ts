import type { ObjectName, ResourceType } from '../vocabulary/meta.js';
import { isFailure } from '../errors.js';
import { malformed } from '../transport/apierror.js';
import type { Transport } from '../transport/transport.js';
import { objectPath, resourceOf } from './path.js';
import { field, textField } from '../vocabulary/json.js';
import { ServiceAccounts } from '../vocabulary/kinds.js';
import type { Call } from '../transport/call.js';

/** A token, with the times that the API server has decided on. */
interface IssuedToken {
  readonly token: string;
  /** RFC 3339. */
  readonly expires: string;
  /** The lifetime. */
  readonly expirationSeconds: number;
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
    requestToken: (account, options) => requestToken(transport, account, options),
    deleteNamed: (type, name) => deleteNamed(transport, type, name),
  };
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

/** How the request is sent, where the defaults of the transport do not fit. */
type TokenCall = Pick<Call, 'attempts' | 'deadlineMs' | 'signal'>;

/**
 * Requests a token of a ServiceAccount, for the API server.
 * @throws ApiError NotFound while there is no such ServiceAccount; Malformed for a response without a token and its times
 */
export async function requestToken(
  transport: Transport,
  account: ObjectName,
  { expirationSeconds, secret }: TokenOptions,
  call: TokenCall = {},
): Promise<IssuedToken> {
  const boundObjectRef =
    secret === undefined ? {} : { boundObjectRef: { apiVersion: 'v1', kind: 'Secret', ...secret } };
  const target = { verb: 'create', resource: resourceOf(ServiceAccounts, 'token'), ...account };
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
  const [token, expires] = [textField(status, 'token'), textField(status, 'expirationTimestamp')];
  const given = field(field(body, 'spec'), 'expirationSeconds');
  if (token === '' || expires === '' || typeof given !== 'number')
    throw malformed(target, 'a TokenRequest without a token, its expiry time or its lifetime');
  return { token, expires, expirationSeconds: given };
}
