import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';

import { auditPolicy, type Layout } from './flags.js';
import { STANDARD_USERS, type StartOptions } from './plane.js';

/** A user with a fixed token. */
export interface KnownUser {
  readonly user: string;
  readonly groups: readonly string[];
  readonly token: string;
}

export const ADMIN = 'admin';

/** Writes the keys, the users' tokens and the audit policy into the folder; the first user is the administrator. */
export async function prepare(where: Layout, options: StartOptions): Promise<KnownUser[]> {
  const users = [
    known(ADMIN, ['system:masters']),
    ...STANDARD_USERS.map((user) => known(user, [])),
    ...(options.users ?? []).map(({ user, groups = [] }) => known(user, groups)),
  ];
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await mkdir(where.certificates, { recursive: true });
  await writeFile(where.serviceAccountKey, privateKey.export({ type: 'sec1', format: 'pem' }), { mode: 0o600 });
  await writeFile(where.serviceAccountPublicKey, publicKey.export({ type: 'spki', format: 'pem' }));
  await writeFile(where.tokens, users.map(row).join(''), { mode: 0o600 });
  await writeFile(where.auditPolicy, auditPolicy(options.log ?? 'Metadata'));
  return users;
}

function known(user: string, groups: readonly string[]): KnownUser {
  return { user, groups, token: randomBytes(16).toString('hex') };
}

function row({ user, groups, token }: KnownUser): string {
  return `${token},${user},${user},"${groups.join(',')}"\n`;
}
