import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A TCP proxy to a local server that can close all connections at once. */
export class TcpProxy {
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  private constructor(port: number) {
    this.#server = createServer((client) => {
      const upstream = connect(port, '127.0.0.1');
      for (const [one, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.#open.add(one);
        one.pipe(other);
        one.on('error', () => other.destroy());
        one.on('close', () => {
          this.#open.delete(one);
          other.destroy();
        });
      }
    });
  }

  static async start(url: string): Promise<TcpProxy> {
    const cutter = new TcpProxy(Number(new URL(url).port));
    await new Promise<void>((resolve) => cutter.#server.listen(0, '127.0.0.1', resolve));
    return cutter;
  }

  get url(): string {
    const { port } = addressOf(this.#server);
    return `https://127.0.0.1:${port}`;
  }

  closeConnections(): number {
    const connections = this.#open.size / 2;
    for (const socket of this.#open) socket.destroy();
    return connections;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.closeConnections();
    await closed;
  }
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy does not listen');
  return address;
}
