import { ServiceAccounts } from '../../api/resources.js';
import { field, textField } from '../../kube/json.js';
import { objectPath, resourceOf } from '../../kube/client/path.js';
import type { Transport } from '../../kube/transport/transport.js';

/** A token of a ServiceAccount, and when it has to be replaced. */
export interface ServiceAccountToken {
  readonly token: string;
  /** Seconds from its issue to its end. */
  readonly lifeSeconds: number;
}

const TOKEN_SECONDS = 3600;

/**
 * A token of a ServiceAccount by TokenRequest, good for an hour.
 * Errors: ApiError, NotFound while there is no such account.
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
  const answer = await transport.call({
    method: 'POST',
    path: `${objectPath(ServiceAccounts, { namespace, name })}/token`,
    target: { verb: 'create', resource: `${resourceOf(ServiceAccounts)}/token`, namespace, name },
    body: JSON.stringify(body),
    // Two tokens do no harm.
    idempotent: true,
  });
  const token = textField(field(answer.body, 'status'), 'token');
  if (token === '') throw new Error(`serviceaccounts/token ${namespace}/${name}: the answer holds no token`);
  return { token, lifeSeconds: TOKEN_SECONDS };
}
