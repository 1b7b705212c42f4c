import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { missingKubectl, missingPrograms } from './binaries.js';
import { labelOf } from './label.js';
import type { Capability, ControlPlane, StartOptions } from './plane.js';
import { sharedControlPlane } from './shared.js';
import { chosenBackend, serverFor, startBackend } from './start.js';

export interface Needs {
  /** Beyond plain reading and writing. `restart` and `compaction` disturb others and imply `own`. */
  readonly capabilities?: readonly Capability[];
  /** A server that no other test file uses; else it may be shared, with the CRDs of `crds/` installed. */
  readonly own?: boolean;
  /** Only kube-apiserver will do, whatever is chosen: for a test that compares the embedded server with it. */
  readonly real?: boolean;
  /** For a server of its own. */
  readonly users?: StartOptions['users'];
  readonly log?: StartOptions['log'];
}

const START_MS = 180_000;

/**
 * A suite that needs a real API server. The title says what of it; `body` gets a function that gives the server, to be
 * called inside tests and hooks. Where the programs are missing, the suite is left out with one line, and with
 * CI=true it fails.
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
      if (server === undefined) throw new Error('the server is there inside tests and hooks only');
      return server;
    });
  });
}

/**
 * `test` for one that needs a capability which its suite does not ask for: left out, by name, where the chosen server lacks it. Its title
 * says what it needs.
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
