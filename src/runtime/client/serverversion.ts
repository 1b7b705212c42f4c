import { textField } from '../vocabulary/json.js';
import { malformed } from './apierror.js';
import type { Transport } from '../transport/transport.js';

/** `gitVersion` of /version, such as `v1.36.3`; every user may read it. @throws ApiError. */
export async function serverVersion(transport: Pick<Transport, 'call'>, signal?: AbortSignal): Promise<string> {
  const target = { verb: 'get', resource: 'version' };
  const { body } = await transport.call({ method: 'GET', path: '/version', target, idempotent: true, signal });
  const version = textField(body, 'gitVersion');
  if (version === '') throw malformed(target, 'there is no gitVersion');
  return version;
}
