import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { startApiServer, type ApiServer } from '../../src/server/apiserver.js';
import { systemClock } from '../../src/clock.js';
import type { EmbeddedOptions } from './embedded.js';

/**
 * Starts the server that {@link EmbeddedServer} describes in `file`, with its users and audit log, and ends the process
 * at SIGTERM. With controllers, calls `extend` once the server is ready; what that starts ends with the signal.
 */
export async function serveEmbedded(
  file: string,
  extend: (server: ApiServer, signal: AbortSignal) => void = () => undefined,
): Promise<void> {
  const options: EmbeddedOptions = JSON.parse(readFileSync(file, 'utf8'));
  const server = await startApiServer({
    folder: options.folder,
    listen: { host: '127.0.0.1', port: options.port },
    users: options.users,
    audit: { file: options.auditLog, level: options.auditLevel },
    clock: systemClock,
    controllers: options.controllers,
  });
  if (existsSync(options.compactFile)) {
    // A write that nobody reads: it makes what was the newest revision before part of the history.
    await server.dispatch({
      method: 'POST',
      target: '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases',
      headers: { 'content-type': 'application/json' },
      body: { metadata: { generateName: 'compaction-' } },
      user: { name: 'compaction', groups: ['system:masters'] },
      signal: new AbortController().signal,
    });
    server.compact();
    await rm(options.compactFile);
  }
  const end = new AbortController();
  if (options.controllers) extend(server, end.signal);
  await writeFile(options.readyFile, '');
  process.on('SIGTERM', () => {
    end.abort();
    void server.close().then(() => process.exit(0));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await serveEmbedded(process.argv[2] ?? '');
