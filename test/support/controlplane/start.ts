import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { writeKubeconfig } from '../../../src/local/kubeconfig.js';
import { freePorts } from '../../../src/local/ports.js';
import { collect } from '../audit/collection.js';
import { missingPrograms } from './binaries.js';
import { prepare } from './credentials.js';
import { caFile, layout } from './flags.js';
import type { Capability, ControlPlane, StartOptions } from './plane.js';
import { RunningControlPlane, type Description } from './running.js';
import { Servers } from './servers.js';

/** What each size can do. */
export const CAPABILITIES = {
  api: ['requestLog', 'restart', 'compaction'],
  hub: ['requestLog', 'restart', 'compaction', 'pods', 'garbageCollection', 'namespaceDeletion', 'serviceAccounts'],
} as const satisfies Record<StartOptions['size'], readonly Capability[]>;

const ATTEMPTS = 3;

/**
 * Starts a real control plane on free ports in a folder of its own and waits until it answers.
 *
 * Guarantees: nothing of it outlives this process. The caller stops it with `stop()`.
 * Errors: programs that are missing (one line that says what to do), a server that ends or does not answer within 90 s.
 */
export function startControlPlane(options: StartOptions): Promise<ControlPlane> {
  return startRunning(options);
}

/** {@link startControlPlane} for whoever hands the server on to other processes. */
export async function startRunning(options: StartOptions): Promise<RunningControlPlane> {
  const { description, servers, keepLogs } = await start(options, ATTEMPTS);
  return new RunningControlPlane(description, {
    stopServer: (signal) => servers.stopServer(signal),
    startServer: () => servers.startServer(),
    compactHistory: () => servers.compactHistory(),
    async stop() {
      await servers.stop();
      await collect(description);
      await rm(keepLogs ? path.join(description.folder, 'data') : description.folder, { recursive: true, force: true });
    },
  });
}

interface Started {
  readonly description: Description;
  readonly servers: Servers;
  readonly keepLogs: boolean;
}

async function start(options: StartOptions, attempts: number): Promise<Started> {
  const missing = missingPrograms(options.size);
  if (missing !== undefined) throw new Error(missing);
  const parent = options.parent ?? process.env['CONTROL_PLANE_FOLDER'];
  const base = parent ?? tmpdir();
  await mkdir(base, { recursive: true });
  const folder = await mkdtemp(path.join(base, `${options.label ?? `control-plane-${options.size}`}-`));
  const [api = 0, etcd = 0, peer = 0] = await freePorts(3);
  const where = layout(folder, { api, etcd, peer });
  const users = await prepare(where, options);
  const url = `https://127.0.0.1:${api}`;
  const ca = caFile(where);
  const token = users[0]?.token ?? '';
  const kubeconfig = await writeKubeconfig(path.join(folder, 'admin'), { server: url, caFile: ca, token });
  const servers = new Servers(where, options.size, { url, caFile: ca, token, kubeconfig });
  const capabilities = CAPABILITIES[options.size];
  const description = { url, caFile: ca, adminKubeconfig: kubeconfig, folder, auditLog: where.auditLog, capabilities, users };
  try {
    await servers.start();
    return { description, servers, keepLogs: parent !== undefined };
  } catch (error) {
    await servers.stop();
    // Between the choice of a port and its use somebody else can take it.
    if (attempts > 1 && String(error).includes('address already in use')) return start(options, attempts - 1);
    throw error;
  }
}
