import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';

import { startApiServer } from '../../../src/apiserver/apiserver.js';
import { Embedded } from '../../../src/commands/embedded.js';
import { createClient } from '../../../src/kube/rest.js';
import { createLogger } from '../../../src/observability/logger.js';
import { systemClock } from '../../../src/runtime/clock.js';
import type { EmbeddedOptions } from './embedded.js';
import { Rollouts } from './rollouts.js';

/** What {@link EmbeddedServer} runs: the API server, with the users, the audit log and, in size `hub`, the rollouts that tests ask for. */
const options: EmbeddedOptions = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const server = await startApiServer({
  folder: options.folder,
  listen: { host: '127.0.0.1', port: options.port },
  users: options.users,
  audit: { file: options.auditLog, level: options.auditLevel },
  clock: systemClock,
  controllers: options.controllers,
});
if (existsSync(options.compactFile)) {
  // A revision that nobody has seen: what was the newest before is then history too.
  await server.dispatch({
    method: 'POST', target: '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases', headers: { 'content-type': 'application/json' },
    body: { metadata: { generateName: 'compaction-' } }, user: { name: 'compaction', groups: ['system:masters'] }, signal: new AbortController().signal,
  });
  server.compact();
  await rm(options.compactFile);
}
const end = new AbortController();
if (options.controllers) {
  const log = createLogger({ level: 'warn', clock: systemClock, destination: process.stderr });
  const transport = new Embedded(server, 'test', log).transport({ name: 'rollouts', groups: ['system:masters'] }, { userAgent: 'rollouts' });
  void new Rollouts(createClient(transport), systemClock).run(end.signal);
}
await writeFile(options.readyFile, '');
process.on('SIGTERM', () => {
  end.abort();
  void server.close().then(() => process.exit(0));
});
