import type { ObjectName, ResourceType } from '../vocabulary/meta.js';
import { isFailure } from '../errors.js';
import { malformed } from '../transport/apierror.js';
import type { Transport } from '../transport/transport.js';
import { objectPath, resourceOf } from './path.js';
import { requestToken, tokenTarget, type TokenOptions } from './tokenrequest.js';

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
