import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { describeWithKubectl } from '../support/clients/kubectl.js';
import { kubectl, kubectlOk, type KubectlResult } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { root } from '../support/repository/root.js';
import { Standalone } from '../support/processes/standalone.js';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

const MINUTE = 60_000;
const ENGINE = path.join(root, 'examples', 'engine.yaml');
const TOKEN = `
apiVersion: v1
kind: Secret
metadata: {name: robot, annotations: {kubernetes.io/service-account.name: default}}
type: kubernetes.io/service-account-token`;

describeWithKubectl('in a standalone hub', () => {
  let folder: string;
  let standalone: Standalone;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-standalone-'));
    standalone = await Standalone.start(folder);
  }, 5 * MINUTE);
  afterAll(async () => {
    await standalone.stop();
    rmSync(folder, { recursive: true, force: true });
  }, 3 * MINUTE);

  const run = (args: readonly string[], input = ''): Promise<KubectlResult> =>
    kubectl(args, { kubeconfig: standalone.kubeconfig, input });
  const ok = (args: readonly string[], input = ''): Promise<string> =>
    kubectlOk(args, { kubeconfig: standalone.kubeconfig, input });

  it(
    'the node of a standalone hub can be described, and Pods of users cannot be created',
    async () => {
      expect(await ok(['describe', 'node', 'local'])).toMatch(/Non-terminated Pods: +\(0 in total\)/);
      expect(await ok(['get', 'deploy,pods', '-n', 'default'])).toBe('');
      expect(await run(['run', 'x', '--image=x'])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(
          'standalone runs the components of an engine only: other Pods cannot be created',
        ),
      });
      expect(await ok(['explain', 'pod.spec.nodeName'])).toContain('FIELD: nodeName <string>');
    },
    3 * MINUTE,
  );

  it(
    'the status of a Deployment that no engine installed says that it is not run',
    async () => {
      await ok(['create', 'deployment', 'web', '--image=nginx']);
      const rollout = await run(['rollout', 'status', 'deployment/web', '--timeout=120s']);
      expect([rollout.code, rollout.stderr]).toEqual([1, 'error: deployment "web" exceeded its progress deadline\n']);
      const described = await waitFor('the Event', async () => {
        const text = await ok(['describe', 'deployment', 'web']);
        return /Warning +NotRunHere/.test(text) ? text : undefined;
      });
      expect(described).toMatch(/Available +False +NotRunHere/);
      await ok(['delete', 'deployment', 'web']);
    },
    3 * MINUTE,
  );

  it(
    'the Secret of a ServiceAccount gets a token, which is valid while the Secret exists',
    async () => {
      await ok(['apply', '-f', '-'], TOKEN);
      const data = await waitFor(
        'the token',
        async () => (await ok(['get', 'secret', 'robot', '-o', 'jsonpath={.data.token}'])) || undefined,
      );
      const token = Buffer.from(data, 'base64').toString('utf8');
      expect(await ok(['auth', 'whoami', `--token=${token}`, '-o', 'jsonpath={.status.userInfo.username}'])).toBe(
        'system:serviceaccount:default:default',
      );
      await ok(['delete', 'secret', 'robot']);
      expect(await run(['auth', 'whoami', `--token=${token}`])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Unauthorized'),
      });
    },
    3 * MINUTE,
  );

  describe('the Pods of a standalone hub', () => {
    const inTarget = (...args: readonly string[]): readonly string[] => ['-n', 'multicluster-engine', ...args];
    const gateway = async (): Promise<string> =>
      ok(inTarget('get', 'pods', '-l', 'app.kubernetes.io/name=gateway', '-o', 'jsonpath={.items[*].metadata.name}'));
    const ready = async (): Promise<string> => {
      await waitFor('the Pod', async () => (await gateway()) !== '');
      const name = await gateway();
      await ok(inTarget('wait', '--for=condition=Ready', `pod/${name}`, '--timeout=120s'));
      return name;
    };

    beforeAll(async () => {
      await ok(['apply', '-f', ENGINE]);
      await ready();
    }, 5 * MINUTE);

    it(
      'kubectl gets and describes the Pod of a component, with its node, its Deployment and its Events',
      async () => {
        const name = await ready();
        expect(await ok(['get', 'pods', '-A', '-o', 'wide'])).toMatch(
          new RegExp(`^multicluster-engine +${name} +1/1 +Running +0 +\\S+ +127\\.0\\.0\\.1 +local `, 'm'),
        );
        const described = await waitFor('the Events', async () => {
          const text = await ok(inTarget('describe', 'pod', name));
          return text.includes('Started container gateway') ? text : undefined;
        });
        expect(described).toMatch(/Controlled By: +Deployment\/gateway\n/);
        expect(described).toMatch(/Restart Count: +0\n/);
      },
      3 * MINUTE,
    );

    it(
      'kubectl logs selects lines, follows the process to its end, and shows the previous one',
      async () => {
        const name = await ready();
        const all = await ok(inTarget('logs', 'deploy/gateway'));
        const lines = all.trimEnd().split('\n');
        expect(await ok(inTarget('logs', name, '--tail=1'))).toBe(`${lines.at(-1)}\n`);
        expect(await ok(inTarget('logs', name, '--limit-bytes=20'))).toBe(all.slice(0, 20));
        expect(await ok(inTarget('logs', name, '--since=1h', '--timestamps'))).toMatch(
          /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z \{/,
        );
        expect(await ok(inTarget('logs', name, '--since-time=2099-01-01T00:00:00Z'))).toBe('');
        expect((await run(inTarget('logs', name, '--previous'))).stderr).toContain(
          `previous terminated container "gateway" in pod "${name}" not found`,
        );

        const followed = run(inTarget('logs', '-f', name, '--tail=1'));
        const pid = standalone.printed.flatMap(
          (line) => new RegExp(`^started ${name} \\(pid (\\d+)\\)`).exec(line)?.[1] ?? [],
        );
        process.kill(Number(pid.at(-1)), 'SIGKILL');
        expect(await followed).toMatchObject({ code: 0, stdout: expect.stringMatching(/\n$/) });
        await waitFor('the restart', async () => / 1 \(\S+ ago\) /.test(await ok(inTarget('get', 'pod', name))));
        expect(await ok(inTarget('logs', name, '--previous'))).toContain(all);
        expect(await ok(inTarget('describe', 'pod', name))).toMatch(/Exit Code: +137\n/);
      },
      3 * MINUTE,
    );

    it(
      'commands that need a connection to a container are refused at once',
      async () => {
        const name = await ready();
        const refused = async (...args: readonly string[]): Promise<string> => {
          const { code, stderr } = await run(inTarget(...args));
          expect(code).not.toBe(0);
          return stderr;
        };
        expect(await refused('exec', name, '--', 'ls')).toContain('exec is not supported');
        expect(await refused('attach', name)).toContain('attach is not supported');
        expect(await refused('port-forward', `pod/${name}`, ':8443')).toContain('portforward is not supported');
        expect(await refused('cp', `${name}:/etc/hosts`, path.join(folder, 'copy'))).toContain('exec is not supported');
        expect(await refused('top', 'pod')).toContain('Metrics API not available');
      },
      3 * MINUTE,
    );

    it(
      'a deleted Pod is replaced with its process, and so is one that a drain evicts',
      async () => {
        const name = await ready();
        await ok(inTarget('delete', 'pod', name));
        await waitFor('another Pod', async () => ![name, ''].includes(await gateway()));
        expect(await ready()).not.toBe(name);
        expect(await ok(['drain', 'local'])).toContain('node/local drained');
        await ready();
      },
      4 * MINUTE,
    );
  });
});

