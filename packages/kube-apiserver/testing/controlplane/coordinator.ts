import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { RunningControlPlane } from './running.js';
import { startShared } from './shared.js';

/** The resources of one Jest run: the folder of all its servers, and the shared server once a test requested it. */
interface Run {
  readonly folder: string;
  readonly socketServer: Server;
  shared: Promise<RunningControlPlane> | undefined;
}

let run: Run | undefined;

/**
 * Creates the folder of the run's servers and a socket where test workers request the shared server; the first request
 * starts it. The environment variables set here are inherited by the workers.
 */
export async function startTestRun(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'multicluster-engine-test-'));
  const socketServer = createServer((_request, response) => {
    const opened = run;
    if (opened === undefined) return;
    opened.shared ??= startShared();
    opened.shared.then(
      ({ description }) => response.writeHead(200).end(JSON.stringify(description)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  const socket = path.join(folder, 'shared.sock');
  await new Promise<void>((resolve) => socketServer.listen(socket, resolve));
  socketServer.unref();
  run = { folder, socketServer, shared: undefined };
  process.env['CONTROL_PLANE_FOLDER'] = folder;
  process.env['CONTROL_PLANE_SOCKET'] = socket;
}

/** Stops the shared server. Keeps the folder where the reporter kept logs in it. */
export async function stopTestRun(): Promise<void> {
  if (run === undefined) return;
  const { folder, socketServer, shared } = run;
  run = undefined;
  await shared?.then(
    (server) => server.stop(),
    () => undefined,
  );
  await new Promise((resolve) => socketServer.close(resolve));
  if (process.env['CONTROL_PLANE_KEEP'] !== 'true') await rm(folder, { recursive: true, force: true });
}
