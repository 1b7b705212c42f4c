import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect, type TLSSocket } from 'node:tls';

import { freePorts } from '../../../src/process/ports.js';
import { ApiSession, type ApiAnswer, type ApiRequest } from '../../../testing/controlplane/api.js';
import { EmbeddedServer } from '../../../testing/controlplane/embedded.js';
import { layout } from '../../../testing/controlplane/flags.js';

const TOKEN = 'token-of-root';

/** An embedded API server in a process of its own, whose memory can be measured. */
export class ServerProcess {
  readonly #server: EmbeddedServer;
  readonly #folder: string;
  readonly #port: number;
  readonly #session: ApiSession;

  private constructor(server: EmbeddedServer, folder: string, port: number) {
    this.#server = server;
    this.#folder = folder;
    this.#port = port;
    this.#session = this.session();
  }

  static async start(): Promise<ServerProcess> {
    const folder = await mkdtemp(path.join(tmpdir(), 'hostile-'));
    const [port = 0] = await freePorts(1);
    const where = layout(folder, { api: port, etcd: 0, peer: 0 });
    const endpoint = { url: `https://127.0.0.1:${port}`, caFile: path.join(where.data, 'ca.crt'), token: TOKEN };
    const users = [{ user: 'root', groups: ['system:masters'], token: TOKEN }];
    const server = new EmbeddedServer(where, users, { level: 'Metadata', controllers: false, admin: endpoint });
    await server.start();
    return new ServerProcess(server, folder, port);
  }

  session(): ApiSession {
    return new ApiSession({
      url: `https://127.0.0.1:${this.#port}`,
      caFile: path.join(this.#folder, 'data', 'ca.crt'),
      token: TOKEN,
    });
  }

  call(request: ApiRequest): Promise<ApiAnswer> {
    return this.#session.call({ deadlineMs: 120_000, ...request });
  }

  /** A connection that is not read until it is resumed. */
  connect(): Promise<TLSSocket> {
    const ca = readFileSync(path.join(this.#folder, 'data', 'ca.crt'));
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port: this.#port, ca, servername: 'localhost' }, () => {
        socket.on('error', () => undefined);
        resolve(socket);
      });
      socket.once('error', reject);
    });
  }

  get port(): number {
    return this.#port;
  }

  /** The resident memory of its process in bytes. */
  memory(): number {
    const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.#server.pid}/status`, 'utf8'));
    return Number(line?.[1]) * 1024;
  }

  async stop(): Promise<void> {
    this.#session.close();
    await this.#server.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** The head of a request as bytes. */
export function head(method: string, target: string, more: readonly string[] = []): string {
  return [`${method} ${target} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${TOKEN}`, ...more, '', ''].join(
    '\r\n',
  );
}
