import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';

import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { Exit } from '@multicluster-engine/kube-apiserver';
import type { LaunchedProcess } from '../../../src/standalone/local/launcher.js';
import type { PodObject } from '../../../src/standalone/local/podobject.js';
import { exitMessage, Replica, type PodEvent } from '../../../src/standalone/local/replica.js';
import { systemClock } from '../../../src/runtime/clock.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

const PROBE = {
  httpGet: { path: '/healthz', port: 8081 },
  periodSeconds: 0.01,
  timeoutSeconds: 120,
  failureThreshold: 3,
};

/** A process that exits only when it is stopped, by SIGKILL. */
function deaf(address: string): LaunchedProcess {
  let exit: Exit | undefined;
  let end: (how: Exit) => void = () => undefined;
  const exited = new Promise<Exit>((resolve) => (end = resolve));
  return {
    pid: 1,
    output: new PassThrough(),
    exited,
    exit: () => exit,
    kill: () => true,
    async stop() {
      exit = { code: null, signal: 'SIGKILL' };
      end(exit);
      return exit;
    },
    addresses: { HEALTH_LISTEN: address },
    putVolumes: async () => undefined,
  };
}

const CONTAINER = { name: 'main', env: [{ name: 'HEALTH_LISTEN', value: '0.0.0.0:8081' }] };
const POD: PodObject = {
  metadata: { namespace: 'n', name: 'web-1' },
  spec: {
    terminationGracePeriodSeconds: 0,
    containers: [CONTAINER],
  },
};

describe('a replica', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'replica-'));
  const log = path.join(folder, 'web-1.log');
  writeFileSync(log, 'all is well\n');
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  let server: Server;
  let replica: Replica | undefined;
  let code: number;
  let isHanging: boolean;
  const lines: string[] = [];
  const events: PodEvent[] = [];

  beforeEach(async () => {
    code = 200;
    isHanging = false;
    server = createServer((_request, response) => {
      if (isHanging) return;
      response.statusCode = code;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    await replica?.stop();
    server.closeAllConnections();
    server.close();
  });

  /** A replica whose process answers as {@link code} and {@link isHanging} say, at `address`. */
  function started(probe: object = {}): { readonly one: Replica; readonly address: string } {
    const found = server.address();
    const address = `127.0.0.1:${typeof found === 'object' ? found?.port : ''}`;
    const probes = {
      livenessProbe: { ...PROBE, ...probe },
      readinessProbe: { ...PROBE, ...probe, failureThreshold: 1_000 },
    };
    replica = new Replica({
      pod: { ...POD, spec: { ...POD.spec, containers: [{ ...CONTAINER, ...probes }] } },
      launch: async () => ({
        containerID: 'process://n/web-1/0',
        process: deaf(address),
        log,
        refresh: async () => undefined,
      }),
      clock: systemClock,
      onStateChange: () => undefined,
      report: (line) => lines.push(line),
      event: (event) => events.push(event),
    });
    return { one: replica, address };
  }

  it('a replica whose liveness probe fails is stopped, and its report, its state and its Events have the probe as the reason', async () => {
    const { one, address } = started();
    await waitFor('the start', () => one.state.ready);
    code = 500;
    const trouble = await waitFor('the end', () => one.state.problem);

    const why = `web-1 was stopped after its liveness probe failed; its last line: "all is well" (log: ${log})`;
    expect(trouble).toEqual({
      reason: 'CrashLoopBackOff',
      message: expect.stringContaining(`${why}; it is restarted in `),
    });
    expect(lines).toContain(trouble.message);
    expect(events).toEqual([
      { type: 'Normal', reason: 'Started', action: 'Starting', note: 'Started container main' },
      {
        type: 'Warning',
        reason: 'Unhealthy',
        action: 'Probing',
        note: `Liveness probe failed: HTTP 500 from http://${address}/healthz`,
      },
      {
        type: 'Normal',
        reason: 'Killing',
        action: 'Stopping',
        note: 'Stopping container main',
      },
      { type: 'Warning', reason: 'BackOff', action: 'Restarting', note: why },
    ]);
  });

  it('one whose process takes requests and answers none is stopped after as many of them as the probe allows', async () => {
    const { one } = started({ timeoutSeconds: 0.05 });
    await waitFor('the start', () => one.state.ready);
    let asked = 0;
    server.on('request', () => (asked += 1));
    isHanging = true;
    const trouble = await waitFor('the end', () => one.state.problem);

    expect(trouble.message).toContain('was stopped after its liveness probe failed');
    // By two probes.
    expect(asked).toBe(2 * PROBE.failureThreshold);
  });
});

describe('the exit message of a process', () => {
  it.each<[string, Exit, string | undefined, string, string]>([
    ['that exited with an error', { code: 3, signal: null }, undefined, 'no', 'exited with code 3: no'],
    [
      'that exited with an error and printed nothing',
      { code: 3, signal: null },
      undefined,
      '',
      'exited with code 3; it printed nothing',
    ],
    [
      'that exited with code 0',
      { code: 0, signal: null },
      undefined,
      'bye',
      'exited with code 0; its last line: "bye"',
    ],
    [
      'that was terminated by a signal',
      { code: null, signal: 'SIGKILL' },
      undefined,
      'verified',
      'was terminated by SIGKILL; its last line: "verified"',
    ],
    [
      'that was terminated by a signal and printed nothing',
      { code: null, signal: 'SIGKILL' },
      undefined,
      '',
      'was terminated by SIGKILL; it printed nothing',
    ],
    [
      'that the runtime has stopped',
      { code: 0, signal: null },
      'its startup probe failed',
      'x',
      'was stopped after its startup probe failed; its last line: "x"',
    ],
  ])(
    'the exit message of a process %s says the cause, and its last line if it has printed one',
    (_name, exit, killReason, line, text) => {
      expect(exitMessage(exit, killReason, line)).toBe(text);
    },
  );
});
