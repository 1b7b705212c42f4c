import { field, textField } from '../../api/json.js';
import type { ObjectName } from '../../api/meta.js';
import { ServiceAccounts } from '../../api/resources.js';
import type { FailedCall } from '../../runtime/errors.js';
import { malformed } from '../apierror.js';
import type { Call } from '../transport/call.js';
import type { Transport } from '../transport/transport.js';
import { objectPath, resourceOf } from './path.js';

/** The Secret that a token is bound to: the token ends with it. */
interface BoundSecret {
  readonly name: string;
  readonly uid: string;
}

export interface TokenWish {
  /** At least 600. The API server may give less. */
  readonly seconds: number;
  readonly secret?: BoundSecret;
}

/** What the API server has given. */
export interface TokenResponse {
  readonly token: string;
  /** RFC 3339; empty where the response does not say. */
  readonly expires: string;
  /** The lifetime; undefined where the response does not say. */
  readonly seconds: number | undefined;
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
  { seconds, secret }: TokenWish,
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
      spec: { expirationSeconds: seconds, ...boundObjectRef },
    }),
    // A token that nobody receives is of no harm.
    idempotent: true,
    ...call,
  });
  const status = field(body, 'status');
  const token = textField(status, 'token');
  if (token === '') throw malformed(target, 'a TokenRequest without a token');
  const given = field(field(body, 'spec'), 'expirationSeconds');
  return {
    token,
    expires: textField(status, 'expirationTimestamp'),
    seconds: typeof given === 'number' ? given : undefined,
  };
}

/** The call as it stands in errors. */
export function tokenTarget(account: ObjectName): FailedCall {
  return { verb: 'create', resource: resourceOf(ServiceAccounts, 'token'), ...account };
}
