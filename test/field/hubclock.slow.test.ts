/**
 * What people did: `check` on a laptop whose clock was 20 s ahead of the hub's. It said that every Lease had expired and that
 * no controller runs, and ended with 1. `release --for 5m` wrote an end that was 20 s off.
 * Right: a time of the hub is compared with the clock of the hub, which is in the header Date of every response, and one line
 * says that the two clocks differ.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ENGINE_LEASE, OPERATOR_NAMESPACE } from '../../src/api/names.js';
import { NAMESPACE } from '../support/builders/world.js';
import { HttpHub } from '../support/fakes/httphub.js';
import { heldWorld } from '../support/fakes/releaseclient.js';
import { root } from '../support/repository/root.js';

const PROGRAM = path.join(root, 'dist', 'src', 'main.js');
const folder = mkdtempSync(path.join(tmpdir(), 'hubclock-'));
let hub: HttpHub;
let kubeconfig: string;

beforeEach(async () => {
  hub = new HttpHub(heldWorld());
  kubeconfig = await hub.start(folder);
});
afterEach(() => hub.stop());
afterAll(() => rmSync(folder, { recursive: true }));

interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

function run(...words: readonly string[]): Promise<Printed> {
  const child = spawn(process.execPath, [PROGRAM, ...words, '--kubeconfig', kubeconfig], { env: {} });
  const printed = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (printed.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (printed.stderr += chunk.toString()));
  return new Promise((resolve) => child.on('close', () => resolve(printed)));
}

/** A Lease that was renewed just now by the clock of the hub, and ended long ago by that of this machine. */
function renewLease(): void {
  const at = `/apis/coordination.k8s.io/v1/namespaces/${OPERATOR_NAMESPACE}/leases/${ENGINE_LEASE}`;
  const renewTime = new Date(Date.now() + hub.aheadMs).toISOString().replace('Z', '000Z');
  hub.objects.set(at, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: ENGINE_LEASE, namespace: OPERATOR_NAMESPACE, resourceVersion: '1', uid: 'u' },
    spec: { holderIdentity: 'operator-1', leaseDurationSeconds: 15, renewTime },
  });
}

describe.each([
  ['an hour ahead of', -5_400_000, '1 h ahead of'],
  ['an hour behind', 5_400_000, '1 h behind'],
])('a machine whose clock is %s that of the hub', (words, aheadMs, apart) => {
  beforeEach(() => void (hub.aheadMs = aheadMs));
  const note = new RegExp(`: the clock of this machine is ${apart} that of the hub, which is used\n`);

  it(`check on a machine ${words} the hub sees the holder of a Lease, and says once that the clocks differ`, async () => {
    renewLease();
    const { stdout, stderr } = await run('check');

    expect(stdout).toContain(`Lease ${ENGINE_LEASE} is held by operator-1`);
    expect(stderr).toMatch(new RegExp(`^multicluster-engine check${note.source}$`));
  });

  it(`release on a machine ${words} the hub writes an end by the clock of the hub`, async () => {
    const before = Date.now() + aheadMs;
    const { stderr } = await run('release', 'placement', 'web', '-n', NAMESPACE, '--clusters', '*', '--for', '30m');
    const [until = ''] = /\d{4}-\d\d-\d\dT[\d:]+Z/.exec(hub.patches.join('')) ?? [];

    expect(stderr).toMatch(note);
    // The header has whole seconds; the command may start late.
    expect(Date.parse(until) - before).toBeGreaterThan(29 * 60_000);
    expect(Date.parse(until) - before).toBeLessThan(59 * 60_000);
  });
});

it('check says nothing of the clocks where they agree', async () => {
  renewLease();
  const { stdout, stderr } = await run('check');

  expect(stdout).toContain(`Lease ${ENGINE_LEASE} is held by operator-1`);
  expect(stderr).toBe('');
});

it.each([
  ['status'],
  ['tree', '-A'],
  ['explain', 'placement', 'web', '-n', NAMESPACE],
  ['history', 'placement', 'web', '-n', NAMESPACE],
  ['who-selects', 'prod-eu-1'],
  ['plan', '--set', 'mcl/prod-eu-1:a=b'],
  ['pause', 'placement', 'web', '-n', NAMESPACE, '--dry-run'],
  ['drain', 'prod-eu-1', '--dry-run'],
])('%s goes by the clock of the hub where that of the machine is wrong', async (...command) => {
  hub.aheadMs = 5_400_000;
  const { stderr } = await run(...command);

  expect(stderr.match(/the clock of this machine is 1 h behind that of the hub/g)).toHaveLength(1);
});
