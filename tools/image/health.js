/**
 * The health check of the image: ends with 0 when the command of the container is ready, else with 1 and one line. A
 * standalone has written a kubeconfig into its data folder; the other commands serve their health on port 8081.
 */
import { existsSync, readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';

const TIMEOUT_MS = 4_000;

/** The address of `/readyz`, and the CA certificate of a standalone. */
function target() {
  const folder = process.env['MULTICLUSTER_ENGINE_DATA_DIR'] ?? '';
  const kubeconfig = path.join(folder, 'kubeconfig');
  if (folder === '' || !existsSync(kubeconfig)) return { url: 'http://127.0.0.1:8081/readyz' };
  const server = /^ *server: (https:\S+)$/m.exec(readFileSync(kubeconfig, 'utf8'))?.[1];
  return { url: `${server}/readyz`, ca: readFileSync(path.join(folder, 'ca.crt')) };
}

/** @param {string} reason */
function unhealthy(reason) {
  console.error(reason);
  process.exit(1);
}

const { url, ca } = target();
const request = (ca === undefined ? http : https).get(url, { ca, timeout: TIMEOUT_MS }, (response) => {
  if (response.statusCode === 200) process.exit(0);
  unhealthy(`${url}: HTTP ${response.statusCode}`);
});
request.on('timeout', () => request.destroy(new Error(`no response within ${TIMEOUT_MS} ms`)));
request.on('error', (error) => unhealthy(`${url}: ${error.message}`));
