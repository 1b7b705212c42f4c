import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { connect } from 'node:tls';

/** What a client of TLS 1.3 sends first. It costs nothing to send it again. */
export async function recordedHello(): Promise<Buffer> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', servername: 'localhost' }).on('error', () => undefined);
  const [socket]: Socket[] = await once(server, 'connection');
  const [bytes]: Buffer[] = await once(socket ?? server, 'data');
  client.destroy();
  server.close();
  return bytes ?? Buffer.alloc(0);
}
