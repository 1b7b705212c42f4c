import { lookup } from 'node:dns/promises';
import { connect, isIP, type Socket } from 'node:net';
import { systemClock, type Clock, type Timer } from '../clock.js';

/** Go's dialer waits so long before it tries the addresses of the other family too. */
const NEXT_MS = 300;
/** As undici names it where it connects itself. */
const TIMEOUT_CODE = 'UND_ERR_CONNECT_TIMEOUT';

interface DialOptions {
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** From the last address that is tried. */
  readonly timeoutMs: number;
}

/** What a dialer uses of the system. */
export interface DialTools {
  readonly clock: Clock;
  /** In the order in which they are tried; at least one. */
  readonly addressesOf: (name: string) => Promise<readonly string[]>;
  readonly connect: (to: { readonly host: string; readonly port: number }) => Socket;
}

const SYSTEM: DialTools = {
  clock: systemClock,
  addressesOf: async (name) => (await lookup(name, { all: true })).map(({ address }) => address),
  connect,
};

/**
 * Connects to a server over TCP. Its addresses are tried in order, each 300 ms after the one before, or when one has failed; the
 * first that connects is used, and none is given up before. Node gives up each but the last after 250 ms, and never reaches a
 * far server whose last address is silent; Go waits longer for each.
 * Rejects with the error of the name or of the only address, with an AggregateError of several, or with one of the code UND_ERR_CONNECT_TIMEOUT.
 */
export async function dial(options: DialOptions, tools: DialTools = SYSTEM): Promise<Socket> {
  const { host } = options;
  return race(isIP(host) === 0 ? await tools.addressesOf(host) : [host], options, tools);
}

async function race(
  addresses: readonly string[],
  { port, timeoutMs }: DialOptions,
  { clock, connect: open }: DialTools,
): Promise<Socket> {
  const left = [...addresses];
  const sockets = new Set<Socket>();
  const failures: Error[] = [];
  let timer: Timer | undefined;
  let winner: Socket | undefined;
  try {
    winner = await new Promise<Socket>((resolve, reject) => {
      const fail = (error: Error): void => {
        failures.push(error);
        reject(failures.length === 1 ? error : new AggregateError(failures));
      };
      const next = (): void => {
        timer?.cancel();
        const host = left.shift();
        if (host === undefined) return;
        const socket = open({ host, port });
        sockets.add(socket);
        socket.once('connect', () => resolve(socket));
        socket.once('error', (error) => {
          sockets.delete(socket);
          if (left.length === 0 && sockets.size === 0) return fail(error);
          failures.push(error);
          if (left.length > 0) next();
        });
        const late = (): void => fail(Object.assign(new Error('no address answers'), { code: TIMEOUT_CODE }));
        timer = left.length > 0 ? clock.after(NEXT_MS, next) : clock.after(timeoutMs, late);
      };
      next();
    });
    return winner;
  } finally {
    timer?.cancel();
    left.length = 0;
    for (const socket of sockets) if (socket !== winner) socket.destroy();
  }
}
