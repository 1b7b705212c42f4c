import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import {
  checkFolders,
  consoleAddress,
  gatewayAddresses,
  startApiAt,
  startErrorMessage,
  withApiAddress,
  withGatewayAddress,
} from '../../src/standalone/preflight.js';
import { readConfig } from '../support/commandline.js';
import type { StandaloneConfig } from '../../src/standalone/flags.js';
import { freePorts } from '@multicluster-engine/kube-apiserver';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'preflight-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The message of the error; 'fine' without one. */
async function messageOf(work: Promise<void>): Promise<string> {
  return work.then(
    () => 'fine',
    (error: unknown) => (error instanceof Error ? error.message.replaceAll(folder, 'FOLDER') : ''),
  );
}

describe('the data folder', () => {
  it.each([
    ['that does not exist is created', 'none', 'fine'],
    [
      'that is a file is refused',
      'file',
      '--data-dir=FOLDER/file cannot be used: a part of its path is not a folder: correct it, or take another place',
    ],
    [
      'whose store is a file is refused',
      'odd',
      '--data-dir=FOLDER/odd cannot be used: FOLDER/odd/store: a part of its path is not a folder: correct it, or take another place',
    ],
  ])('a data folder %s', async (_name, name, message) => {
    writeFileSync(path.join(folder, 'file'), '');
    mkdirSync(path.join(folder, 'odd'));
    writeFileSync(path.join(folder, 'odd', 'store'), '');
    expect(await messageOf(checkFolders({ dataDir: path.join(folder, name), auditLog: undefined }))).toBe(message);
  });

  it('the data folder is named when its log cannot be written', async () => {
    mkdirSync(path.join(folder, 'logs', 'standalone.log'), { recursive: true });
    expect(await messageOf(checkFolders({ dataDir: folder, auditLog: undefined }))).toMatch(
      /^--data-dir=FOLDER cannot be used: FOLDER\/logs\/standalone\.log: it is a folder: correct it, or take another place$/,
    );
  });

  it('the data folder is named when its disk is full', () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    });
    expect(startErrorMessage(full, '/data')).toBe(
      '--data-dir=/data: no space is left on its disk: make room there, or take another folder with --data-dir=DIR',
    );
  });
});

/** No flag sets an address. */
const NONE = { listen: false, gatewayListen: false, consoleListen: false };

