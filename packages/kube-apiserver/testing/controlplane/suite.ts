import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { missingKubectl, missingPrograms } from './binaries.js';
import { labelOf } from './label.js';
import type { Capability, ControlPlane, StartOptions } from './plane.js';
import { sharedControlPlane } from './shared.js';
import { chosenBackend, serverFor, startBackend } from './start.js';

export interface Needs {
  /** Capabilities beyond reading and writing. `restart` and `compaction` disturb other tests and imply `own`. */
  readonly capabilities?: readonly Capability[];
  /** A server for this test file alone; otherwise it may be shared, with the CRDs installed. */
  readonly own?: boolean;
  /** kube-apiserver, whatever server is selected: for a comparison of the embedded server with it. */
  readonly real?: boolean;
  /** Start options of a server of its own. */
  readonly users?: StartOptions['users'];
  readonly log?: StartOptions['log'];
}

const START_MS = 180_000;

/**
 * A suite with a server. `body` gets a function that returns the server inside tests and hooks. Where the programs are
 * missing, the suite is skipped with one line, and fails with CI=true.
 */
export function describeWithServer(title: string, needs: Needs, body: (server: () => ControlPlane) => void): void {
  const wanted =
    needs.real === true
      ? { ...serverFor(needs.capabilities ?? []), backend: 'real' as const }
      : serverFor(needs.capabilities ?? []);
  const named = `${title} (${needs.real === true ? 'real ' : ''}${sentence(needs.capabilities ?? [])})`;
  const missing = wanted.backend === 'embedded' ? missingKubectl() : missingPrograms(wanted.size);
  if (missing !== undefined) {
    leaveOut(named, missing);
    return;
  }
  describe(named, () => {
    let server: ControlPlane | undefined;
    beforeAll(async () => {
      server = await obtain(wanted, needs);
    }, START_MS);
    afterAll(async () => {
      await server?.stop();
    }, START_MS);
    body(() => {
      if (server === undefined) throw new Error('the server is available only inside tests and hooks');
      return server;
    });
  });
}

/**
 * A `test` with a capability that its suite does not require: skipped by name where the selected server lacks it. Its
 * title contains the capability.
 */
export function testNeeding(capability: Capability): typeof test.skip {
  return serverFor([capability]).backend === chosenBackend() ? test : test.skip;
}

function sentence(capabilities: readonly Capability[]): string {
  return capabilities.length === 0 ? 'API server' : `API server with ${capabilities.join(', ')}`;
}

function obtain({ backend, size }: ReturnType<typeof serverFor>, needs: Needs): Promise<ControlPlane> {
  const { capabilities = [], own = false, users, log } = needs;
  const alone = own || size === 'hub' || backend !== chosenBackend() || users !== undefined || log !== undefined;
  if (!alone && !capabilities.includes('restart') && !capabilities.includes('compaction')) return sharedControlPlane();
  const options = { ...(users === undefined ? {} : { users }), ...(log === undefined ? {} : { log }) };
  return startBackend(backend, { size, label: labelOf(expect.getState().testPath ?? 'test'), ...options });
}

function leaveOut(title: string, missing: string): void {
  if (process.env['CI'] === 'true') {
    test(title, () => {
      throw new Error(missing);
    });
    return;
  }
  process.stderr.write(`not run: ${title}: ${missing}\n`);
  describe.skip(title, () => {
    test('needs a server', () => undefined);
  });
}
