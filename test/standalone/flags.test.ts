import path from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { readConfig } from '../support/commandline.js';
import { version } from '../../src/runtime/process/build.js';

function read(...args: readonly string[]): unknown {
  const config = readConfig(['standalone', ...args], {});
  return config.command === 'usage' ? config.text.trim() : config;
}

describe('the standalone command', () => {
  it('the standalone command needs no flag at all', () => {
    expect(read()).toEqual({
      command: 'standalone',
      version: version(),
      dataDir: path.resolve('.standalone'),
      listen: { host: '127.0.0.1', port: 6443 },
      gatewayListen: { host: '127.0.0.1', port: 8443 },
      consoleListen: { host: '127.0.0.1', port: 9444 },
      requested: { listen: false, gatewayListen: false, consoleListen: false },
      ephemeral: false,
      seedFleet: 0,
      demoFleet: 0,
      auditLog: undefined,
      logLevel: 'info',
      tracing: undefined,
    });
  });

  it.each<[string, object]>([
    ['--data-dir=/tmp/x', { dataDir: '/tmp/x' }],
    [
      '--listen=127.0.0.1:0',
      {
        listen: { host: '127.0.0.1', port: 0 },
        requested: { listen: true, gatewayListen: false, consoleListen: false },
      },
    ],
    ['--gateway-listen=[::1]:9443', { gatewayListen: { host: '::1', port: 9443 }, requested: { gatewayListen: true } }],
    ['--console-listen=[::1]:0', { consoleListen: { host: '::1', port: 0 }, requested: { consoleListen: true } }],
    ['--console-listen=none', { consoleListen: undefined }],
    ['--ephemeral', { ephemeral: true }],
    ['--seed-fleet=12', { seedFleet: 12 }],
    ['--demo-fleet=1000', { demoFleet: 1_000 }],
    ['--audit-log=audit.log', { auditLog: path.resolve('audit.log') }],
  ])('the standalone command takes %s', (flag, expected) => {
    expect(read(flag)).toMatchObject(expected);
  });

  it('an address in a variable of the environment is a requested one, and an empty variable is not', () => {
    const config = readConfig(['standalone'], {
      MULTICLUSTER_ENGINE_API_LISTEN: '127.0.0.1:6443',
      MULTICLUSTER_ENGINE_GATEWAY_LISTEN: '',
    });

    expect(config).toMatchObject({ requested: { listen: true, gatewayListen: false } });
  });

  it.each([
    ['--seed-fleet=many', '--seed-fleet must be a whole number from 0 to 10000, got "many"'],
    ['--seed-fleet=10001', '--seed-fleet must be a whole number from 0 to 10000, got "10001"'],
    ['--demo-fleet=-1', '--demo-fleet must be a whole number from 0 to 1000, got "-1"'],
    ['--demo-fleet=1001', '--demo-fleet must be a whole number from 0 to 1000, got "1001"'],
    ['--data-dir=', '--data-dir must be a folder, got ""'],
    [
      '--gateway-listen=127.0.0.1:6443',
      '--gateway-listen must be an address with another port than the API, got "127.0.0.1:6443"',
    ],
    [
      '--console-listen=0.0.0.0:9444',
      '--console-listen must be an address of this machine alone, such as 127.0.0.1:8090, got "0.0.0.0:9444"',
    ],
    ['--kubeconfig=x', 'unknown flag "--kubeconfig" (see multicluster-engine standalone --help)'],
  ])('the standalone command refuses %s', (flag, line) => {
    expect(read(flag)).toBe(`multicluster-engine: ${line}`);
  });
});