describe('the addresses', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  /** Listens on two adjacent ports, the first of which is `port`. */
  async function takeTwo(): Promise<number> {
    for (const port of await freePorts(20)) {
      try {
        await listenOn(port);
        await listenOn(port + 1);
        return port;
      } catch {
        // Another process listens on the second port.
      }
    }
    throw new Error('no two adjacent ports are free');
  }

  async function listenOn(port: number): Promise<void> {
    const server = createServer().listen(port, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
  }

  /** A configuration as if the defaults were these ports. */
  function withDefaults(ports: Partial<Record<'api' | 'gateway' | 'console', number>>): StandaloneConfig {
    const config = readConfig(['standalone'], {});
    if (config.command !== 'standalone') throw new Error(config.command);
    return {
      ...config,
      listen: { host: '127.0.0.1', port: ports.api ?? config.listen.port },
      gatewayListen: { host: '127.0.0.1', port: ports.gateway ?? config.gatewayListen.port },
      consoleListen: { host: '127.0.0.1', port: ports.console ?? 9444 },
    };
  }

  async function withConsole(config: StandaloneConfig, print: (line: string) => void): Promise<StandaloneConfig> {
    return { ...config, consoleListen: await consoleAddress(config, print) };
  }

  it('port 0 of the gateway is a free port before it is reported anywhere', async () => {
    const { gatewayListen } = await withGatewayAddress(withDefaults({ gateway: 0 }), () => undefined);

    expect(gatewayListen).toEqual({ host: '127.0.0.1', port: expect.any(Number) });
    expect(gatewayListen.port).toBeGreaterThan(0);
  });

  it.each([
    ['listen', 'the Kubernetes API', withApiAddress, (port: number) => withDefaults({ api: port })],
    ['gateway-listen', 'the HTTPS interface', withGatewayAddress, (port: number) => withDefaults({ gateway: port })],
    ['console-listen', 'the console', withConsole, (port: number) => withDefaults({ console: port })],
  ] as const)(
    'a default port of --%s that is in use is replaced by the next free one, and a line says so',
    async (flag, what, select, configOf) => {
      const taken = await takeTwo();
      const lines: string[] = [];

      const { listen, gatewayListen, consoleListen } = await select(configOf(taken), (line) => lines.push(line));

      const { port = 0 } = { listen, 'gateway-listen': gatewayListen, 'console-listen': consoleListen }[flag] ?? {};
      expect(port).toBeGreaterThan(taken + 1);
      await listenOn(port);
      expect(lines).toEqual([
        `127.0.0.1:${taken} is in use: ${what} takes 127.0.0.1:${port} (--${flag}=HOST:PORT selects another address)`,
      ]);
    },
  );

  it('a free default port is kept, and no line is printed', async () => {
    const [api = 0, gateway = 0, page = 0] = await freePorts(3);
    const config = withDefaults({ api, gateway, console: page });
    const lines: string[] = [];

    for (const select of [withApiAddress, withGatewayAddress, withConsole])
      expect(await select(config, (line) => lines.push(line))).toEqual(config);
    expect(lines).toEqual([]);
  });

  it('the API does not take the port that the gateway is to listen on', async () => {
    const taken = await takeTwo();
    servers.pop()?.close();
    const { listen } = await withApiAddress(withDefaults({ api: taken, gateway: taken + 1 }), () => undefined);

    expect(listen.port).toBeGreaterThan(taken + 1);
  });

  it('another default port is taken when a process takes the selected one before the API listens on it', async () => {
    const [api = 0] = await freePorts(1);
    const ports: number[] = [];
    const start = async ({ listen }: StandaloneConfig): Promise<string> => {
      ports.push(listen.port);
      if (ports.length === 1) await listenOn(listen.port);
      await listenOn(listen.port);
      return 'started';
    };

    expect(await startApiAt(withDefaults({ api }), () => undefined, start)).toBe('started');
    expect(ports).toEqual([api, expect.any(Number)]);
    expect(ports[1]).toBeGreaterThan(api);
  });

  it.each([
    ['a requested port that is in use', true, 'EADDRINUSE'],
    ['another error', false, 'EACCES'],
  ])('%s ends the start of the API at once', async (_what, listen, code) => {
    const [api = 0] = await freePorts(1);
    const config = { ...withDefaults({ api }), requested: { ...NONE, listen } };
    const error = Object.assign(new Error(code), { code });
    let starts = 0;

    await expect(
      startApiAt(
        config,
        () => undefined,
        async () => Promise.reject((starts++, error)),
      ),
    ).rejects.toBe(error);
    expect(starts).toBe(1);
  });

  it('a gateway that starts after another process has taken its default port gets the next free one, and keeps it', async () => {
    const [free = 0] = await freePorts(1);
    const lines: string[] = [];
    const next = gatewayAddresses(withDefaults({ gateway: free }), (line) => lines.push(line));

    expect(await next()).toBe(`127.0.0.1:${free}`);
    await listenOn(free);
    const moved = await next();
    servers.pop()?.close();

    expect(Number(moved.split(':')[1])).toBeGreaterThan(free);
    expect(await next()).toBe(moved);
    expect(lines).toEqual([expect.stringContaining(`the HTTPS interface takes ${moved} `)]);
  });

  it('a gateway whose address was requested keeps it, so that its log has the reason', async () => {
    const taken = await takeTwo();
    const config = { ...withDefaults({ gateway: taken }), requested: { ...NONE, gatewayListen: true } };

    expect(await gatewayAddresses(config, () => undefined)()).toBe(`127.0.0.1:${taken}`);
  });

  it('an IPv6 address of the gateway is in brackets, as its process reads it', async () => {
    const requested = { ...NONE, gatewayListen: true };
    const config = { ...withDefaults({}), gatewayListen: { host: '::1', port: 9443 }, requested };

    expect(await gatewayAddresses(config, () => undefined)()).toBe('[::1]:9443');
  });

  it('a requested port of the gateway that is in use is an error with the flag and the address', async () => {
    const taken = await takeTwo();
    const config = { ...withDefaults({ gateway: taken }), requested: { ...NONE, gatewayListen: true } };

    await expect(withGatewayAddress(config, () => undefined)).rejects.toThrow(
      new RegExp(`^--gateway-listen=127.0.0.1:${taken} cannot be listened on: .*EADDRINUSE`),
    );
  });

  it('a requested port of the API is kept, so that listening reports it', async () => {
    const taken = await takeTwo();
    const config = { ...withDefaults({ api: taken }), requested: { ...NONE, listen: true } };

    expect(await withApiAddress(config, () => undefined)).toBe(config);
  });
});
