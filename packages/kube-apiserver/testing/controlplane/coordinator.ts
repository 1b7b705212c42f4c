import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { RunningControlPlane } from './running.js';
import { startShared } from './shared.js';

/** What one Jest run has open: the folder of all its servers, and the shared server once somebody asked for it. */
interface Run {
  readonly folder: string;
  readonly door: Server;
  shared: Promise<RunningControlPlane> | undefined;
}

let run: Run | undefined;

/**
 * Makes the folder of the run's servers and a socket at which test workers ask for the shared server; the first to ask
 * makes it start. The environment variables set here are inherited by the workers.
 */
export async function openRun(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'multicluster-engine-test-'));
  const door = createServer((_request, response) => {
    const opened = run;
    if (opened === undefined) return;
    opened.shared ??= startShared();
    opened.shared.then(
      ({ description }) => response.writeHead(200).end(JSON.stringify(description)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  const socket = path.join(folder, 'shared.sock');
  await new Promise<void>((resolve) => door.listen(socket, resolve));
  door.unref();
  run = { folder, door, shared: undefined };
  process.env['CONTROL_PLANE_FOLDER'] = folder;
  process.env['CONTROL_PLANE_SOCKET'] = socket;
}

/** Stops the shared server; the folder stays when the reporter kept logs in it. */
export async function closeRun(): Promise<void> {
  if (run === undefined) return;
  const { folder, door, shared } = run;
  run = undefined;
  await shared?.then(
    (server) => server.stop(),
    () => undefined,
  );
  await new Promise((resolve) => door.close(resolve));
  if (process.env['CONTROL_PLANE_KEEP'] !== 'true') await rm(folder, { recursive: true, force: true });
}
