import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { writeKubeconfig } from '../kubeconfig.js';
import { freePorts } from '../../src/process/ports.js';
import { collectAuditLog } from './auditcollection.js';
import { missingPrograms } from './binaries.js';
import { prepare } from './credentials.js';
import { EmbeddedServer } from './embedded.js';
import { caFile, layout } from './flags.js';
import type { Capability, ControlPlane, StartOptions } from './plane.js';
import { RunningControlPlane, type Description, type Lifecycle } from './running.js';
import { Servers } from './servers.js';

/** The capabilities of each size. */
export const CAPABILITIES = {
  api: ['requestLog', 'restart', 'compaction', 'podSecurity', 'quota'],
  hub: [
    'requestLog',
    'restart',
    'compaction',
    'podSecurity',
    'quota',
    'rollouts',
    'pods',
    'garbageCollection',
    'namespaceDeletion',
    'serviceAccounts',
  ],
} as const satisfies Record<StartOptions['size'], readonly Capability[]>;

const ATTEMPTS = 3;

/** The implementation: kube-apiserver, or the embedded server. */
export type Backend = 'real' | 'embedded';

/**
 * The capabilities of the embedded server: its controllers and Deployment rollouts with size `hub` only; no pods, no
 * quotas.
 */
const EMBEDDED: Readonly<Record<StartOptions['size'], readonly Capability[]>> = {
  api: ['requestLog', 'restart', 'compaction'],
  hub: ['requestLog', 'restart', 'compaction', 'rollouts', 'garbageCollection', 'namespaceDeletion', 'serviceAccounts'],
};

/** The implementation and size for a suite. What needs real nodes runs on kube-apiserver. */
export function serverFor(needs: readonly Capability[]): {
  readonly backend: Backend;
  readonly size: StartOptions['size'];
} {
  const sizes: readonly StartOptions['size'][] = ['api', 'hub'];
  const covers = (offered: readonly Capability[]): boolean => needs.every((one) => offered.includes(one));
  const embedded = chosenBackend() === 'embedded' ? sizes.find((size) => covers(EMBEDDED[size])) : undefined;
  if (embedded !== undefined) return { backend: 'embedded', size: embedded };
  return { backend: 'real', size: covers(CAPABILITIES.api) ? 'api' : 'hub' };
}

/** The default server of tests: CONTROL_PLANE, or `real` where it is not set. */
export function chosenBackend(): Backend {
  const asked = process.env['CONTROL_PLANE'] ?? 'real';
  if (asked === 'real' || asked === 'embedded') return asked;
  throw new Error(`CONTROL_PLANE: ${JSON.stringify(asked)}: must be real or embedded`);
}

/**
 * Starts a control plane on free ports in a folder of its own and waits until it is ready. All its processes end with
 * this process. The caller stops it with `stop()`.
 * @throws Error where programs are missing (one line with the remedy), or a server ends or is not ready within 90 s
 */
export function startControlPlane(options: StartOptions): Promise<ControlPlane> {
  return startRunning(options);
}

/** {@link startControlPlane} for a caller that passes the server on to other processes. */
export async function startRunning(options: StartOptions): Promise<RunningControlPlane> {
  return startBackend(options.size === 'hub' ? 'real' : chosenBackend(), options);
}

/** {@link startControlPlane} with a given implementation. */
export async function startBackend(backend: Backend, options: StartOptions): Promise<RunningControlPlane> {
  const { description, servers, keepLogs } = await start(backend, options, ATTEMPTS);
  return new RunningControlPlane(description, {
    stopServer: (signal) => servers.stopServer(signal),
    startServer: () => servers.startServer(),
    compactHistory: () => servers.compactHistory(),
    async stop() {
      await servers.stop();
      await collectAuditLog(description);
      await rm(keepLogs ? path.join(description.folder, 'data') : description.folder, { recursive: true, force: true });
    },
  });
}

interface Started {
  readonly description: Description;
  readonly servers: Lifecycle & { start(): Promise<void> };
  readonly keepLogs: boolean;
}

async function start(backend: Backend, options: StartOptions, attempts: number): Promise<Started> {
  const missing = backend === 'real' ? missingPrograms(options.size) : undefined;
  if (missing !== undefined) throw new Error(missing);
  const parent = options.parent ?? process.env['CONTROL_PLANE_FOLDER'];
  const base = parent ?? tmpdir();
  await mkdir(base, { recursive: true });
  const folder = await mkdtemp(path.join(base, `${options.label ?? `control-plane-${options.size}`}-`));
  const [api = 0, etcd = 0, peer = 0] = await freePorts(3);
  const where = layout(folder, { api, etcd, peer });
  const users = await prepare(where, options);
  const url = `https://127.0.0.1:${api}`;
  const ca = backend === 'real' ? caFile(where) : path.join(where.data, 'ca.crt');
  const token = users[0]?.token ?? '';
  const kubeconfig = await writeKubeconfig(path.join(folder, 'admin'), { server: url, caFile: ca, token });
  const admin = { url, caFile: ca, token, kubeconfig };
  const servers =
    backend === 'real'
      ? new Servers(where, options.size, admin)
      : new EmbeddedServer(where, users, {
          level: options.log ?? 'Metadata',
          controllers: options.size === 'hub',
          admin,
        });
  const capabilities = (backend === 'real' ? CAPABILITIES : EMBEDDED)[options.size];
  const description = {
    url,
    caFile: ca,
    adminKubeconfig: kubeconfig,
    folder,
    auditLog: where.auditLog,
    capabilities,
    users,
  };
  try {
    await servers.start();
    return { description, servers, keepLogs: parent !== undefined };
  } catch (error) {
    await servers.stop();
    // Another process may take a port between its choice and its use.
    if (attempts > 1 && /address already in use|EADDRINUSE/.test(String(error)))
      return start(backend, options, attempts - 1);
    throw error;
  }
}
