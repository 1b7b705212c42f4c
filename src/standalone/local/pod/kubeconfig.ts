import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

export interface KubeconfigOptions {
  /** The API server, `https://…`. */
  readonly server: string;
  /** PEM file with the API's certificate authority. */
  readonly caFile: string;
  readonly token: string;
  /** The default namespace of kubectl; `default` when left out. */
  readonly namespace?: string;
}

/**
 * Writes `token` and `kubeconfig` (which names the token's file, so that a renewed token needs no new kubeconfig) into
 * `folder`, readable by the owner only, and returns the kubeconfig's path.
 */
export async function writeKubeconfig(folder: string, options: KubeconfigOptions): Promise<string> {
  const file = path.join(folder, 'kubeconfig');
  const tokenFile = path.join(folder, 'token');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(tokenFile, options.token, { mode: 0o600 });
  await writeFile(file, kubeconfig(options, tokenFile), { mode: 0o600 });
  return file;
}

// A JSON string is a YAML string, so no YAML writer is needed.
function kubeconfig({ server, caFile, namespace = 'default' }: KubeconfigOptions, tokenFile: string): string {
  const quote = (text: string): string => JSON.stringify(text);
  return [
    'apiVersion: v1',
    'kind: Config',
    'current-context: main',
    'clusters:',
    `- {name: main, cluster: {server: ${quote(server)}, certificate-authority: ${quote(caFile)}}}`,
    'users:',
    `- {name: main, user: {tokenFile: ${quote(tokenFile)}}}`,
    'contexts:',
    `- {name: main, context: {cluster: main, user: main, namespace: ${quote(namespace)}}}`,
    '',
  ].join('\n');
}
