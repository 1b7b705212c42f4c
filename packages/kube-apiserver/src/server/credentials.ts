import { randomBytes } from 'node:crypto';
import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { dump } from 'js-yaml';

import { generateSigningKey, readSigningKey, type SigningKey } from '../auth/tokens/jwt.js';
import type { KeyPair } from '@multicluster-engine/values/certificates';
import { issueAuthority, issueServing, isUsable } from '../http/connection/tls.js';
import { codeOf, disk } from '../store/filesystem.js';

/** The server's secrets; they stay the same over restarts. */
export interface Credentials {
  readonly authority: KeyPair;
  readonly serving: KeyPair;
  readonly signing: SigningKey;
  /** Bearer token of the administrator. */
  readonly token: string;
  /** File of the authority's certificate. */
  readonly caFile: string;
}

const SECRETS = ['ca.key', 'apiserver.key', 'service-account.key', 'admin.token'];

/** Length of a generated token: 24 random bytes in hexadecimal digits. */
const TOKEN_LENGTH = 48;

interface CredentialsLocation {
  /** Created with access for its owner only. */
  readonly folder: string;
  /** Host that the server listens on; the serving certificate covers it. */
  readonly host: string;
  /** Ms since the epoch. */
  readonly now: number;
}

/**
 * Reads the credentials of a folder, and creates those that are missing or expire soon. A kubeconfig stays valid over
 * restarts for as long as the authority does (ten years). Only the owner can read the files; the permissions of the
 * secrets are restored at each start.
 */
export async function openCredentials({ folder, host, now }: CredentialsLocation): Promise<Credentials> {
  await disk.makeFolder(folder);
  const file = (name: string): string => path.join(folder, name);
  const kept = await readPair(file('ca'));
  const authority =
    kept !== undefined && isUsable(kept, now) ? kept : await writePair(file('ca'), await issueAuthority(now));
  const served = await readPair(file('apiserver'));
  const fits = served !== undefined && isUsable(served, now, { authority, host });
  const serving = fits ? served : await writePair(file('apiserver'), await issueServing(authority, host, now));
  const key =
    (await readText(file('service-account.key'))) ??
    (await writeSecret(file('service-account.key'), generateSigningKey()));
  const token =
    (await readText(file('admin.token'))) ?? (await writeSecret(file('admin.token'), randomBytes(24).toString('hex')));
  // Copying may have widened the permissions. Some file systems have no owners.
  for (const secret of SECRETS) await chmod(file(secret), 0o600).catch(() => undefined);
  return { authority, serving, signing: readSigningKey(key), token: token.trim(), caFile: file('ca.crt') };
}

async function readPair(base: string): Promise<KeyPair | undefined> {
  const [certificate, privateKey] = [await readText(`${base}.crt`), await readText(`${base}.key`)];
  return certificate === undefined || privateKey === undefined ? undefined : { certificate, privateKey };
}

async function writePair(base: string, pair: KeyPair): Promise<KeyPair> {
  await writeSecret(`${base}.key`, pair.privateKey);
  await writeSecret(`${base}.crt`, pair.certificate);
  return pair;
}

/** undefined for a missing or empty file. */
async function readText(file: string): Promise<string | undefined> {
  try {
    const text = await readFile(file, 'utf8');
    return text.trim() === '' ? undefined : text;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes atomically: a key that is written in part would lock its owner out. */
async function writeSecret(file: string, text: string): Promise<string> {
  await writeFile(`${file}.new`, text, { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
  return text;
}

/** Writes the administrator's kubeconfig and returns its path. */
export async function writeKubeconfig(folder: string, { authority, token }: Credentials, url: string): Promise<string> {
  const file = path.join(folder, 'kubeconfig');
  await writeSecret(
    file,
    dump({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'standalone',
          cluster: { server: url, 'certificate-authority-data': Buffer.from(authority.certificate).toString('base64') },
        },
      ],
      users: [{ name: 'admin', user: { token } }],
      contexts: [{ name: 'standalone', context: { cluster: 'standalone', user: 'admin' } }],
      'current-context': 'standalone',
    }),
  );
  return file;
}

/**
 * Checks the secrets of an earlier start. A missing or empty file passes, for the next start creates it anew; a changed
 * one does not.
 * @throws Error that names the file, what it must hold, and what to do
 */
export async function checkSecrets(dataDir: string): Promise<void> {
  const tokenFile = path.join(dataDir, 'admin.token');
  const token = await secretIn(tokenFile);
  if (token !== '' && (token.length < TOKEN_LENGTH || !/^[!-~]+$/.test(token))) {
    const got = `${token.length} character${token.length === 1 ? '' : 's'}`;
    throw new Error(
      `${tokenFile} must hold one token of at least ${TOKEN_LENGTH} visible ASCII characters, got ${got}: remove the file; the next start then creates a token and a kubeconfig with it`,
    );
  }
  const keyFile = path.join(dataDir, 'service-account.key');
  const key = await secretIn(keyFile);
  if (key !== '' && !isSigningKey(key)) {
    throw new Error(
      `${keyFile} must hold a private key of the curve P-256 in PEM, and does not: restore it from a copy, or remove it; the next start then creates a key, and ServiceAccount tokens issued before become invalid`,
    );
  }
}

/** '' for a missing file. */
async function secretIn(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw new Error(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function isSigningKey(pem: string): boolean {
  try {
    const { privateKey } = readSigningKey(pem);
    return privateKey.asymmetricKeyDetails?.namedCurve === 'prime256v1';
  } catch {
    return false;
  }
}
