/**
 * What people did: their credential plugin waited for a login that nobody saw, in a pipeline or behind an AI assistant. Every
 * command left it running; the error did not name it; a call of `mcp` was answered after 120 s, and four of them blocked it.
 * Right: a plugin is ended with all that it has started, after a time limit and with the command. The error names it, and how to
 * log in first. A call of `mcp` ends before its client gives up, says what it waits for meanwhile, and why it was ended.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { toolsOf } from '../../src/cli/command.js';
import { ASKING, STATE } from '../../src/cli/rows/reading.js';
import { createMcpServer } from '../../src/cli/commands/mcp/run.js';
import { loadKubeconfig } from '../../src/runtime/kubeconfig/kubeconfig.js';
import { HttpHub } from '../support/fakes/httphub.js';
import { heldWorld } from '../support/fakes/releaseclient.js';
import { root } from '../support/repository/root.js';

let folder: string;
let command: string;
let exec: object;

/** A plugin that starts a child, and waits for it; `SIGTERM` does not end it. */
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'slowplugin-'));
  command = path.join(folder, 'sleepy');
  const pids = path.join(folder, 'pids');
  writeFileSync(command, `#!/bin/sh\ntrap '' TERM\nsleep 600 &\necho "$PPID $$ $!" >> '${pids}'\nwait\n`);
  chmodSync(command, 0o700);
  exec = { apiVersion: 'client.authentication.k8s.io/v1', command, interactiveMode: 'Never' };
});
afterEach(() => {
  for (const pid of started().flat().slice(1)) if (runs(pid)) process.kill(pid, 'SIGKILL');
  rmSync(folder, { recursive: true });
});

/** The process ids of each plugin: of its command, of itself and of its child. */
function started(): readonly (readonly number[])[] {
  const file = path.join(folder, 'pids');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(' ').map(Number));
}

/** One that has ended and whose parent has not read that runs no more. */
function runs(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return /^[^Z\s]/.test(stdout.trim());
}

function kubeconfig(): string {
  const file = path.join(folder, 'kubeconfig');
  const content = {
    'current-context': 'hub',
    clusters: [{ name: 'hub', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'hub', user: { exec } }],
    contexts: [{ name: 'hub', context: { cluster: 'hub', user: 'hub' } }],
  };
  writeFileSync(file, JSON.stringify(content));
  return file;
}

describe('a credential plugin that sleeps', () => {
  it('a credential plugin that sleeps is ended with its child, and the error names it and how to log in first', async () => {
    const clock = new ManualClock();
    const loading = loadKubeconfig({ path: kubeconfig(), env: { PATH: process.env['PATH'] }, clock }).load(false);
    loading.catch(() => undefined);
    await waitFor('the plugin', () => started().length === 1);
    await clock.advance(14_000);

    await expect(loading).rejects.toThrow(
      `credential plugin ${command} had no credentials after 14 s, and was ended; if it waits for a login, log in first`,
    );
    const [, plugin = 0, child = 0] = started()[0] ?? [];
    await waitFor('their end', () => !runs(plugin) && !runs(child));
  });
});

interface Answered {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
}

describe('calls of mcp that wait', () => {
  let clock: ManualClock;
  let client: Client;
  let ending: AbortController;

  async function connect(file: string): Promise<void> {
    [clock, ending] = [new ManualClock(), new AbortController()];
    const source = { kind: 'api' as const, kubeconfig: file, context: undefined, impersonate: undefined };
    const entryPoint = path.join(root, 'dist', 'src', 'main.js');
    const server = createMcpServer(
      { version: '1', namespace: undefined, source },
      { tools: toolsOf([...ASKING, ...STATE]), entryPoint, clock, ending: ending.signal },
    );
    client = new Client({ name: 'test', version: '1' });
    const [near, far] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(far), client.connect(near)]);
  }
  afterEach(async () => {
    ending.abort();
    await client.close();
  });

  const call = (name: string, onprogress?: (progress: { message?: string | undefined }) => void): Promise<Answered> =>
    client.callTool({ name, arguments: {} }, undefined, {
      timeout: 600_000,
      ...(onprogress && { onprogress }),
    }) as Promise<unknown> as Promise<Answered>;

  it('a call of mcp on a hub that does not answer tells its progress, and ends with a sentence before the client gives up', async () => {
    const hub = new HttpHub(heldWorld());
    hub.isSilent = true;
    await connect(await hub.start(folder));
    const messages: (string | undefined)[] = [];
    const answer = call('tree', ({ message }) => void messages.push(message));
    await waitFor('its request', () => hub.requests > 0);
    await clock.advance(10_000);
    await waitFor('its progress', () => messages.length === 2);
    await clock.advance(40_000);

    expect(messages.slice(0, 2)).toEqual([
      'tree runs for 5 s, and is ended after 50 s',
      'tree runs for 10 s, and is ended after 50 s',
    ]);
    expect(await answer).toEqual({
      isError: true,
      content: [
        {
          type: 'text',
          text: 'the call was ended after 50 s: the hub answers slowly, or 4 other calls run; name a namespace, or a placement; explain one cluster, or run the command tree in a terminal, where it may take longer',
        },
      ],
    });
    hub.stop();
  });

  it('five calls of mcp whose plugin sleeps all end, with their commands and plugins', async () => {
    await connect(kubeconfig());
    const answers = Array.from({ length: 5 }, () => call('check'));
    await waitFor('four plugins', () => started().length === 4);
    await clock.advance(50_000);

    expect((await Promise.all(answers)).map(({ isError }) => isError)).toEqual([true, true, true, true, true]);
    await waitFor('their end', () => !started().flat().some(runs));
  });

  it('a call of mcp names the plugin at the end of what that has printed', async () => {
    const failing = path.join(folder, 'failing');
    writeFileSync(failing, `#!/bin/sh\nyes 'open the page of the login' | head -c 20000 >&2\nexit 3\n`);
    chmodSync(failing, 0o700);
    exec = { ...exec, command: failing };
    await connect(kubeconfig());
    const { isError, content } = await call('tree');

    expect(isError).toBe(true);
    expect(content[0]?.text).toContain(`credential plugin ${failing} failed: exit code 3`);
  });
});
