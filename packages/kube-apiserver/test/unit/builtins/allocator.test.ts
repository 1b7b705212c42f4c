import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '@multicluster-engine/values/object';
import { createServiceAllocator } from '../../../src/registry/builtins/service/allocator.js';
import { builtin } from './builtin.js';

function service(spec: KubeObject['spec']): KubeObject {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a' }, spec };
}

describe('addresses', () => {
  it('an address is allocated once, even before its Service is stored', () => {
    const allocator = createServiceAllocator(() => [service({ clusterIPs: ['10.0.0.17'] })]);
    expect([allocator.nextAddress(), allocator.nextAddress(), allocator.nextAddress()]).toEqual([
      '10.0.0.16',
      '10.0.0.18',
      '10.0.0.19',
    ]);
  });

  it('an address is allocated again after its Service was deleted, and none is left where the range is full', () => {
    const stored: KubeObject[] = [];
    const allocator = createServiceAllocator(() => stored, '10.0.0.0/29');
    const given = Array.from({ length: 5 }, () => allocator.nextAddress() ?? '');
    expect(given).toEqual(['10.0.0.2', '10.0.0.3', '10.0.0.4', '10.0.0.5', '10.0.0.6']);
    stored.push(...given.map((address) => service({ clusterIPs: [address] })));
    expect(allocator.nextAddress()).toBeUndefined();
    stored.splice(2, 1);
    expect([allocator.nextAddress(), allocator.nextAddress()]).toEqual(['10.0.0.4', '10.0.0.4']);
  });

  it('the reserved low addresses are allocated where no others are free', () => {
    const stored = Array.from({ length: 239 }, (_, at) => service({ clusterIPs: [`10.0.0.${16 + at}`] }));
    const allocator = createServiceAllocator(() => stored);
    for (let low = 2; low < 16; low += 1) {
      const next = allocator.nextAddress() ?? '';
      expect(next).toBe(`10.0.0.${low}`);
      stored.push(service({ clusterIPs: [next] }));
    }
    expect(allocator.nextAddress()).toBeUndefined();
  });

  it.each([
    ['10.0.0.9', undefined],
    ['10.0.0.10', 'provided IP is already allocated'],
    ['10.0.0.1', 'provided IP is already allocated'],
    ['10.0.0.0', 'the provided network does not match the current range'],
    ['10.0.0.255', 'the provided network does not match the current range'],
    ['10.0.1.1', 'the provided network does not match the current range'],
    ['x', 'the provided network does not match the current range'],
    ['fd00::1', 'the provided network does not match the current range'],
  ])('the requested value %s has the problem: %s', (address, problem) => {
    expect(createServiceAllocator(() => [service({ clusterIPs: ['10.0.0.10'] })]).addressProblem(address)).toBe(
      problem,
    );
  });

  it('a range that is not IPv4 is an error', () => {
    expect(() => createServiceAllocator(() => [], 'fd00::/64')).toThrow(
      'service range "fd00::/64" is no range of IPv4 addresses',
    );
    expect(() => createServiceAllocator(() => [], 'x')).toThrow('service range "x" is no range of IPv4 addresses');
  });
});

describe('ports', () => {
  const { takenPorts, nextPort, portProblem } = createServiceAllocator(() => [
    service({ ports: [{ port: 1, nodePort: 30000 }, { port: 2 }], healthCheckNodePort: 30002 }),
  ]);

  it('free node ports are allocated in order', () => {
    expect([nextPort(takenPorts()), nextPort(takenPorts())]).toEqual([30001, 30003]);
  });

  it('node ports are allocated round robin until the range is full', () => {
    const allocator = createServiceAllocator(() => []);
    const given = Array.from({ length: 2769 }, () => allocator.nextPort(new Set()));
    expect([given[2767], given[2768]]).toEqual([32767, 30000]);
    expect(allocator.nextPort(new Set(given.map(Number)))).toBeUndefined();
  });

  it.each([
    [30005, undefined],
    [30000, 'provided port is already allocated'],
    [30002, 'provided port is already allocated'],
    [80, 'provided port is not in the valid range. The range of valid ports is 30000-32767'],
  ])('the requested value %s has the problem: %s', (port, problem) => {
    expect(portProblem(port, takenPorts())).toBe(problem);
  });
});

describe('a Service of many ports', () => {
  const created = (ports: number): KubeObject => {
    const spec = {
      type: 'NodePort',
      selector: { a: 'b' },
      ports: Array.from({ length: ports }, (_port, at) => ({ name: `p${at}`, port: at + 1 })),
    };
    const { strategy } = builtin('v1', 'Service');
    return strategy.prepareCreate(strategy.default(service(spec)));
  };

  it('a Service with 2000 ports gets different node ports', () => {
    const { spec } = created(2000) as { spec?: { ports?: readonly { nodePort: number }[] } };
    expect(new Set(spec?.ports?.map(({ nodePort }) => nodePort)).size).toBe(2000);
  });

  it('a Service with more ports than the range is rejected', () => {
    expect(() => created(3000)).toThrow('failed to allocate a nodePort: range is full');
  });
});
