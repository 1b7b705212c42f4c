import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';

import { describe, expect, it } from '@jest/globals';

import { Connections, type Acceptance } from '../../../src/runtime/http/connections.js';

/** The part of a socket that Connections uses. */
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

/** Connections at their limit. `more` opens one more. */
function full(limit: number) {
  const connections = new Connections(limit);
  const sockets = Array.from({ length: limit }, (_, port) => socket(port));
  for (const one of sockets) connections.accept(one);
  const open = (): readonly number[] => sockets.filter((one) => !one.destroyed).map((one) => one.remotePort);
  const more = (): Acceptance => {
    const one = socket(sockets.length);
    sockets.push(one);
    return connections.accept(one);
  };
  const at = (port: number): Socket => {
    const one = sockets[port];
    if (one === undefined) throw new Error(`no connection ${port}`);
    return one;
  };
  return { connections, open, more, at };
}

describe('Connections at the limit', () => {
  it('a new connection evicts the oldest one that never had a response', () => {
    const { open, more } = full(3);

    expect(more()).toBe('evicted');
    expect(open()).toEqual([1, 2, 3]);
  });

  it('a connection whose request was answered locally is evicted after older ones', () => {
    const { connections, open, more, at } = full(3);
    connections.markIdle(at(0));

    more();
    expect(open()).toEqual([0, 2, 3]);
    more();
    expect(open()).toEqual([0, 3, 4]);
    more();
    expect(open()).toEqual([3, 4, 5]);
  });

  it('a connection whose request the API server has answered is evicted after older ones', () => {
    const { connections, open, more, at } = full(3);
    connections.markActive(at(0));
    connections.markIdle(at(0));

    more();
    more();
    expect(open()).toEqual([0, 3, 4]);
  });

  it('a connection with a call in progress is never evicted, and a new one is rejected when there is no other', () => {
    const { connections, open, more, at } = full(2);
    connections.markActive(at(0));
    connections.markActive(at(1));

    expect(more()).toBe('rejected');
    expect(open()).toEqual([0, 1]);
    expect(connections.open).toBe(2);
  });

  it('a new connection takes the place of a closed one without an eviction', () => {
    const { connections, open, more, at } = full(2);
    at(0).destroy();
    expect(connections.open).toBe(1);

    expect(more()).toBe('accepted');
    expect(open()).toEqual([1, 2]);
  });

  it('the end of a request of a closed connection leaves alone the one that has its address now', () => {
    const connections = new Connections(1);
    const [closed, open] = [socket(7), socket(7)];
    connections.accept(closed);
    connections.markActive(closed);
    closed.destroy();
    connections.accept(open);
    connections.markActive(open);
    connections.markIdle(closed);

    expect([connections.accept(socket(8)), open.destroyed]).toEqual(['rejected', false]);
  });

  it('a connection that has carried an accepted token is evicted after all that have not', () => {
    const { connections, open, more, at } = full(3);
    connections.markAccepted(at(0));
    connections.markIdle(at(0));
    for (const port of [1, 2]) connections.markIdle(at(port));

    more();
    more();
    more();

    expect(open()).toEqual([0, 4, 5]);
  });

  it('a connection that has carried an accepted token is evicted when all others have one too', () => {
    const { connections, open, more, at } = full(2);
    for (const port of [0, 1]) connections.markAccepted(at(port));

    expect(more()).toBe('evicted');
    expect(open()).toEqual([1, 2]);
  });
});
