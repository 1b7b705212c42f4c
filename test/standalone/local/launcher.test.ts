import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';

import { afterAll, describe, expect, test } from '@jest/globals';

import { launch, type LaunchRequest } from '../../../src/standalone/local/launcher.js';

const folder = mkdtempSync(path.join(tmpdir(), 'launcher-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Prints its arguments, its environment, and the file that CERTIFICATE names. */
const REPORT = `
  const { readFileSync } = require('node:fs');
  const file = process.env.CERTIFICATE;
  const { MULTICLUSTER_ENGINE_IDENTITY: identity, LEASES: leases, KUBECONFIG: kubeconfig, HOME: home, FOLDER: place, PORTLIKE: portlike } = process.env;
  console.log(JSON.stringify({ args: process.argv.slice(1), identity, leases, kubeconfig, home, place, portlike, file: file && readFileSync(file, 'utf8') }));`;

function request(change: Partial<LaunchRequest['container']> = {}, rest: Partial<LaunchRequest> = {}): LaunchRequest {
  return {
    container: { name: 'main', args: ['operator', '--controllers=placement'], ...change },
    pod: { name: 'main-0', namespace: 'here' },
    executable: [process.execPath, '--eval', REPORT, '--'],
    folder: path.join(folder, 'main-0'),
    kubeconfig: '/nowhere/kubeconfig',
    ...rest,
  };
}

async function report(asked: LaunchRequest): Promise<Record<string, unknown>> {
  const launched = await launch(asked);
  const printed: Record<string, unknown> = JSON.parse(await text(launched.output));
  expect(await launched.exited).toEqual({ code: 0, signal: null });
  return printed;
}

describe('a launched container', () => {
  test('a launched container gets its arguments unchanged, its kubeconfig and its folder', async () => {
    const printed = await report(request());

    expect(printed).toMatchObject({
      args: ['operator', '--controllers=placement'],
      kubeconfig: '/nowhere/kubeconfig',
      home: path.join(folder, 'main-0'),
    });
  });

  test('a launched container gets literal values and the fields of its pod', async () => {
    const env = [
      { name: 'MULTICLUSTER_ENGINE_IDENTITY', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'LEASES', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
      { name: 'PORTLIKE', value: '0.0.0.0:8080' },
    ];

    expect(await report(request({ env }))).toMatchObject({
      identity: 'main-0',
      leases: 'here',
      portlike: '0.0.0.0:8080',
    });
  });

  test('a launched container finds the files of its volumes where its variables point', async () => {
    const env = [
      { name: 'CERTIFICATE', value: '/tls/tls.crt' },
      { name: 'FOLDER', value: '/tls' },
    ];
    const volumeMounts = [{ name: 'serving', mountPath: '/tls/' }];

    const printed = await report(request({ env, volumeMounts }, { volumes: { serving: { 'tls.crt': 'PEM' } } }));

    expect(printed).toMatchObject({ file: 'PEM', place: path.join(folder, 'main-0', 'volumes', 'serving') });
  });

  test('a launched container listens on a free port of this machine, whatever the pod template says', async () => {
    const env = [
      { name: 'A_LISTEN', value: '0.0.0.0:8080' },
      { name: 'B_LISTEN', value: '0.0.0.0:8081' },
    ];
    const print = [process.execPath, '--eval', 'console.log(process.env.A_LISTEN)', '--'] as const;

    const launched = await launch(request({ env }, { executable: [...print] }));

    expect(await text(launched.output)).toBe(`${launched.addresses['A_LISTEN']}\n`);
    expect(launched.addresses['A_LISTEN']).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(launched.addresses['B_LISTEN']).not.toBe(launched.addresses['A_LISTEN']);
  });

  test('a launched container inherits no environment variable of this process', async () => {
    const print: LaunchRequest['executable'] = [
      process.execPath,
      '--eval',
      'console.log(Object.keys(process.env).sort().join())',
      '--',
    ];

    const launched = await launch(request({}, { executable: print, overrides: { EXTRA: '1' } }));

    expect(await text(launched.output)).toBe('EXTRA,HOME,KUBECONFIG\n');
  });

  test.each([
    [
      'a secret',
      { secretKeyRef: { key: 'k' } },
      'container main: env X: valueFrom must be a fieldRef of metadata.name or metadata.namespace, got no fieldRef',
    ],
    ['another field', { fieldRef: { fieldPath: 'status.podIP' } }, 'metadata.namespace, got "status.podIP"'],
  ])('a container is rejected when a variable comes from %s', async (_what, valueFrom, message) => {
    await expect(launch(request({ env: [{ name: 'X', valueFrom }] }))).rejects.toThrow(message);
  });

  test('a container is rejected when a mounted volume has no files', async () => {
    const volumeMounts = [{ name: 'serving', mountPath: '/tls' }];

    await expect(launch(request({ volumeMounts }))).rejects.toThrow(
      'container main: volumeMounts: no files are given for volume "serving"',
    );
  });

  test('a container is rejected when its program does not exist', async () => {
    await expect(launch(request({}, { executable: ['/nowhere/node'] }))).rejects.toThrow(
      '/nowhere/node cannot be started',
    );
  });
});
