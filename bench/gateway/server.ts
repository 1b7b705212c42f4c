import type { Server } from 'node:https';
import type { AddressInfo } from 'node:net';

/** Serves on a free port of this machine, which is printed, until the end of the standard input of the process. */
export function serveUntilInputEnds(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`${port}\n`);
  });
  process.stdin.resume();
  process.stdin.on('end', () => process.exit());
}
