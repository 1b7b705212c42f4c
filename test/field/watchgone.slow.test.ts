/**
 * What people did: they had `status --watch` and `tree --watch` open while the hub went away without a word: its machine was
 * off, or the VPN was down. For 45 s the commands said nothing, and what they showed looked current.
 * Right: a line within 5 s, with the age of what is shown, and another one when the hub can be read again.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it } from '@jest/globals';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { HttpHub } from '../support/fakes/httphub.js';
import { heldWorld } from '../support/fakes/releaseclient.js';
import { root } from '../support/repository/root.js';

const PROGRAM = path.join(root, 'dist', 'src', 'main.js');
/** The 5 s that the commands promise, times three. */
const SOON = { deadlineMs: 15_000 };
const folder = mkdtempSync(path.join(tmpdir(), 'watchgone-'));
let hub: HttpHub;
let kubeconfig: string;
let child: ChildProcess | undefined;

beforeEach(async () => {
  hub = new HttpHub(heldWorld());
  kubeconfig = await hub.start(folder);
});
afterEach(() => {
  child?.kill('SIGKILL');
  hub.stop();
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Printed {
  stdout: string;
  stderr: string;
}

/** Starts a command. */
function start(words: readonly string[]): Printed {
  const printed = { stdout: '', stderr: '' };
  const command = spawn(process.execPath, [PROGRAM, ...words, '--kubeconfig', kubeconfig], { env: {} });
  child = command;
  command.stdout.on('data', (chunk: Buffer) => (printed.stdout += chunk.toString()));
  command.stderr.on('data', (chunk: Buffer) => (printed.stderr += chunk.toString()));
  return printed;
}

/** Starts a command and waits for its first answer. */
async function started(words: readonly string[]): Promise<Printed> {
  const printed = start(words);
  await waitFor('the first answer', () => printed.stdout !== '');
  return printed;
}

it.each([
  ['status', '--watch'],
  ['tree', '-A', '--watch'],
])('%s %s says soon that the hub is gone, how old its answer is, and when it can be read again', async (...words) => {
  const printed = await started(words);
  await waitFor('its watches', () => hub.watches >= 2);

  hub.isSilent = true;
  await waitFor('a line', () => printed.stderr.includes('\n'), SOON);
  expect(printed.stderr).toMatch(
    /^multicluster-engine \w+: waiting for the hub: get version: no response from .*; what is shown is \d+ s old \(\d{4}-\d\d-\d\dT[\d:]+Z\)\n$/,
  );

  hub.isSilent = false;
  await waitFor('the second line', () => printed.stderr.endsWith(': the hub can be read again\n'));
});

it('tree --watch does not wait for a hub that is slow with its lists', async () => {
  hub.onceAt = '/managedclustersetbindings';
  const printed = await started(['tree', '-A', '--watch']);
  await waitFor('the other watches', () => hub.watches >= 2);

  hub.isSilent = true;
  await waitFor('a line', () => printed.stderr.includes('\n'), SOON);
  expect(printed.stderr).toMatch(/^multicluster-engine tree: waiting for the hub: get version: no response from /);
});

it.each([
  ['status', '--watch'],
  ['tree', '-A', '--watch'],
])('%s %s of a hub that says nothing from the beginning says that it waits', async (...words) => {
  hub.isSilent = true;
  const printed = start(words);
  await waitFor('a line', () => printed.stderr.includes('\n'), SOON);
  expect(printed.stderr).toMatch(/^multicluster-engine \w+: waiting for the first answer of the hub\n$/);
});
