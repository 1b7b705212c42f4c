import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { startChild } from '@multicluster-engine/kube-apiserver';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { readAssets } from '../../../src/console/server/assets.js';
import { portOf } from '../../../src/console/server/server.js';
import { systemClock } from '../../../src/runtime/clock.js';
import { issueServingCertificate } from '../../../src/runtime/tls/serving.js';
import { describeWith } from '../../support/describewith.js';
import { closedAfterEach } from '../../support/rigs/console/browser.js';
import { closeServer } from '../../support/rigs/console/hub.js';
import { CANARY, HOST, startTokenConsole } from '../../support/rigs/console/tokens.js';
import { readPage } from '../../support/repository/documents.js';
import { blocksIn } from '../../support/repository/markdown.js';

/** The console of a hub behind proxies, with the settings that its page shows and otherwise those of Debian. */

const SERVICE = 'console.multicluster-engine.svc';
const [NGINX = '', HAPROXY = ''] = blocksIn(readPage('docs/how-to/console.md'))
  .filter(({ text }) => text.includes(SERVICE))
  .map(({ text }) => text);
/** As the page names them. */
const LONG_IN_NGINX = 'large_client_header_buffers 4 32k';
const LONG_IN_HAPROXY = 'tune.bufsize 32768';
/** The longest that the console takes. */
const LONGEST = 16_000;

interface Proxy {
  /** Where Debian's package has it. */
  readonly program: string;
  /** Its whole configuration; `socket`: where it listens, `to`: the console, `setting`: one more, empty for none. */
  readonly config: (socket: string, to: string, setting: string) => string;
  readonly args: (config: string) => readonly string[];
}

const PROXIES: Readonly<Record<'nginx' | 'haproxy', Proxy>> = {
  nginx: {
    program: '/usr/sbin/nginx',
    config: (socket, to, setting) => `
      daemon off;
      pid ${path.dirname(socket)}/nginx.pid;
      error_log stderr;
      events {}
      http {
        access_log off;
        server {
          listen unix:${socket};
          ${setting === '' ? '' : `${setting};`}
          ${NGINX.replace(SERVICE, to)}
        }
      }`,
    args: (config) => ['-c', config, '-p', path.dirname(config)],
  },
  haproxy: {
    program: '/usr/sbin/haproxy',
    config: (socket, to, setting) => `
global
  ${setting}
defaults
  mode http
  timeout connect 5s
  timeout client 50s
  timeout server 50s
frontend test
  bind unix@${socket}
  default_backend console
${HAPROXY.replace(SERVICE, to)
  .replace(':443 ', ' ')
  .replace('console-ca.crt', `${path.dirname(socket)}/console-ca.crt`)}`,
    args: (config) => ['-db', '-f', config],
  },
};

const atEnd = closedAfterEach();

interface Answer {
  readonly code: number;
  readonly text: string;
}

/** Starts a console on a hub behind a proxy; what a browser is answered at a path below it. */
async function behind(
  name: keyof typeof PROXIES,
  setting = '',
): Promise<(at: string, token?: string) => Promise<Answer>> {
  const { program, config, args } = PROXIES[name];
  const folder = mkdtempSync(path.join(tmpdir(), 'mce-proxy-'));
  atEnd(() => rmSync(folder, { recursive: true }));
  const { certificate, privateKey } = await issueServingCertificate({ names: [HOST], now: Date.now() });
  const { api, server, people } = await startTokenConsole(readAssets(), systemClock, {
    cert: certificate,
    key: privateKey,
  });
  api.users.set('a'.repeat(LONGEST), 'anna');
  for (const length of [8_000, 15_000]) api.users.set('a'.repeat(length), 'anna');
  atEnd(() => (people.close(), closeServer(server)));
  writeFileSync(path.join(folder, 'console-ca.crt'), certificate);
  const [socket, file] = [path.join(folder, 'socket'), path.join(folder, 'config')];
  writeFileSync(file, config(socket, `127.0.0.1:${portOf(server)}`, setting));
  const log = path.join(folder, 'log');
  const child = await startChild({ command: [program, ...args(file)], env: {}, output: openSync(log, 'w') });
  atEnd(() => child.stop(1_000));
  const ask = (at: string, token?: string): Promise<Answer> => asked(socket, at, token);
  await waitFor(`${name} to listen`, (seen) => {
    seen(readFileSync(log, 'utf8'));
    return existsSync(socket);
  });
  return ask;
}

function asked(socketPath: string, at: string, token: string | undefined): Promise<Answer> {
  const headers = { host: HOST, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath, path: at, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ code: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

for (const name of ['nginx', 'haproxy'] as const) {
  const { program } = PROXIES[name];
  describeWith(`a console of a hub behind ${name}`, existsSync(program) ? undefined : `there is no ${program}`, () => {
    it('serves page, assets and answers below a path', async () => {
      const ask = await behind(name);
      const { text } = await ask('/mce/fleet');
      const assets = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
      expect(assets.length).toBeGreaterThan(1);
      for (const address of assets) {
        expect(address).toMatch(/^\/mce\//);
        expect((await ask(address)).code).toBe(200);
      }
      const answer = await ask('/mce/api/v1/fleet', CANARY);
      expect([answer.code, answer.text.includes('"total":9')]).toEqual([200, true]);
      expect((await ask('/mce/api/v1/fleet', 'unknown')).code).toBe(401);
      expect((await ask('/other')).code).toBeGreaterThan(400);
    });

    it('takes tokens of the length that the page names, and longer ones with the setting that it names', async () => {
      const [most, setting] = name === 'nginx' ? [8_000, LONG_IN_NGINX] : [15_000, LONG_IN_HAPROXY];
      const plain = await behind(name);
      expect((await plain('/mce/api/v1/fleet', 'a'.repeat(most))).code).toBe(200);
      expect((await plain('/mce/api/v1/fleet', 'a'.repeat(LONGEST))).code).toBe(400);
      const wide = await behind(name, setting);
      expect((await wide('/mce/api/v1/fleet', 'a'.repeat(LONGEST))).code).toBe(200);
    });
  });
}
