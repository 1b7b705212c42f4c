/**
 * What people met: no command that writes said where. With a kubeconfig of several contexts, `drain --yes` could empty a cluster
 * of the wrong hub. Right: the first line on standard error names the server, the context and its file, before anything is
 * asked or written; and a cluster that is the hub itself, as far as the command line says, is not added to it.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { root } from '../support/repository/root.js';

const PROGRAM = path.join(root, 'dist', 'src', 'main.js');
/** Each command that writes; what stands for a name is one that the server below knows. */
const WRITING = [
  'cluster add edge-2 --image registry.example/agent:1 --hub-url https://hub.example',
  'cluster add edge-1 --renew --image registry.example/agent:1 --hub-url https://hub.example',
  'cluster remove edge-1 --force',
  'clusterset bind production',
  'cordon edge-1',
  'uncordon edge-1',
  'release placement web --clusters=*',
];

let hub: Server;
let folder: string;
let file: string;
let writes: string[] = [];

beforeAll(async () => {
  hub = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    const { method = '', url = '' } = request;
    // A review of rights stores nothing.
    if (method !== 'GET' && !url.endsWith('/selfsubjectaccessreviews')) writes.push(`${method} ${url}`);
    const { status, body } = method === 'GET' ? stored(url) : { status: 403, body: refusal(403, 'Forbidden') };
    response.statusCode = status;
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => void hub.listen(0, '127.0.0.1', resolve));
  folder = await mkdtemp(path.join(tmpdir(), 'wherewrites-'));
  file = path.join(folder, 'config');
  await writeFile(
    file,
    JSON.stringify({
      'current-context': 'hub',
      clusters: [{ name: 'c', cluster: { server: server() } }],
      contexts: ['hub', 'edge-2'].map((name) => ({ name, context: { cluster: 'c', user: 'u' } })),
    }),
  );
});
afterAll(async () => {
  await new Promise((resolve) => hub.close(resolve));
  await rm(folder, { recursive: true });
});

const server = (): string => `http://127.0.0.1:${(hub.address() as AddressInfo).port}`;

/** The response of a hub with one cluster that has joined, one set, and one Placement. */
function stored(url: string): { readonly status: number; readonly body: object } {
  const [, name] = /\/(edge-1|production|web)(\?|$)/.exec(url) ?? [];
  const metadata = { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '1', generation: 1 };
  const spec = { hubAcceptsClient: true, taints: [{ key: 'cluster.fleetmgmt.io/cordoned', effect: 'NoSelectIfNew' }] };
  if (name !== undefined) return { status: 200, body: { metadata, spec, status: {} } };
  if (/\/[a-z]+(\?|$)/.test(url) && !/edge-2/.test(url)) return { status: 200, body: listAt(url) };
  return { status: 404, body: refusal(404, 'NotFound') };
}

function listAt(url: string): object {
  const kinds = ['ManagedCluster', 'ManagedClusterSet', 'ManagedClusterSetBinding', 'Placement', 'PlacementDecision'];
  const kind = kinds.find((one) => url.replace(/\?.*/, '').endsWith(`/${one.toLowerCase()}s`)) ?? 'Other';
  return { kind: `${kind}List`, metadata: { resourceVersion: '1' }, items: [] };
}

function refusal(code: number, reason: string): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, details: { name: 'edge-2' } };
}

/** Runs a command; its lines on standard error. */
async function run(words: string): Promise<readonly string[]> {
  writes = [];
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...words.split(' ')], { env: { KUBECONFIG: file } }, (_, __, stderr) =>
      resolve(stderr.split('\n')),
    );
  });
}

it.each(WRITING)('%s says first where it writes', async (words) => {
  const [first] = await run(words);

  expect({ first, writes }).not.toEqual({ first, writes: [] });
  expect(first).toMatch(/^multicluster-engine [a-z ]+: writes to /);
  expect(first?.replace(/^.*?: /, '')).toBe(`writes to ${server()} (context "hub" of ${file})`);
});

it('drain says so before it asks', async () => {
  const lines = await run('drain edge-1');

  expect(lines[0]).toBe(`multicluster-engine drain: writes to ${server()} (context "hub" of ${file})`);
  expect(writes).toEqual([]);
});

it('nothing is written where that cannot be said', async () => {
  writes = [];
  const script = `"${process.execPath}" "${PROGRAM}" cordon edge-1 2> /dev/full`;
  const code = await new Promise((resolve) => {
    execFile('bash', ['-c', script], { env: { KUBECONFIG: file } }, (error) => resolve(error?.code));
  });

  expect({ code, writes }).toEqual({ code: 1, writes: [] });
});

it.each([
  'drain edge-1 --dry-run',
  'status',
  'cluster list',
  'tree',
  'check --pre',
  'explain placement web --cluster edge-1',
])('%s writes nothing, and does not say so', async (words) => {
  expect((await run(words)).join('\n')).not.toContain('writes to');
  expect(writes).toEqual([]);
});

it.each([
  [
    'cluster add edge-1 --image registry.example/agent:1 --hub-url https://hub.example --api-endpoint https://HOST',
    'is the address of the hub: edge-1 would join itself',
  ],
])('a cluster that is the hub is not added to it: %s', async (words, message) => {
  const { host } = new URL(server());

  expect((await run(words.replace('HOST', host))).join('\n')).toContain(message);
  expect(writes).toEqual([]);
});

it('a cluster with the name of the current context is not added, unless the context is named', async () => {
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('"current-context":"hub"', '"current-context":"edge-2"'));
  const words = 'cluster add edge-2 --image registry.example/agent:1 --hub-url https://hub.example';
  try {
    expect((await run(words)).join('\n')).toContain('name the context of the hub with --context');
    expect(writes).toEqual([]);
    await run(`${words} --context edge-2`);
    expect(writes).not.toEqual([]);
  } finally {
    await writeFile(file, text);
  }
});

it('every command gets its client from one place, which says where it writes', async () => {
  const folderOfCommands = path.join(root, 'src', 'cli');
  const makers: string[] = [];
  for (const name of await readdir(folderOfCommands, { recursive: true })) {
    if (!name.endsWith('.ts')) continue;
    if (/\b(createTransport|createClient)\(/.test(await readFile(path.join(folderOfCommands, name), 'utf8')))
      makers.push(name);
  }

  expect(makers).toEqual(['hub.ts']);
});
