import { copyFile, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';

import { AuditLog, type LoggedRequest } from './audit.js';

/** Names the folder that the request logs of all servers are put into; none where it is not set. */
const VARIABLE = 'CONTROL_PLANE_AUDIT';

/** Puts a stopped server's request log into the collection, under the name of its folder. */
export async function collect(server: { readonly folder: string; readonly auditLog: string }): Promise<void> {
  const folder = process.env[VARIABLE] ?? '';
  if (folder === '') return;
  await mkdir(folder, { recursive: true });
  await copyFile(server.auditLog, path.join(folder, `${path.basename(server.folder)}.log`)).catch(() => undefined);
}

/** What was collected, one log a server, by the name of its folder. */
export async function collected(
  folder = process.env[VARIABLE] ?? '',
): Promise<ReadonlyMap<string, readonly LoggedRequest[]>> {
  const names =
    folder === '' ? [] : (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.log')).sort();
  const logs = new Map<string, readonly LoggedRequest[]>();
  for (const name of names)
    logs.set(path.basename(name, '.log'), await new AuditLog(path.join(folder, name)).entries());
  return logs;
}
