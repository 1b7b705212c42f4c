import { copyFile, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';

import { AuditLog, type LoggedRequest } from './audit.js';

/** Environment variable with the folder that collects the audit logs of all servers; none where it is not set. */
const VARIABLE = 'CONTROL_PLANE_AUDIT';

/** Copies a stopped server's audit log to the collection, named after its folder. */
export async function collectAuditLog(server: { readonly folder: string; readonly auditLog: string }): Promise<void> {
  const folder = process.env[VARIABLE] ?? '';
  if (folder === '') return;
  await mkdir(folder, { recursive: true });
  await copyFile(server.auditLog, path.join(folder, `${path.basename(server.folder)}.log`)).catch(() => undefined);
}

/** The collected audit logs by server folder. */
export async function collectedAuditLogs(
  folder = process.env[VARIABLE] ?? '',
): Promise<ReadonlyMap<string, readonly LoggedRequest[]>> {
  const names =
    folder === '' ? [] : (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.log')).sort();
  const logs = new Map<string, readonly LoggedRequest[]>();
  for (const name of names)
    logs.set(path.basename(name, '.log'), await new AuditLog(path.join(folder, name)).entries());
  return logs;
}
