import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ManagedClusters } from '../../../src/api/resources.js';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { Fleet, PlacementServerRig } from '../../support/rigs/server/placement.js';
import { root } from '../../support/repository/root.js';

const LONG_MS = 300_000;
const PROGRAM = path.join(root, 'dist', 'src', 'main.js');
const COMMANDS = ['who-selects', 'tree', 'status', 'check', 'explain', 'plan', 'completion'];

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

describeWithServer(
  'the commands that read a hub, on a server',
  { own: true, capabilities: ['requestLog'] },
  (server) => {
    let fleet: Fleet;
    let running: PlacementServerRig;

    beforeAll(async () => {
      await installCrds(server());
      fleet = new Fleet(server());
      await fleet.set('production');
      await fleet.namespace('shop', 'production');
      await fleet.cluster('prod-1', 'production', { tier: 'gold' });
      running = new PlacementServerRig(server());
      await running.synced();
      await fleet.place('shop', 'web', { numberOfClusters: 1 });
      await waitFor('the decision', async () => {
        return (await fleet.placement('shop', 'web'))?.status?.phase === 'Satisfied' || undefined;
      });
      await fleet.cluster('prod-2', 'production', { tier: 'gold' });
    }, LONG_MS);
    afterAll(async () => {
      await running.stop();
      await fleet.close();
    }, LONG_MS);

    /** Runs a command as a process, without a terminal. */
    async function run(...argv: readonly string[]): Promise<Outcome> {
      const [command = '', ...rest] = argv;
      const kubeconfig = ['--kubeconfig', server().adminKubeconfig];
      const args =
        command === '__complete' ? [command, rest[0] ?? '', ...kubeconfig, ...rest.slice(1)] : [...argv, ...kubeconfig];
      try {
        return { code: 0, ...(await promisify(execFile)(process.execPath, [PROGRAM, ...args], { timeout: 60_000 })) };
      } catch (error) {
        const { code, stdout, stderr } = error as Outcome;
        return { code, stdout, stderr };
      }
    }

    it(
      'the commands show what the controller has published, and send GET and LIST alone, and access reviews',
      async () => {
        const mark = await server().logMark();
        const [selects, tree, status, check, pre] = await Promise.all([
          run('who-selects', 'prod-1'),
          run('tree', '-n', 'shop'),
          run('status', '-o', 'json'),
          run('check'),
          run('check', '--pre'),
          run('explain', 'placement', 'web', '-A'),
          run('__complete', 'who-selects', 'p'),
          run('plan', '--delete', 'mclset/production'),
        ]);
        const log = await server().requestLog({ after: mark });
        const requests = log.filter(({ userAgent }) => COMMANDS.some((one) => userAgent.endsWith(` (${one})`)));

        expect(selects).toEqual({
          code: 0,
          stderr: '',
          stdout:
            'NAMESPACE  PLACEMENT  OBJECT          WHY                    WITHOUT IT\n' +
            'shop       web        web-decision-1  every cluster matches  prod-2 comes in\n',
        });
        expect(tree.stdout).toBe('shop/web  Satisfied 1/1\n└─ production  prod-1\n');
        expect(JSON.parse(status.stdout)).toMatchObject({
          engines: [],
          placements: { total: 1, phases: { Satisfied: 1 } },
        });
        expect(check.stdout).toContain('✓ six CRDs served, of this version\n');
        expect(check.stdout).toContain(
          '× no controller maintains the decisions of 1 Placement: no placement controller runs',
        );
        expect([check.code, pre.code]).toEqual([1, 0]);
        expect(requests.length).toBeGreaterThan(20);
        const others = requests.filter(({ verb }) => verb !== 'get' && verb !== 'list');
        // Of check --pre: they are answered and not stored.
        expect(new Set(others.map(({ verb, resource }) => `${verb} ${resource}`))).toEqual(
          new Set(['create selfsubjectaccessreviews']),
        );
      },
      LONG_MS,
    );

    it(
      'after a plan is carried out, the hub is as planned',
      async () => {
        const planned = await run('plan', '--delete', 'mcl/prod-1');

        expect(planned).toEqual({
          code: 2,
          stderr: '',
          stdout:
            'shop/web  1 of 1 wanted, Satisfied\n' +
            '  - prod-1  was deleted\n' +
            '  + prod-2  every cluster matches\n' +
            'Plan: 1 to add, 1 to remove, 0 to stay, 0 held, in 1 of 1 Placements.\n',
        });
        await fleet.remove(ManagedClusters, { name: 'prod-1' });
        await waitFor('prod-2 to be selected', async (seen) => {
          const selected = await fleet.selected('shop', 'web');
          seen(selected);
          return selected?.join() === 'prod-2' || undefined;
        });
        expect((await run('plan', '--set', 'mcl/prod-2:tier=gold')).code).toBe(0);
      },
      LONG_MS,
    );

    /** Starts a command that goes on. */
    function follow(...argv: readonly string[]): { readonly child: ChildProcess; readonly printed: () => string } {
      const args = [PROGRAM, ...argv, '--kubeconfig', server().adminKubeconfig];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      let text = '';
      child.stdout?.setEncoding('utf8').on('data', (part: string) => (text += part));
      return { child, printed: () => text };
    }

    it(
      'with --watch, a command prints its answer again when it changes, sends watches, and ends with Ctrl-C',
      async () => {
        const mark = await server().logMark();
        const tree = follow('tree', '-n', 'shop', '--watch');
        const count = follow('status', '-w', '-o', 'jsonpath={.placements.total} ');
        const first = 'shop/web  Satisfied 1/1\n└─ production  prod-2\n';
        await waitFor('the first answers', () => (tree.printed() === first && count.printed() === '1 ') || undefined);

        await fleet.place('shop', 'all');
        await waitFor('another Placement in both', async (seen) => {
          seen([tree.printed(), count.printed()]);
          const decided = tree.printed().endsWith(`\nshop/all  Satisfied 1\n└─ production  prod-2\n${first}`);
          return (decided && count.printed().endsWith('2 ')) || undefined;
        });
        // What does not change the answer prints nothing.
        const printed = tree.printed();
        await fleet.taint('prod-2', { key: 'x', effect: 'PreferNoSelect' });
        await fleet.namespace('empty', 'production');
        await fleet.cluster('prod-3', 'production');
        await waitFor('the next answer', () => (tree.printed() === printed ? undefined : true));
        expect(tree.printed().startsWith(`${printed}\nshop/all  `)).toBe(true);

        tree.child.kill('SIGINT');
        expect(await once(tree.child, 'exit')).toEqual([null, 'SIGINT']);
        count.child.kill('SIGINT');
        await once(count.child, 'exit');
        const log = await server().requestLog({ after: mark });
        const requests = log.filter(({ userAgent }) => userAgent.endsWith(' (tree)'));
        expect(new Set(requests.map(({ verb }) => verb))).toEqual(new Set(['list', 'watch']));
        // The first answer, and the state from which each watch begins.
        expect(requests.filter(({ verb }) => verb === 'list')).toHaveLength(10);
      },
      LONG_MS,
    );
  },
);
