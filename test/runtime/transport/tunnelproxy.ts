import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';

/** An HTTP proxy that does nothing but open tunnels. */
export class TunnelProxy {
  readonly asked: { readonly target: string; readonly authorization: string | undefined }[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #server: Server = createServer();

  static async start(): Promise<TunnelProxy> {
    const proxy = new TunnelProxy();
    proxy.#server.on('connect', (request, client: Socket) => {
      const target = request.url ?? '';
      proxy.asked.push({ target, authorization: request.headers.authorization });
      const url = new URL(`http://${target}`);
      const upstream = connect(Number(url.port), url.hostname, () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        client.pipe(upstream).pipe(client);
      });
      for (const socket of [client, upstream]) {
        proxy.#sockets.add(socket);
        socket.on('error', () => undefined);
      }
    });
    await new Promise<void>((resolve) => void proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
