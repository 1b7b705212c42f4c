import { expect, it } from '@jest/globals';
import { proxyFromEnvironment } from '../../../src/runtime/kubeconfig/environment.js';

const PROXY = 'http://proxy.example:3128';

it.each([
  ['https://10.1.2.3', '::ffff:10.0.0.0/104', true],
  ['https://[::ffff:10.1.2.3]', '10.1.2.3', true],
  ['https://10.1.2.3', '::/0', false],
  ['https://10.1.2.3', '2.3', false],
  ['https://10.1.2.3', '10.0.0.0/33', false],
  ['https://10.1.2.3', '010.0.0.0/8', true],
  ['https://münchen.example', '.münchen.example,münchen.example', true],
  ['https://[fd00::1]', 'fe80::1%eth0,fd00::/8', true],
])('%s with NO_PROXY=%s is reached without a proxy: %s', (server, noProxy, isDirect) => {
  const found = proxyFromEnvironment(new URL(server), { HTTPS_PROXY: PROXY, NO_PROXY: noProxy });

  expect(found).toBe(isDirect ? undefined : PROXY);
});
