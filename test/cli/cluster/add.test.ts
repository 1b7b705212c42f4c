import { describe, expect, it } from '@jest/globals';
import { addressFor, checkOtherCluster, HUB } from '../../../src/cli/commands/cluster/add.js';

const CALLER = { server: 'https://hub.example.com:6443', ca: 'PEM', isVerified: true };

describe('the address of the hub for an agent', () => {
  it('it is that of the caller, with the same certificates, unless another one is named', () => {
    expect(addressFor(HUB, undefined, CALLER)).toEqual({ url: CALLER.server, ca: 'PEM', warning: undefined });
    expect(addressFor(HUB, 'https://public.example.com', CALLER).url).toBe('https://public.example.com');
    expect(addressFor(HUB, undefined, { ...CALLER, ca: undefined }).ca).toBeUndefined();
  });

  it.each(['https://127.0.0.1:6443', 'https://localhost:6443', 'https://[::1]:6443'])(
    'a caller who uses %s is warned that only this machine reaches it',
    (server) => {
      expect(addressFor(HUB, undefined, { ...CALLER, server }).warning).toMatch(
        'name another address of the hub with --hub-url',
      );
      expect(addressFor(HUB, 'https://public.example.com', { ...CALLER, server }).warning).toBeUndefined();
    },
  );

  it('an address without TLS, or whose certificate the caller does not verify, is refused', () => {
    expect(() => addressFor(HUB, undefined, { ...CALLER, server: 'http://hub' })).toThrow(
      'the address http://hub of the hub is not https',
    );
    expect(() => addressFor(HUB, undefined, { ...CALLER, isVerified: false })).toThrow('insecure-skip-tls-verify');
  });
});

describe('a cluster that is the hub itself', () => {
  const hub = { server: 'https://hub.example.com:6443/path', context: 'edge-1' };
  const joining = { cluster: 'edge-1', apiEndpoint: undefined, isContextNamed: false };

  it('it is refused where the current context has its name', () => {
    expect(() => checkOtherCluster(joining, hub)).toThrow('name the context of the hub with --context');
    expect(() => checkOtherCluster({ ...joining, isContextNamed: true }, hub)).not.toThrow();
    expect(() => checkOtherCluster({ ...joining, cluster: 'edge-2' }, hub)).not.toThrow();
  });

  it('it is refused where both have the same address', () => {
    const same = { ...joining, isContextNamed: true, apiEndpoint: 'https://hub.example.com:6443' };
    expect(() => checkOtherCluster(same, hub)).toThrow('edge-1 would join itself');
    expect(() => checkOtherCluster({ ...same, apiEndpoint: 'https://edge.example.com:6443' }, hub)).not.toThrow();
  });
});
