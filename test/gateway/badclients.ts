import { connect as connectPlain, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { connect as connectTls } from 'node:tls';

import { recordedHello } from '../support/clients/clienthello.js';
import { CANARY } from './client.js';
import { ENGINES } from './rig.js';

/**
 * Bad clients, in a process of their own, so that their file descriptors and their CPU time are not those of the test.
 * Arguments: the port of a gateway on this machine, then `KIND=COUNT` for each kind. Prints a BadClientReport in one
 * line of JSON for each line of standard input; exits at its end.
 */

/** How a bad client behaves once it is connected. */
interface Behavior {
  readonly tls: boolean;
  /** Sent after the connection is open. */
  readonly first?: string;
  /** Sent a byte a second, repeatedly. */
  readonly drip?: string;
  /** Sent completely once a second, without waiting for responses. */
  readonly burst?: string;
  /** Whether it connects again, besides those that send repeatedly. */
  readonly reconnects?: boolean;
  /** Whether it closes the connection at the first bytes of a response. */
  readonly closesAtResponse?: boolean;
  /** Whether responses are left unread. */
  readonly ignoresResponses?: boolean;
}

const COOKIE = `COOKIE: Authorization: Bearer ${CANARY}\r\n`;
const HEAD = `POST ${ENGINES} HTTP/1.1\r\nHost: localhost\r\n${COOKIE}`;
const READ = `GET ${ENGINES} HTTP/1.1\r\nHost: localhost\r\n${COOKIE}\r\n`;
const OPENAPI = 'GET /platform/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n';
/** The head of a TLS record that announces a ClientHello of 512 bytes. */
const HELLO = '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03';

const BEHAVIORS = {
  silent: { tls: false },
  idle: { tls: true },
  handshake: { tls: false, first: HELLO, drip: '\x2a' },
  head: { tls: true, first: HEAD, drip: 'X: y\r\n' },
  largeUpload: { tls: true, first: upload(1_000_000, 600_000), reconnects: true },
  smallUpload: { tls: true, first: upload(64 * 1024, 60 * 1024), reconnects: true },
  body: { tls: true, first: `${HEAD}Content-Type: application/yaml\r\nContent-Length: 100000\r\n\r\n`, drip: '# ' },
  pipeline: { tls: true, burst: READ.repeat(50) },
  tinyRequests: { tls: true, burst: 'GET / HTTP/1.1\r\n\r\n'.repeat(3_640) },
  clientHello: {
    tls: false,
    first: (await recordedHello()).toString('latin1'),
    closesAtResponse: true,
    reconnects: true,
  },
  unread: { tls: true, burst: OPENAPI, ignoresResponses: true },
} as const satisfies Readonly<Record<string, Behavior>>;

/** A request whose body is announced with one size and sent to another. */
function upload(announced: number, sent: number): string {
  return `${HEAD}Content-Type: application/yaml\r\nContent-Length: ${announced}\r\n\r\n${'#'.repeat(sent)}`;
}

export type BadClientKind = keyof typeof BEHAVIORS;

/** The state of all bad clients. */
export interface BadClientReport {
  /** Connections that were opened so far. */
  readonly opened: number;
  /** Connections that were refused or reset. */
  readonly failed: number;
  /** Connections that are open now. */
  readonly open: number;
  /** Whether each client has tried to connect once. */
  readonly complete: boolean;
}

const PARALLEL = 100;
const DRIP_MS = 1_000;
const RECONNECT_MS = 1_000;

class BadClients {
  readonly #port: number;
  #opened = 0;
  #failed = 0;
  #open = 0;
  #left: number;

  constructor(port: number, size: number) {
    this.#port = port;
    this.#left = size;
  }

  report(): BadClientReport {
    return { opened: this.#opened, failed: this.#failed, open: this.#open, complete: this.#left === 0 };
  }

  /** Connects all clients, some at a time. Those that send data reconnect when they are disconnected. */
  async start(all: readonly BadClientKind[]): Promise<void> {
    const waiting = [...all];
    const worker = async (): Promise<void> => {
      for (let kind = waiting.pop(); kind !== undefined; kind = waiting.pop()) {
        await this.#connect(kind);
        this.#left -= 1;
      }
    };
    await Promise.all(Array.from({ length: PARALLEL }, worker));
  }

  /** Resolves when the connection is open or has failed. */
  #connect(kind: BadClientKind): Promise<void> {
    const behavior: Behavior = BEHAVIORS[kind];
    const socket = behavior.tls
      ? connectTls({ port: this.#port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false })
      : connectPlain({ port: this.#port, host: '127.0.0.1' });
    return new Promise((resolve) => {
      let opened = false;
      socket.on('error', () => undefined);
      socket.once(behavior.tls ? 'secureConnect' : 'connect', () => {
        opened = true;
        this.#opened += 1;
        this.#open += 1;
        behave(socket, behavior);
        resolve();
      });
      socket.once('close', () => {
        if (opened) this.#open -= 1;
        else this.#failed += 1;
        resolve();
        if (behavior.reconnects === true || behavior.drip !== undefined || behavior.burst !== undefined)
          setTimeout(() => void this.#connect(kind), RECONNECT_MS);
      });
    });
  }
}

function behave(socket: Socket, behavior: Behavior): void {
  const { first, drip = '', burst = '', ignoresResponses = false, closesAtResponse = false } = behavior;
  if (closesAtResponse) socket.once('data', () => socket.destroy());
  if (!ignoresResponses) socket.resume();
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

function isKind(word: string): word is BadClientKind {
  return Object.hasOwn(BEHAVIORS, word);
}

function kindsOf(words: readonly string[]): BadClientKind[] {
  return words.flatMap((word) => {
    const [kind = '', count = ''] = word.split('=');
    if (!isKind(kind) || !/^\d+$/.test(count))
      throw new Error(`KIND=COUNT with a kind of ${Object.keys(BEHAVIORS).join(', ')}, got ${JSON.stringify(word)}`);
    return Array.from({ length: Number(count) }, () => kind);
  });
}

/** The clients in an order that mixes the kinds. */
function mixed(kinds: readonly BadClientKind[]): BadClientKind[] {
  return kinds
    .map((kind, index) => ({ kind, order: (index * 7919) % kinds.length }))
    .sort((a, b) => a.order - b.order)
    .map(({ kind }) => kind);
}

const [port = '', ...words] = process.argv.slice(2);
const kinds = kindsOf(words);
const clients = new BadClients(Number(port), kinds.length);
void clients.start(mixed(kinds));
for await (const _line of createInterface({ input: process.stdin }))
  process.stdout.write(`${JSON.stringify(clients.report())}\n`);
process.exit();
