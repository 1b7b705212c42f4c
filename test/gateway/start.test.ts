import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { timestamp } from '../../src/runtime/vocabulary/meta.js';
import { validityProblem } from '../../src/runtime/vocabulary/keypair.js';
import { parseServingPair, type ServingCertificate } from '../../src/runtime/tls/serving.js';
import { startChild, freePorts } from '@multicluster-engine/kube-apiserver';
import { systemClock } from '../../src/runtime/clock.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { pairFor, startRig, type Rig } from './rig.js';
import { RecordingUpstream } from './upstream.js';
import { open, sendRaw } from './rawclient.js';

const program = fileURLToPath(new URL('../../src/main.js', import.meta.url));

let folder = '';
/** The certificate of the API server, which the file `ca` verifies. */
let behind: ServingCertificate;
let files: Readonly<Record<'cert' | 'key' | 'other' | 'ca' | 'nonsense' | 'missing', string>> = {
  cert: '',
  key: '',
  other: '',
  ca: '',
  nonsense: '',
  missing: '',
};

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gateway-start-'));
  const [pair, other] = await Promise.all([pairFor(), pairFor()]);
  behind = other;
  const put = (name: string, text: string): string => {
    writeFileSync(path.join(folder, name), text, { mode: 0o600 });
    return path.join(folder, name);
  };
  files = {
    cert: put('tls.crt', pair.certificate),
    key: put('tls.key', pair.privateKey),
    other: put('other.key', other.privateKey),
    ca: put('ca.crt', other.certificate),
    nonsense: put('nonsense', 'nonsense'),
    missing: path.join(folder, 'missing'),
  };
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  const child = spawn(
    process.execPath,
    [
      program,
      'gateway',
      '--listen=127.0.0.1:0',
      '--metrics-listen=127.0.0.1:0',
      '--health-listen=127.0.0.1:0',
      ...args,
    ],
    { env: { PATH: process.env['PATH'] ?? '', ...env }, timeout: 120_000 },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}

