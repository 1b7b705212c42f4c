import { createServer, type Server } from 'node:http';
import { PassThrough } from 'node:stream';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import type { Exit } from '@multicluster-engine/kube-apiserver';
import type { LaunchedProcess } from '../../../../src/standalone/local/process/launcher.js';
import { exitMessage } from '../../../../src/standalone/local/process/tail.js';
import { Replica, type PodEvent } from '../../../../src/standalone/local/pod/replica.js';
import { systemClock } from '../../../../src/runtime/clock.js';
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

describe('a replica', () => {
  let server: Server;
  let replica: Replica | undefined;
  let code: number;
  const lines: string[] = [];
  const events: PodEvent[] = [];

  beforeEach(async () => {
    code = 200;
    server = createServer((_request, response) => {
      response.statusCode = code;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    await replica?.stop();
    server.close();
  });

  it('a replica whose liveness probe fails is stopped, and its report, its state and its Events have the probe as the reason', async () => {
    const found = server.address();
    const address = `127.0.0.1:${typeof found === 'object' ? found?.port : ''}`;
    replica = new Replica({
      name: 'web-1',
      container: { name: 'main', env: [{ name: 'HEALTH_LISTEN', value: '0.0.0.0:8081' }], livenessProbe: PROBE },
      minReadyMs: 0,
      graceMs: 0,
      launch: async () => deaf(address),
      terminationMessage: async () => ({ line: 'all is well', log: '/logs/web-1.log' }),
      clock: systemClock,
      onStateChange: () => undefined,
      report: (line) => lines.push(line),
      event: (event) => events.push(event),
    });
    const one = replica;
    await waitFor('the start', () => one.state.ready);
    code = 500;
    const trouble = await waitFor('the end', () => one.state.problem);

    const why =
      'web-1 was stopped after its liveness probe failed 3 times; its last line: "all is well" (log: /logs/web-1.log)';
    expect(trouble).toEqual({
      reason: 'CrashLoopBackOff',
      message: expect.stringContaining(`${why}; it is restarted in `),
    });
    expect(lines).toContain(trouble.message);
    expect(events).toEqual([
      { type: 'Normal', reason: 'Created', action: 'Starting', note: 'Created container: main' },
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
        note: 'Container main failed liveness probe, will be restarted',
      },
      { type: 'Warning', reason: 'BackOff', action: 'Restarting', note: why },
    ]);
  });
});

describe('the exit message of a process', () => {
  it.each<[string, Exit, string | undefined, string, string]>([
    ['that exited with an error', { code: 3, signal: null }, undefined, 'no', 'exited with code 3: no (log: L)'],
    [
      'that exited with an error and printed nothing',
      { code: 3, signal: null },
      undefined,
      '',
      'exited with code 3: it printed nothing (log: L)',
    ],
    [
      'that exited with code 0',
      { code: 0, signal: null },
      undefined,
      'bye',
      'exited with code 0; its last line: "bye" (log: L)',
    ],
    [
      'that was terminated by a signal',
      { code: null, signal: 'SIGKILL' },
      undefined,
      'verified',
      'was terminated by SIGKILL; its last line: "verified" (log: L)',
    ],
    [
      'that was terminated by a signal and printed nothing',
      { code: null, signal: 'SIGKILL' },
      undefined,
      '',
      'was terminated by SIGKILL; it printed nothing (log: L)',
    ],
    [
      'that the runtime has stopped',
      { code: 0, signal: null },
      'its startup probe failed 1 time',
      'x',
      'was stopped after its startup probe failed 1 time; its last line: "x" (log: L)',
    ],
  ])(
    'the exit message of a process %s has the cause, the last line and the log',
    (_name, exit, killReason, line, text) => {
      expect(exitMessage(exit, killReason, { line, log: 'L' })).toBe(text);
    },
  );
});
