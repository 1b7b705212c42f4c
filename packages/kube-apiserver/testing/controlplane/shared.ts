import { request } from 'node:http';

import { installCrds } from './install.js';
import type { ControlPlane } from './plane.js';
import { RunningControlPlane, type Description, type Lifecycle } from './running.js';
import { startRunning } from './start.js';

/**
 * The `api` server that the test files of a Jest run share, with the CRDs of `crdFolder()`; the first request starts
 * it. Each test uses names of its own (`ownName`). It cannot be restarted or compacted; its `stop()` only releases it.
 * Without the global setup (setup.ts) each caller gets a server of its own.
 */
export async function sharedControlPlane(): Promise<ControlPlane> {
  const socket = process.env['CONTROL_PLANE_SOCKET'];
  if (socket !== undefined) return new RunningControlPlane(await ask(socket), NOT_ITS_OWN);
  return startShared();
}

/** Starts the shared server, in the process that owns it. */
export async function startShared(): Promise<RunningControlPlane> {
  const server = await startRunning({ size: 'api', label: 'shared' });
  try {
    await installCrds(server);
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

const refuse = async (): Promise<never> => {
  throw new Error('the shared server cannot be stopped or compacted: request a server of its own (Needs.own)');
};

const NOT_ITS_OWN: Lifecycle = {
  stopServer: refuse,
  startServer: refuse,
  compactHistory: refuse,
  stop: async () => undefined,
};

function ask(socket: string): Promise<Description> {
  return new Promise((resolve, reject) => {
    // A new connection: the server may be closing the one that an earlier test file left.
    const outgoing = request({ socketPath: socket, path: '/', agent: false }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8');
      incoming.on('data', (chunk: string) => (text += chunk));
      incoming.on('end', () => {
        if (incoming.statusCode !== 200) reject(new Error(`the shared server did not start: ${text}`));
        else resolve(JSON.parse(text));
      });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
