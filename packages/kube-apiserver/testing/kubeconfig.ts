import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { dump } from 'js-yaml';

interface Access {
  /** The API server's address, `https://…`. */
  readonly server: string;
  /** PEM file of the certificate authority. */
  readonly caFile: string;
  readonly token: string;
  /** kubectl's default namespace; defaults to `default`. */
  readonly namespace?: string;
}

/**
 * Writes a kubeconfig into `folder`, which is created where it is missing, readable by its owner only; returns its
 * path.
 */
export async function writeKubeconfig(
  folder: string,
  { server, caFile, token, namespace = 'default' }: Access,
): Promise<string> {
  const file = path.join(folder, 'kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'main', cluster: { server, 'certificate-authority': caFile } }],
    users: [{ name: 'main', user: { token } }],
    contexts: [{ name: 'main', context: { cluster: 'main', user: 'main', namespace } }],
    'current-context': 'main',
  };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(file, dump(config), { mode: 0o600 });
  return file;
}