describe('a gateway process', () => {
  it.each<[string, (f: typeof files) => string[], string]>([
    [
      'a certificate and a key that do not match',
      (f) => [`--tls-cert=${f.cert}`, `--tls-key=${f.other}`, `--upstream-ca=${f.ca}`],
      'the private key does not belong to the certificate',
    ],
    [
      'a missing certificate',
      (f) => [`--tls-cert=${f.missing}`, `--tls-key=${f.key}`, `--upstream-ca=${f.ca}`],
      'missing: cannot be read: no such file',
    ],
    [
      'a device as CA',
      (f) => [`--tls-cert=${f.cert}`, `--tls-key=${f.key}`, '--upstream-ca=/dev/zero'],
      '/dev/zero: cannot be read: it is no regular file',
    ],
    [
      'a CA that is not a certificate',
      (f) => [`--tls-cert=${f.cert}`, `--tls-key=${f.key}`, `--upstream-ca=${f.nonsense}`],
      'the file of authorities is not a certificate in PEM',
    ],
  ])('a gateway process does not start with %s, and prints one line that names it', async (_what, args, reason) => {
    const { code, output } = await run([...args(files), '--upstream=https://127.0.0.1:1']);

    expect(code).toBe(1);
    expect(output.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(output)).toMatchObject({
      level: 'error',
      msg: 'cannot start',
      reason: expect.stringContaining(reason),
    });
  });

  it('a gateway process does not start when the environment disables TLS verification, and prints one line that names the variable', async () => {
    const { code, output } = await run(
      [
        `--tls-cert=${files.cert}`,
        `--tls-key=${files.key}`,
        `--upstream-ca=${files.ca}`,
        '--upstream=https://127.0.0.1:1',
      ],
      { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
    );

    expect(code).toBe(2);
    expect(output).toMatch(
      /^multicluster-engine: the variable NODE_TLS_REJECT_UNAUTHORIZED must not be set for a gateway: [^\n]+\n$/,
    );
  });

  it('a gateway process serves, reports its health, and exits cleanly at a signal', async () => {
    const [port = 0, metrics = 0, health = 0] = await freePorts(3);
    const upstream = new RecordingUpstream(behind);
    const child = await startChild({
      command: [
        process.execPath,
        program,
        'gateway',
        `--listen=127.0.0.1:${port}`,
        `--metrics-listen=127.0.0.1:${metrics}`,
        `--health-listen=127.0.0.1:${health}`,
        `--tls-cert=${files.cert}`,
        `--tls-key=${files.key}`,
        `--upstream-ca=${files.ca}`,
        `--upstream=${await upstream.start()}`,
        '--shutdown-delay=0s',
      ],
      env: { PATH: process.env['PATH'] ?? '' },
      output: 'pipe',
    });
    child.output.resume();
    const ok = await waitFor('readiness', async () => (await fetch(`http://127.0.0.1:${health}/readyz`)).ok);
    const openapi = await sendRaw('GET /platform/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n', {
      port,
      ca: await certificate(),
    });
    const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();

    expect(ok).toBe(true);
    expect(openapi.replies).toMatchObject([{ status: 200 }]);
    expect(text).toContain(
      'multicluster_gateway_requests_total{route="/platform/openapi.json",method="GET",code="200"} 1',
    );
    expect(await child.stop(9_000)).toMatchObject({ code: 0 });
    expect(upstream.bytes).toBe(0);
    await upstream.stop();
  });
});

describe('the inspector of Node', () => {
  const given = (): string[] => [
    `--tls-cert=${files.cert}`,
    `--tls-key=${files.key}`,
    `--upstream-ca=${files.ca}`,
    '--upstream=https://127.0.0.1:1',
    '--shutdown-delay=0s',
  ];

  it('the inspector of Node is not opened by SIGUSR1, and one line is printed', async () => {
    const [port = 0, metrics = 0, health = 0] = await freePorts(3);
    const child = await startChild({
      command: [
        process.execPath,
        program,
        'gateway',
        `--listen=127.0.0.1:${port}`,
        `--metrics-listen=127.0.0.1:${metrics}`,
        `--health-listen=127.0.0.1:${health}`,
        ...given(),
      ],
      env: { PATH: process.env['PATH'] ?? '' },
      output: 'pipe',
    });
    let output = '';
    child.output.setEncoding('utf8').on('data', (text: string) => (output += text));
    await waitFor('the process to be alive', async () => (await fetch(`http://127.0.0.1:${health}/livez`)).ok);

    process.kill(child.pid, 'SIGUSR1');

    await waitFor('the line', () => output.includes('signal ignored'));
    expect(await child.stop(9_000)).toMatchObject({ code: 0 });
    expect(output).not.toMatch(/Debugger|inspector|ws:/);
  });

  it('an inspector of Node that was opened at the start makes the process exit with one line that says why', async () => {
    const wrapper = path.join(folder, 'opened.mjs');
    writeFileSync(
      wrapper,
      `import { open } from 'node:inspector';\nopen(0, '127.0.0.1');\nawait import(${JSON.stringify(program)});\n`,
    );
    const child = spawn(
      process.execPath,
      [
        wrapper,
        'gateway',
        '--listen=127.0.0.1:0',
        '--metrics-listen=127.0.0.1:0',
        '--health-listen=127.0.0.1:0',
        ...given(),
      ],
      { env: { PATH: process.env['PATH'] ?? '' }, timeout: 120_000 },
    );
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.resume();
    const code = await new Promise((resolve) => child.on('close', resolve));

    expect(code).toBe(1);
    expect(output).toContain('"reason":"a debugger is open, which could read every token"');
  });
});

async function certificate(): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  return readFile(files.cert, 'utf8');
}