describeWithKubectl('a standalone hub whose gateway cannot listen', () => {
  it(
    'a standalone hub whose gateway cannot listen reports the reason and the path of the log',
    async () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-standalone-'));
      const blocker = createServer();
      const standalone = await Standalone.start(folder);
      try {
        const address = gatewayOf(standalone.printed);
        await new Promise<void>((resolve) => blocker.listen(Number(address.split(':')[1]), '127.0.0.1', resolve));
        await kubectlOk(['apply', '-f', ENGINE], { kubeconfig: standalone.kubeconfig });
        const line = await standalone.line(
          'why the gateway ended',
          (one) => one.startsWith('gateway-') && one.includes('EADDRINUSE'),
          { deadlineMs: 2 * MINUTE },
        );
        const conditions = await waitFor('the condition', async () => {
          const text = await kubectlOk(['get', 'deploy', '-A', '-o', 'jsonpath={.items[*].status.conditions}'], {
            kubeconfig: standalone.kubeconfig,
          });
          return text.includes('EADDRINUSE') ? text : undefined;
        });

        expect(line).toMatch(
          new RegExp(
            `exited with code 1: .*EADDRINUSE.* ${address} \\(log: ${folder}/logs/\\S+\\.gateway\\.log\\); it is restarted in \\d+ s`,
          ),
        );
        expect(conditions).toContain('CrashLoopBackOff');
      } finally {
        await standalone.stop();
        blocker.close();
        rmSync(folder, { recursive: true, force: true });
      }
    },
    6 * MINUTE,
  );
});

/** The address that it prints: `https://HOST:PORT`. */
function gatewayOf(printed: readonly string[]): string {
  const address = printed.flatMap((line) => /answers on https:\/\/([\d.]+:\d+)/.exec(line)?.slice(1) ?? [])[0];
  if (address === undefined) throw new Error(`no address of the gateway in ${printed.join('\n')}`);
  return address;
}
