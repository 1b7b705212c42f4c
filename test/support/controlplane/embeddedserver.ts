import { serveEmbedded } from '@multicluster-engine/kube-apiserver/testing/controlplane/embeddedserver';

import { InProcessClients } from '../../../src/standalone/inprocess.js';
import { createClient } from '../../../src/runtime/client/rest.js';
import { createLogger } from '../../../src/runtime/log/pinologger.js';
import { systemClock } from '../../../src/runtime/clock.js';
import { Rollouts } from '../hub/rollouts.js';

/** The embedded server as tests of size `hub` need it: with rollouts of Deployments. */
await serveEmbedded(process.argv[2] ?? '', (server, signal) => {
  const log = createLogger({ level: 'warn', clock: systemClock, destination: process.stderr });
  const transport = new InProcessClients(server, 'test', log).transport(
    { name: 'rollouts', groups: ['system:masters'] },
    { userAgent: 'rollouts' },
  );
  void new Rollouts(createClient(transport), systemClock).run(signal);
});
