import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';

import { describe, expect, it } from '@jest/globals';

import { Connections } from '../../src/gateway/server/connections.js';

/** What Connections uses of a socket. */
class FakeSocket extends EventEmitter {
  readonly remoteAddress = '192.0.2.1';
  readonly remotePort: number;
  destroyed = false;

  constructor(port: number) {
    super();
    this.remotePort = port;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

function socket(port: number): Socket & FakeSocket {
  return new FakeSocket(port) as unknown as Socket & FakeSocket;
}

/** Connections at their limit, and a way to let one more in. */
function full(limit: number) {
  const evicted = { count: 0 };
  const connections = new Connections(limit, () => (evicted.count += 1));
  const sockets = Array.from({ length: limit }, (_, port) => socket(port));
  for (const one of sockets) connections.accept(one);
  const open = (): readonly number[] => sockets.filter((one) => !one.destroyed).map((one) => one.remotePort);
  const more = (): boolean => {
    const one = socket(sockets.length);
    sockets.push(one);
    return connections.accept(one);
  };
  const at = (port: number): Socket => {
    const one = sockets[port];
    if (one === undefined) throw new Error(`no connection ${port}`);
    return one;
  };
  return { connections, evicted, open, more, at };
}

describe('at the limit of connections', () => {
  it('a new one takes the place of the oldest that was never answered', () => {
    const { evicted, open, more } = full(3);

    expect(more()).toBe(true);
    expect(open()).toEqual([1, 2, 3]);
    expect(evicted.count).toBe(1);
  });

  it('one that was answered without the API server counts as answered last', () => {
    const { connections, open, more, at } = full(3);
    connections.markIdle(at(0));

    more();
    expect(open()).toEqual([0, 2, 3]);
    more();
    expect(open()).toEqual([0, 3, 4]);
    more();
    expect(open()).toEqual([3, 4, 5]);
  });

  it('one that the API server has answered counts as answered last', () => {
    const { connections, open, more, at } = full(3);
    connections.markActive(at(0));
    connections.markIdle(at(0));

    more();
    more();
    expect(open()).toEqual([0, 3, 4]);
  });

  it('those for which the API server is at work stay, and a new one is cut when there are no others', () => {
    const { connections, evicted, open, more, at } = full(2);
    connections.markActive(at(0));
    connections.markActive(at(1));

    expect(more()).toBe(false);
    expect(open()).toEqual([0, 1]);
    expect(connections.open).toBe(2);
    expect(evicted.count).toBe(0);
  });

  it('one that was closed makes room without an eviction', () => {
    const { connections, evicted, open, more, at } = full(2);
    at(0).destroy();
    expect(connections.open).toBe(1);

    expect(more()).toBe(true);
    expect(open()).toEqual([1, 2]);
    expect(evicted.count).toBe(0);
  });
});