describe('a serving certificate', () => {
  it('a serving certificate is served from notBefore to notAfter, and readiness fails outside of that time', async () => {
    const made = await pairFor();
    const pair = parseServingPair(made.certificate, made.privateKey);

    expect(
      [made.notBefore - 1, made.notBefore, made.notAfter - 1, made.notAfter].map((now) => validityProblem(pair, now)),
    ).toEqual([
      `the certificate is not valid before ${timestamp(made.notBefore)}`,
      undefined,
      undefined,
      `the certificate has expired at ${timestamp(made.notAfter)}`,
    ]);
    const late = await startRig({ clock: { ...systemClock, now: () => Date.now() + 91 * 24 * 3600 * 1000 } });
    const { status } = await late.ask({ path: '/readyz', token: '' });
    const reason = late.gateway.readiness().check();
    await late.stop();
    expect([status, reason]).toEqual([503, expect.stringContaining('expired')]);
  });
});

describe('the TLS of a gateway', () => {
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig();
  });

  afterAll(async () => {
    await rig.stop();
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('a gateway accepts %s with HTTP/1.1 only', async (version) => {
    const socket = await open({
      ...rig.wire,
      tls: { minVersion: version, maxVersion: version, ALPNProtocols: ['h2', 'http/1.1'] },
    });

    expect([socket.getProtocol(), socket.alpnProtocol]).toEqual([version, 'http/1.1']);
    socket.destroy();
  });

  it.each<[string, object]>([
    ['TLS 1.0', { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' }],
    ['TLS 1.1', { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }],
    ['a suite without forward secrecy', { maxVersion: 'TLSv1.2', ciphers: 'AES128-GCM-SHA256:AES256-SHA' }],
    [
      'a suite without authenticated encryption',
      { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES128-SHA' },
    ],
    ['HTTP/2 alone', { ALPNProtocols: ['h2'] }],
  ])('a gateway rejects a client with %s', async (_what, tls) => {
    await expect(open({ ...rig.wire, tls })).rejects.toThrow(
      /alert|handshake|protocol|ECONNRESET|version|hang up|disconnected/i,
    );
  });

  it.each<[string, object]>([
    ['none', { servername: '' }],
    ['an odd one', { servername: 'x'.repeat(200) }],
    ['another', { servername: 'other.example' }],
  ])('a gateway serves a client whose server name is %s', async (_what, tls) => {
    const socket = await open({ ...rig.wire, tls: { ...tls, checkServerIdentity: () => undefined } });
    socket.destroy();
    expect((await rig.ask({ path: '/livez', token: '' })).status).toBe(200);
  });

  it('a gateway survives bytes that are not a handshake, and answers plain HTTP with one line', async () => {
    for (const bytes of [
      'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
      '\x16\x03\x01\xff\xff',
      '\x00'.repeat(1000),
      'SSH-2.0-x\r\n',
      '\x80\x2e\x01\x00\x02',
    ]) {
      const back = await new Promise<string>((resolve) => {
        let text = '';
        const socket = connectPlain({ port: rig.wire.port, host: '127.0.0.1' }, () =>
          socket.end(Buffer.from(bytes, 'latin1')),
        );
        socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
        socket.on('error', () => undefined);
        socket.on('close', () => resolve(text));
      });
      expect(back).not.toContain('HTTP/1.1 2');
      if (bytes.startsWith('GET')) {
        const [head = '', body = ''] = back.split('\r\n\r\n');
        expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
        expect(body).toMatch(/^[^\n]+HTTPS[^\n]*\n$/);
      }
    }
    expect((await rig.ask({ path: '/livez', token: '' })).status).toBe(200);
  });

  it('a gateway does not renegotiate TLS', async () => {
    const socket = await open({ ...rig.wire, tls: { maxVersion: 'TLSv1.2' } });

    const outcome = await new Promise<string>((resolve) => {
      socket.on('error', () => resolve('refused'));
      socket.on('close', () => resolve('refused'));
      socket.renegotiate({}, (error) => resolve(error === null ? 'done' : 'refused'));
    });

    expect(outcome).toBe('refused');
    socket.destroy();
  });
});
