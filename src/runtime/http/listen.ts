import { once } from 'node:events';
import type { Server } from 'node:net';

/** Listens. Resolves with the port, for port 0 with the free one that was taken; rejects when the address cannot be used. */
export async function listen(server: Server, at: { readonly host: string; readonly port: number }): Promise<number> {
  server.listen({ host: at.host, port: at.port });
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : at.port;
}
