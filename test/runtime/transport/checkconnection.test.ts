import { once } from 'node:events';
import { createServer } from 'node:https';
import { isIP } from 'node:net';

import { expect, it } from '@jest/globals';

import { issueServingCertificate } from '../../../src/runtime/tls/serving.js';
import { checkConnection } from '../../../src/runtime/transport/connectionpool.js';
import { describeWith } from '../../support/describewith.js';
import { HAS_IPV6 } from '../../support/ipv6.js';

/** What the check of an API server at `host`, as it stands in a URL, ends with; its certificate is for `name`. */
async function check(host: string, name: string): Promise<string> {
  const names = [isIP(name) === 0 ? name : 'elsewhere.example'];
  const addresses = isIP(name) === 0 ? [] : [name];
  const pair = await issueServingCertificate({ names, addresses, now: Date.now() });
  const server = createServer({ cert: pair.certificate, key: pair.privateKey });
  await once(server.listen(0, host.replace(/^\[|\]$/g, '')), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  try {
    const tls = { ca: pair.certificate, rejectUnauthorized: true };
    await checkConnection({ server: `https://${host}:${port}`, headers: {}, tls });
    return 'verified';
  } catch (error) {
    return String((error as { code?: unknown }).code);
  } finally {
    server.close();
  }
}

it('a server with an IPv4 address is verified by it', async () => {
  expect(await check('127.0.0.1', '127.0.0.1')).toBe('verified');
  expect(await check('127.0.0.1', 'elsewhere.example')).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
});

describeWith('a server with an IPv6 address', HAS_IPV6 ? undefined : 'the machine has no ::1', () => {
  it('a server with an IPv6 address is verified by it, without the brackets of its URL', async () => {
    expect(await check('[::1]', '::1')).toBe('verified');
    expect(await check('[::1]', '::2')).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  });
});
