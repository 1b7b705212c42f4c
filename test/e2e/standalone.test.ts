import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { describeWithKubectl } from '../support/clients/kubectl.js';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { root } from '../support/repository/root.js';
import { Standalone } from '../support/processes/standalone.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

const MINUTE = 60_000;
const ENGINE = path.join(root, 'examples', 'engine.yaml');
/** `make run ARGS='…'` in the repository, with the flags of a launch. It never replaces the packages that the tests use. */
const MAKE_RUN = [
  'bash',
  '-c',
  `shift; exec make -C '${root}' --no-print-directory --old-file=node_modules/.package-lock.json run ARGS="$*"`,
  'make',
] as const;

describeWithKubectl('standalone', () => {
  let folder: string;
  const running: Standalone[] = [];

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-standalone-'));
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((one) => one.stop()));
    rmSync(folder, { recursive: true, force: true });
  }, 3 * MINUTE);

  async function start(...flags: string[]): Promise<Standalone> {
    const standalone = await Standalone.launch(folder, flags);
    running.push(standalone);
    await standalone.up();
    return standalone;
  }

  /** The exit code and the last line of a process that does not start. */
  async function refused(where: string, ...flags: string[]): Promise<readonly unknown[]> {
    const standalone = await Standalone.launch(where, flags);
    running.push(standalone);
    return standalone.refusal();
  }

  const kubectl = (standalone: Standalone, ...args: string[]): Promise<string> =>
    kubectlOk(args, { kubeconfig: standalone.kubeconfig });

  /** Creates an engine and waits for it; returns the pids of its components' processes. */
  async function engine(standalone: Standalone): Promise<readonly number[]> {
    await kubectl(standalone, 'apply', '-f', ENGINE);
    await available(standalone);
    return componentsOf(standalone);
  }

  async function available(standalone: Standalone): Promise<void> {
    await kubectl(standalone, 'wait', '--for=condition=Available', 'mce/engine', '--timeout=120s');
  }

  it(
    'a standalone exits with all its child processes at Ctrl-C, and leaves neither token nor key of a component',
    async () => {
      const standalone = await start();
      const pids = await engine(standalone);
      expect(podsOf(standalone).length).toBeGreaterThanOrEqual(2);
      expect(readdirSync(path.join(folder, 'pods')).length).toBe(podsOf(standalone).length);

      expect(await standalone.interrupt()).toEqual({ code: 0, signal: null });
      expect(pids.filter((pid) => isRunning(pid))).toEqual([]);
      expect(readdirSync(path.join(folder, 'pods'))).toEqual([]);
    },
    6 * MINUTE,
  );

  it.each(['starting the Kubernetes API', 'making 5000 example clusters'])(
    'a standalone exits cleanly at Ctrl-C while it is %s, and releases its folder',
    async (step) => {
      const standalone = await Standalone.launch(folder, ['--seed-fleet=5000']);
      running.push(standalone);
      await standalone.begins(step);

      const { code, signal } = await standalone.interrupt();

      expect([code, signal]).toEqual([0, null]);
      // Its last output may arrive after its exit.
      await standalone.line('that it stops', (line) => line === 'stopping ...');
      expect(standalone.printed.at(-1)).toBe('stopping ...');
      expect(
        readdirSync(folder)
          .filter((name) => name.startsWith('lock-'))
          .map((name) => readFileSync(path.join(folder, name), 'utf8')),
      ).toEqual(['']);
    },
    3 * MINUTE,
  );

  it(
    'a standalone continues after SIGKILL with the same objects, credentials and processes',
    async () => {
      const first = await start();
      const pids = await engine(first);
      await kubectl(first, 'create', 'configmap', 'kept', '--from-literal=key=value');
      const token = (await kubectl(first, 'create', 'token', 'default')).trim();
      const before = JSON.parse(await kubectl(first, 'get', 'mce', 'engine', '-o', 'json'));
      await first.kill();
      await waitFor('the components to be gone with it', () => pids.every((pid) => !isRunning(pid)));

      const second = await start();
      expect(await kubectl(second, 'get', 'configmap', 'kept', '-o', 'jsonpath={.data.key}')).toBe('value');
      expect(
        await kubectl(second, 'auth', 'whoami', `--token=${token}`, '-o', 'jsonpath={.status.userInfo.username}'),
      ).toBe('system:serviceaccount:default:default');
      await waitFor('the components to run again', () => podsOf(second).length === podsOf(first).length);
      await available(second);
      const after = JSON.parse(await kubectl(second, 'get', 'mce', 'engine', '-o', 'json'));
      expect([after.metadata.uid, after.metadata.generation]).toEqual([
        before.metadata.uid,
        before.metadata.generation,
      ]);

      await kubectl(second, 'annotate', 'mce', 'engine', 'multicluster.platform.io/reconcile-requested-at=again');
      await kubectl(
        second,
        'wait',
        '--for=jsonpath={.status.lastHandledReconcileAt}=again',
        '--timeout=60s',
        'mce/engine',
      );
      // No other process has held the Lease, so none had to expire.
      expect(
        await kubectl(
          second,
          'get',
          'lease',
          'multicluster-engine-engine',
          '-n',
          'multicluster-engine-operator',
          '-o',
          'jsonpath={.spec.leaseTransitions}',
        ),
      ).toBe('0');
    },
    6 * MINUTE,
  );

  it(
    'a standalone with --ephemeral drops its objects and keeps its credentials',
    async () => {
      const first = await start('--ephemeral');
      await kubectl(first, 'create', 'configmap', 'lost');
      const credentials = readFileSync(path.join(folder, 'ca.crt'), 'utf8');
      expect(await refused(folder)).toEqual([1, inUseBy(first)]);
      expect(await first.interrupt()).toEqual({ code: 0, signal: null });
      expect(existsSync(path.join(folder, 'store'))).toBe(false);

      const second = await start('--ephemeral');
      // Created again by a controller at some time.
      await waitFor('the certificates', async () =>
        (await kubectl(second, 'get', 'configmaps', '-o', 'name')).includes('configmap/kube-root-ca.crt'),
      );
      expect(await kubectl(second, 'get', 'configmaps', '-o', 'name')).toBe('configmap/kube-root-ca.crt\n');
      expect(readFileSync(path.join(folder, 'ca.crt'), 'utf8')).toBe(credentials);
    },
    5 * MINUTE,
  );

  it(
    'a standalone rejects a store whose log is missing, and changes nothing',
    async () => {
      const first = await start();
      await kubectl(first, 'create', 'configmap', 'kept');
      await first.interrupt();
      const [segment = ''] = readdirSync(path.join(folder, 'store')).filter((name) => name.startsWith('segment-'));
      const log = path.join(folder, 'store', segment);
      const whole = readFileSync(log);
      writeFileSync(log, '');
      expect(await refused(folder)).toEqual([
        1,
        expect.stringContaining(
          `${log} is damaged at offset 0: it is missing or empty, though this folder has held a store`,
        ),
      ]);

      writeFileSync(log, whole);
      expect(await kubectl(await start(), 'get', 'configmap', 'kept', '-o', 'name')).toBe('configmap/kept\n');
    },
    5 * MINUTE,
  );

  it(
    'a standalone whose default ports are in use takes others, which its kubeconfig and its output have',
    async () => {
      const takers = [6443, 8443].map((port) => createServer().listen(port, '127.0.0.1'));
      // A port that another process holds is in use, too.
      await Promise.all(takers.map((taker) => Promise.race([once(taker, 'listening'), once(taker, 'error')])));
      try {
        const standalone = await Standalone.launch(folder, ['--seed-fleet=3'], { addresses: 'default' });
        running.push(standalone);
        await standalone.up();

        const taken = standalone.printed.flatMap((line) => / is in use: (.*) takes (\S+) /.exec(line)?.slice(1) ?? []);
        expect(taken).toEqual(['the Kubernetes API', expect.any(String), 'the HTTPS interface', expect.any(String)]);
        expect(readFileSync(standalone.kubeconfig, 'utf8')).toContain(`server: https://${taken[1]}\n`);
        expect(standalone.printed.join('\n')).toContain(`the HTTPS interface answers on https://${taken[3]}.`);
        expect((await kubectl(standalone, 'get', 'mcl', '-o', 'name')).split('\n').filter(Boolean)).toHaveLength(3);
        await engine(standalone);
      } finally {
        for (const taker of takers) taker.close();
      }
    },
    5 * MINUTE,
  );

  it(
    'make run compiles the program, and starts a hub with the flags of ARGS that ends at Ctrl-C',
    async () => {
      const flags = ['--ephemeral', '--seed-fleet', '200'];
      const standalone = await Standalone.launch(folder, flags, { command: MAKE_RUN });
      running.push(standalone);
      await standalone.up({ deadlineMs: 3 * MINUTE });

      expect(standalone.printed[0]).toBe('compiling ...');
      expect((await kubectl(standalone, 'get', 'mcl', '-o', 'name')).split('\n').filter(Boolean)).toHaveLength(200);
      // A terminal sends it to make and to what make runs.
      process.kill(-standalone.pid, 'SIGINT');
      await standalone.exited;
      await expect(kubectl(standalone, 'get', 'mcl')).rejects.toThrow('refused');
    },
    6 * MINUTE,
  );

  it(
    'a standalone rejects --audit-log=/dev/null/log and names it',
    async () => {
      expect(await refused(folder, '--audit-log=/dev/null/log')).toEqual([
        1,
        expect.stringMatching(/--audit-log=\/dev\/null\/log cannot be written: a part of its path is not a folder/),
      ]);
    },
    3 * MINUTE,
  );

  describe('that runs', () => {
    let standalone: Standalone;
    let shared: string;

    beforeAll(async () => {
      shared = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-standalone-'));
      standalone = await Standalone.launch(shared, ['--listen=0.0.0.0:0']);
      await standalone.up();
    }, 3 * MINUTE);
    afterAll(async () => {
      await standalone.stop();
      rmSync(shared, { recursive: true, force: true });
    }, MINUTE);

    it('a standalone listens on all addresses when configured so, and prints one that clients can use', async () => {
      expect(readFileSync(standalone.kubeconfig, 'utf8')).toMatch(/server: https:\/\/127\.0\.0\.1:\d+/);
      expect(await kubectl(standalone, 'get', 'namespace', 'default', '-o', 'name')).toBe('namespace/default\n');
      expect(standalone.printed.join('\n')).toContain('The API listens on every address of this machine');
    });

    it.each([[[]], [['--ephemeral']]])(
      'a standalone rejects a folder in use with the pid of the process that uses it, and changes nothing in it (%j)',
      async (flags) => {
        const kubeconfig = readFileSync(standalone.kubeconfig, 'utf8');

        expect(await refused(shared, ...flags)).toEqual([1, inUseBy(standalone)]);
        expect(readFileSync(standalone.kubeconfig, 'utf8')).toBe(kubeconfig);
        expect(await kubectl(standalone, 'get', 'namespace', 'default', '-o', 'name')).toBe('namespace/default\n');
      },
      MINUTE,
    );

    it(
      'a standalone reports which address is in use, and the flag for another one',
      async () => {
        const address = /server: https:\/\/(\S+)/.exec(readFileSync(standalone.kubeconfig, 'utf8'))?.[1] ?? '';

        expect(await refused(folder, `--listen=${address}`)).toEqual([
          1,
          expect.stringMatching(/EADDRINUSE.*; use another address with --listen=HOST:PORT$/),
        ]);
      },
      MINUTE,
    );
  });
});

/** What is said to another process that takes its folder. */
function inUseBy({ pid }: Standalone): unknown {
  return expect.stringMatching(
    new RegExp(` is in use by process ${pid}: stop that, or take another folder with --data-dir=DIR$`),
  );
}

/** The pods of the components in its output; a restarted one counts once. */
function podsOf({ printed }: Standalone): readonly string[] {
  return [...new Set(printed.flatMap((line) => /^started (\S+) \(pid \d+\)$/.exec(line)?.slice(1) ?? []))];
}

/** The pids of the components in its output. */
function componentsOf({ printed }: Standalone): readonly number[] {
  return printed.flatMap((line) => /^started \S+ \(pid (\d+)\)$/.exec(line)?.slice(1).map(Number) ?? []);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
