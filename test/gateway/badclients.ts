import { connect as connectPlain, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { connect as connectTls } from 'node:tls';

import { CANARY } from './client.js';
import { ENGINES } from './rig.js';

/**
 * A crowd of bad clients: a program of its own, so that neither its file descriptors nor its work are those of whoever
 * looks on. Arguments: the port of a gateway on this machine, then `KIND=COUNT` for each kind. Prints a line of JSON
 * whenever it is asked by a line on its input; ends with its input.
 */

/** How a bad client behaves once it is connected. */
interface Manner {
  readonly tls: boolean;
  /** Sent at once. */
  readonly first?: string;
  /** Sent a byte at a time, over and over. */
  readonly drip?: string;
  /** Sent whole, over and over, without a look at the answers. */
  readonly burst?: string;
  /** Whether what comes back is left unread. */
  readonly deaf?: boolean;
}

const COOKIE = `COOKIE: Authorization: Bearer ${CANARY}\r\n`;
const HEAD = `POST ${ENGINES} HTTP/1.1\r\nHost: localhost\r\n${COOKIE}`;
const READ = `GET ${ENGINES} HTTP/1.1\r\nHost: localhost\r\n${COOKIE}\r\n`;
const OPENAPI = 'GET /platform/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n';
/** The head of a TLS record that announces a ClientHello of 512 bytes. */
const HELLO = '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03';

const MANNERS = {
  silent: { tls: false },
  greeted: { tls: true },
  handshake: { tls: false, first: HELLO, drip: '\x2a' },
  head: { tls: true, first: HEAD, drip: 'X: y\r\n' },
  body: { tls: true, first: `${HEAD}Content-Type: application/yaml\r\nContent-Length: 100000\r\n\r\n`, drip: '# ' },
  pipeline: { tls: true, burst: READ.repeat(50) },
  deaf: { tls: true, burst: OPENAPI, deaf: true },
} as const satisfies Readonly<Record<string, Manner>>;

export type CrowdKind = keyof typeof MANNERS;

/** What a crowd says of itself. */
export interface CrowdReport {
  /** Connections that were to be had in all. */
  readonly opened: number;
  /** That could not be had: refused or reset. */
  readonly failed: number;
  /** That are open now. */
  readonly open: number;
  /** That every one has been tried once. */
  readonly complete: boolean;
}

const AT_A_TIME = 100;
const DRIP_MS = 1_000;
const AGAIN_MS = 1_000;

class Crowd {
  readonly #port: number;
  #opened = 0;
  #failed = 0;
  #open = 0;
  #left: number;

  constructor(port: number, size: number) {
    this.#port = port;
    this.#left = size;
  }

  report(): CrowdReport {
    return { opened: this.#opened, failed: this.#failed, open: this.#open, complete: this.#left === 0 };
  }

  /** Comes in, some at a time. Those that do more than stand there come back when they are sent away. */
  async gather(all: readonly CrowdKind[]): Promise<void> {
    const waiting = [...all];
    const usher = async (): Promise<void> => {
      for (let kind = waiting.pop(); kind !== undefined; kind = waiting.pop()) {
        await this.#visit(kind);
        this.#left -= 1;
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, usher));
  }

  /** Resolves when the connection stands or has failed. */
  #visit(kind: CrowdKind): Promise<void> {
    const manner: Manner = MANNERS[kind];
    const socket = manner.tls
      ? connectTls({ port: this.#port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false })
      : connectPlain({ port: this.#port, host: '127.0.0.1' });
    return new Promise((resolve) => {
      let stands = false;
      socket.on('error', () => undefined);
      socket.once(manner.tls ? 'secureConnect' : 'connect', () => {
        stands = true;
        this.#opened += 1;
        this.#open += 1;
        behave(socket, manner);
        resolve();
      });
      socket.once('close', () => {
        if (stands) this.#open -= 1;
        else this.#failed += 1;
        resolve();
        if (manner.drip !== undefined || manner.burst !== undefined) setTimeout(() => void this.#visit(kind), AGAIN_MS);
      });
    });
  }
}

function behave(socket: Socket, { first, drip = '', burst = '', deaf = false }: Manner): void {
  if (!deaf) socket.resume();
  if (first !== undefined) socket.write(first, 'latin1');
  if (burst !== '') socket.write(burst, 'latin1');
  if (drip === '' && burst === '') return;
  let at = 0;
  const next = (): string => (drip === '' ? burst : (drip[at++ % drip.length] ?? ''));
  const timer = setInterval(() => {
    if (socket.writable && !socket.writableNeedDrain) socket.write(next(), 'latin1');
  }, DRIP_MS);
  socket.once('close', () => clearInterval(timer));
}

function isKind(word: string): word is CrowdKind {
  return Object.hasOwn(MANNERS, word);
}

function kindsOf(words: readonly string[]): CrowdKind[] {
  return words.flatMap((word) => {
    const [kind = '', count = ''] = word.split('=');
    if (!isKind(kind) || !/^\d+$/.test(count))
      throw new Error(`KIND=COUNT with a kind of ${Object.keys(MANNERS).join(', ')}, got ${JSON.stringify(word)}`);
    return Array.from({ length: Number(count) }, () => kind);
  });
}

/** The kinds one after the other in turn, so that none comes last. */
function mixed(kinds: readonly CrowdKind[]): CrowdKind[] {
  return kinds
    .map((kind, index) => ({ kind, order: (index * 7919) % kinds.length }))
    .sort((a, b) => a.order - b.order)
    .map(({ kind }) => kind);
}

const [port = '', ...words] = process.argv.slice(2);
const kinds = kindsOf(words);
const crowd = new Crowd(Number(port), kinds.length);
void crowd.gather(mixed(kinds));
for await (const _line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(crowd.report())}\n`);
process.exit();
