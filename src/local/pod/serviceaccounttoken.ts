import { ServiceAccounts } from '../../api/resources.js';
import { field, textField } from '../../api/json.js';
import { objectPath, resourceOf } from '../../kube/client/path.js';
import type { Transport } from '../../kube/transport/transport.js';

/** A token of a ServiceAccount. */
export interface ServiceAccountToken {
  readonly token: string;
  /** Seconds from its issue to its expiry. */
  readonly lifeSeconds: number;
}

const TOKEN_SECONDS = 3600;

/**
 * Requests a token of a ServiceAccount, valid for an hour.
 * Errors: ApiError, NotFound while there is no such ServiceAccount.
 */
export async function requestToken(
  transport: Transport,
  namespace: string,
  name: string,
): Promise<ServiceAccountToken> {
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: TOKEN_SECONDS },
  };
  const response = await transport.call({
    method: 'POST',
    path: `${objectPath(ServiceAccounts, { namespace, name })}/token`,
    target: { verb: 'create', resource: `${resourceOf(ServiceAccounts)}/token`, namespace, name },
    body: JSON.stringify(body),
    // A second token does no harm.
    idempotent: true,
  });
  const token = textField(field(response.body, 'status'), 'token');
  if (token === '') throw new Error(`serviceaccounts/token ${namespace}/${name}: the response holds no token`);
  return { token, lifeSeconds: TOKEN_SECONDS };
}
