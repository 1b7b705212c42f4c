import { afterAll, beforeAll, describe, test } from '@jest/globals';

import { missingPrograms } from '../../testing/controlplane/binaries.js';
import { startBackend, type Backend } from '../../testing/controlplane/start.js';
import { givenTarget, targetOf, type ConformanceTarget } from './target.js';

export interface ConformanceNeeds {
  /** Compaction of history, which only a server that the tests started supports. */
  readonly compaction?: true;
}

const START_MS = 180_000;

/**
 * Defines a suite for each server under test: those of CONFORMANCE_SERVERS (`embedded`, and at night `real`, by default), or one that runs
 * already, by CONFORMANCE_URL, CONFORMANCE_CA (a PEM file), CONFORMANCE_TOKEN and CONFORMANCE_KUBECONFIG.
 */
export function describeConformance(
  title: string,
  needs: ConformanceNeeds,
  body: (target: () => ConformanceTarget) => void,
): void {
  for (const backend of backends()) {
    if (needs.compaction === true && backend === 'given') continue;
    const named = `${title} on ${backend}`;
    const missing = backend === 'real' ? missingPrograms('api') : undefined;
    if (missing === undefined) run(named, backend, body);
    else skipSuite(named, missing);
  }
}

/** Defines one suite on all servers, which compares their responses. The first server is the reference. */
export function describeOnAllServers(title: string, body: (targets: () => readonly ConformanceTarget[]) => void): void {
  const servers = backends().toSorted((a, b) => (a === b ? 0 : a === 'real' ? -1 : 1));
  const missing = servers.includes('real') ? missingPrograms('api') : undefined;
  if (missing !== undefined) {
    skipSuite(title, missing);
    return;
  }
  describe(`${title} on ${servers.join(' and ')}`, () => {
    let started: readonly StartedServer[] = [];
    beforeAll(async () => {
      started = await Promise.all(servers.map(startServer));
    }, START_MS);
    afterAll(async () => {
      await Promise.all(started.map(({ stop }) => stop()));
    }, START_MS);
    body(() => started.map(({ target }) => target));
  });
}

interface StartedServer {
  readonly target: ConformanceTarget;
  stop(): Promise<void>;
}

async function startServer(backend: Backend | 'given'): Promise<StartedServer> {
  if (backend === 'given') return { target: givenTarget(), stop: async () => undefined };
  const plane = await startBackend(backend, { size: 'api', label: `conformance-${backend}` });
  return { target: await targetOf(plane, backend), stop: () => plane.stop() };
}

function run(title: string, backend: Backend | 'given', body: (target: () => ConformanceTarget) => void): void {
  describe(title, () => {
    let target: ConformanceTarget | undefined;
    let stop: () => Promise<void> = async () => undefined;
    beforeAll(async () => {
      const started = await startServer(backend);
      target = started.target;
      stop = () => started.stop();
    }, START_MS);
    afterAll(() => stop(), START_MS);
    body(() => {
      if (target === undefined) throw new Error('the server is there inside tests and hooks only');
      return target;
    });
  });
}

/** What a suite expects is what kube-apiserver has answered: it is asked again at night. */
function backends(): readonly (Backend | 'given')[] {
  if ((process.env['CONFORMANCE_URL'] ?? '') !== '') return ['given'];
  const names = (
    process.env['CONFORMANCE_SERVERS'] ?? (process.env['NIGHTLY'] === 'true' ? 'embedded,real' : 'embedded')
  ).split(',');
  return names.map((name) => {
    if (name === 'embedded' || name === 'real') return name;
    throw new Error(`CONFORMANCE_SERVERS: ${JSON.stringify(name)}: must be embedded or real`);
  });
}

/** Skips a suite that cannot run here and prints the reason. With CI=true the suite fails instead. */
export function skipSuite(title: string, missing: string): void {
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
