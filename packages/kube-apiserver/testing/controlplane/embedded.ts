import { open, rm, writeFile } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { startChild, type Child } from '../../src/process/child.js';
import { waitFor } from '../wait.js';
import { ApiSession, type Endpoint } from './api.js';
import type { KnownUser } from './credentials.js';
import type { Layout } from './flags.js';
import type { Lifecycle } from './running.js';
import { STARTED, STOPPING } from './servers.js';
import { embeddedProgram } from './settings.js';

/** The options of the embedded server's process. */
export interface EmbeddedOptions {
  readonly folder: string;
  readonly port: number;
  readonly users: readonly KnownUser[];
  readonly auditLog: string;
  readonly auditLevel: 'Metadata' | 'Request' | 'RequestResponse';
  readonly controllers: boolean;
  /** Written by the process when it is ready. */
  readonly readyFile: string;
  /** While it exists, a starting server compacts its history. */
  readonly compactFile: string;
}

const PROGRAM = fileURLToPath(new URL('embeddedserver.js', import.meta.url));
const READY_MS = 90_000;

/** The embedded API server as a process of its own, which can be killed and restarted. */
export class EmbeddedServer implements Lifecycle {
  readonly #options: EmbeddedOptions;
  readonly #file: string;
  readonly #admin: Endpoint;
  #child: Child | undefined;

  constructor(
    where: Layout,
    users: readonly KnownUser[],
    options: { readonly level: EmbeddedOptions['auditLevel']; readonly controllers: boolean; readonly admin: Endpoint },
  ) {
    this.#admin = options.admin;
    this.#file = path.join(where.folder, 'embedded.json');
    this.#options = {
      folder: where.data,
      port: where.ports.api,
      users,
      auditLog: where.auditLog,
      auditLevel: options.level,
      controllers: options.controllers,
      readyFile: path.join(where.folder, 'ready'),
      compactFile: path.join(where.folder, 'compact'),
    };
  }

  /** Process ID of the running server. */
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  start(): Promise<void> {
    return this.startServer();
  }

  async startServer(): Promise<void> {
    const { readyFile } = this.#options;
    await rm(readyFile, { force: true });
    await writeFile(this.#file, JSON.stringify(this.#options), { mode: 0o600 });
    const folder = path.dirname(this.#file);
    const log = await open(path.join(folder, 'embedded.log'), 'a');
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder };
    const child = await startChild({
      command: [process.execPath, embeddedProgram() ?? PROGRAM, this.#file],
      env,
      cwd: folder,
      output: log.fd,
    });
    await log.close();
    this.#child = child;
    const outcome = await waitFor(
      'the embedded server to answer',
      () => (child.exit() === undefined ? existsSync(readyFile) : this.#tail()),
      { deadlineMs: READY_MS, everyMs: 10 },
    );
    if (outcome !== true) throw new Error(`the embedded server ended at the start:\n${String(outcome)}`);
    await this.#mark(STARTED);
  }

  async stopServer(signal: NodeJS.Signals): Promise<void> {
    await this.#mark(STOPPING);
    this.#child?.kill(signal);
    await this.#child?.exited;
  }

  async compactHistory(): Promise<void> {
    const { compactFile } = this.#options;
    await this.stopServer('SIGKILL');
    await writeFile(compactFile, '');
    await this.startServer();
  }

  async stop(): Promise<void> {
    this.#child?.kill('SIGKILL');
    await this.#child?.exited;
  }

  async #mark(uri: string): Promise<void> {
    const session = new ApiSession(this.#admin);
    await session.call({ path: uri, deadlineMs: 5000 }).catch(() => undefined);
    session.close();
  }

  #tail(): string {
    return readFileSync(path.join(path.dirname(this.#file), 'embedded.log'), 'utf8')
      .split('\n')
      .slice(-15)
      .join('\n');
  }
}
