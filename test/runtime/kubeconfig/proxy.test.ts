import { describe, expect, it } from '@jest/globals';
import { proxyFromEnvironment } from '../../../src/runtime/kubeconfig/environment.js';

const PROXY = 'http://proxy:3128';

describe('the proxy of the environment', () => {
  it.each<[string, string, Record<string, string>, string | undefined]>([
    ['none', 'https://hub', {}, undefined],
    ['HTTPS_PROXY for https', 'https://hub', { HTTPS_PROXY: PROXY }, PROXY],
    ['https_proxy too', 'https://hub', { https_proxy: PROXY }, PROXY],
    ['HTTP_PROXY not for https', 'https://hub', { HTTP_PROXY: PROXY }, undefined],
    ['HTTP_PROXY for http', 'http://hub', { HTTP_PROXY: PROXY }, PROXY],
    ['HTTP_PROXY not in a CGI program', 'http://hub', { HTTP_PROXY: PROXY, REQUEST_METHOD: 'GET' }, undefined],
    ['a host and a port', 'https://hub', { HTTPS_PROXY: 'proxy:3128' }, PROXY],
    ['socks5h is socks5', 'https://hub', { HTTPS_PROXY: 'socks5h://proxy' }, 'socks5://proxy'],
    ['not for localhost', 'https://localhost:6443', { HTTPS_PROXY: PROXY }, undefined],
    ['not for 127.0.0.2', 'https://127.0.0.2', { HTTPS_PROXY: PROXY }, undefined],
    ['not for [::1]', 'https://[::1]:6443', { HTTPS_PROXY: PROXY }, undefined],
    ['not for *', 'https://hub', { HTTPS_PROXY: PROXY, NO_PROXY: '*' }, undefined],
    ['not for a name', 'https://hub', { HTTPS_PROXY: PROXY, NO_PROXY: 'other, HUB' }, undefined],
    ['not below a name', 'https://a.hub', { HTTPS_PROXY: PROXY, no_proxy: 'hub' }, undefined],
    ['for a name that only ends so', 'https://ahub', { HTTPS_PROXY: PROXY, NO_PROXY: 'hub' }, PROXY],
    ['for the domain itself', 'https://hub', { HTTPS_PROXY: PROXY, NO_PROXY: '.hub' }, PROXY],
    ['not below a pattern', 'https://a.hub', { HTTPS_PROXY: PROXY, NO_PROXY: '*.hub' }, undefined],
    ['not for a port', 'https://hub:6443', { HTTPS_PROXY: PROXY, NO_PROXY: 'hub:6443' }, undefined],
    ['for another port', 'https://hub', { HTTPS_PROXY: PROXY, NO_PROXY: 'hub:6443' }, PROXY],
    ['not for a network', 'https://10.1.2.3', { HTTPS_PROXY: PROXY, NO_PROXY: '10.0.0.0/8' }, undefined],
    ['for another network', 'https://11.1.2.3', { HTTPS_PROXY: PROXY, NO_PROXY: '10.0.0.0/8' }, PROXY],
    ['not for an IPv6 network', 'https://[fd00::1]', { HTTPS_PROXY: PROXY, NO_PROXY: 'fd00::/8' }, undefined],
    ['for what is no network', 'https://10.1.2.3', { HTTPS_PROXY: PROXY, NO_PROXY: '10.0.0.0/33' }, PROXY],
    [
      'not for an address spelled otherwise',
      'https://[fd00::1]',
      { HTTPS_PROXY: PROXY, NO_PROXY: 'FD00:0::01' },
      undefined,
    ],
    ['not for a bracket and a port', 'https://[fd00::1]', { HTTPS_PROXY: PROXY, NO_PROXY: '[fd00::1]:443' }, undefined],
    ['for a port alone', 'https://hub', { HTTPS_PROXY: PROXY, NO_PROXY: ':443' }, PROXY],
    ['not for an IPv6 address', 'https://[fd00::1]', { HTTPS_PROXY: PROXY, NO_PROXY: 'fd00::1' }, undefined],
  ])('%s', (_, server, env, expected) => {
    expect(proxyFromEnvironment(new URL(server), env)).toBe(expected);
  });
});
