import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, expect, it } from '@jest/globals';

import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';

import { describeWithKubectl, pathWithKubectl } from '../support/clients/kubectl.js';
import { describeWithBuiltProgram } from '../support/programs/built.js';
import { readPage } from '../support/repository/documents.js';
import { stepsIn } from '../support/repository/markdown.js';
import { ReaderSession } from '../support/repository/session.js';

const MINUTE = 60_000;
const EDGES = ['edge-1', 'edge-2', 'edge-3', 'edge-4', 'edge-5'];
const [UP, LOOK, SHOW, LOSE, SHOW_AGAIN, BACK, DOWN] = stepsIn(readPage('docs/how-to/ten-minutes.md'));

// Argo CD is the real one; the hub and the clusters are processes, as on the page.
describeWithBuiltProgram('docs/how-to/ten-minutes.md', 'argocd', () => {
  describeWithKubectl('docs/how-to/ten-minutes.md', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'multicluster-engine-ten-'));
    const state = path.join(folder, 'state');
    const kubeconfig = path.join(state, 'kubeconfig');
    // Where the programs of others are that have been built.
    const cache = process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache');
    const reader = new ReaderSession(folder, { PATH: pathWithKubectl(), STATE: state, XDG_CACHE_HOME: cache });

    const kubectl = async (command: string): Promise<readonly string[]> =>
      reader.succeeds(`kubectl --kubeconfig '${kubeconfig}' ${command}`);
    const step = async (one: typeof UP): Promise<void> => {
      if (one === undefined) throw new Error('the page has fewer commands');
      await reader.shows(one);
    };
    /** Those of the clusters in which nginx is. */
    const withNginx = async (names: readonly string[]): Promise<string[]> => {
      const found = await Promise.all(
        names.map(async (name) => kubectl(`--context ${name} get deployments -n web -o name`)),
      );
      return names.filter((_name, at) => found[at]?.includes('deployment.apps/nginx'));
    };
    const selected = async (): Promise<string[]> => {
      const label = 'cluster.fleetmgmt.io/placement=web';
      const template = '{.items[*].status.decisions[*].clusterName}';
      const [names = ''] = await kubectl(`get placementdecisions -n argocd -l ${label} -o jsonpath='${template}'`);
      return names.split(' ').sort();
    };

    afterAll(async () => {
      await reader.type('bash examples/ten-minutes/run.sh down');
      rmSync(folder, { recursive: true, force: true });
    }, 3 * MINUTE);

    let before: readonly string[] = [];

    it(
      'one command makes five clusters of which three have nginx, and the other shows both sides',
      async () => {
        await step(UP);
        await step(LOOK);
        before = await selected();
        expect(before).toHaveLength(3);
        expect(await withNginx(EDGES)).toEqual(before);
        await step(SHOW);
      },
      12 * MINUTE,
    );

    it(
      'exactly one other cluster takes the place of one that dies, and nothing else moves',
      async () => {
        const uids = await kubectl('get applications -n argocd -o custom-columns=:.metadata.name,:.metadata.uid');
        await step(LOSE);
        const after = await selected();
        const [lost] = before.filter((name) => !after.includes(name));
        const staying = before.filter((name) => name !== lost);
        expect(after).toEqual(expect.arrayContaining(staying));
        expect(after).toHaveLength(3);
        expect(await withNginx(EDGES.filter((name) => name !== lost))).toEqual(after);
        const now = await kubectl('get applications -n argocd -o custom-columns=:.metadata.name,:.metadata.uid');
        expect(now).toEqual(expect.arrayContaining(uids.filter((line) => staying.some((name) => line.includes(name)))));
        await step(SHOW_AGAIN);
      },
      12 * MINUTE,
    );

    it(
      'the cluster that comes back loses nginx by a token that its agent hands over, and nothing moves',
      async () => {
        const after = await selected();
        await step(BACK);
        expect(await selected()).toEqual(after);
        expect(await withNginx(EDGES)).toEqual(after);
      },
      12 * MINUTE,
    );

    it('a folder that the script has not made is neither used nor removed', async () => {
      const other = path.join(folder, 'other');
      mkdirSync(other);
      writeFileSync(path.join(other, 'mine'), '');
      for (const command of ['up', 'down', 'show', 'lose', 'back']) {
        const { code } = await reader.type(`STATE='${other}' bash examples/ten-minutes/run.sh ${command}`);
        expect([command, code]).toEqual([command, 1]);
      }
      expect(readdirSync(other)).toEqual(['mine']);
      rmSync(other, { recursive: true });
    });

    it('the access of Argo CD goes with a cluster that is removed', async () => {
      const after = await selected();
      const other = EDGES.find((name) => !after.includes(name)) ?? '';
      const left = `get secrets,roles,rolebindings -n argocd -o name --ignore-not-found cluster-${other}`;
      expect(await kubectl(left)).toHaveLength(3);
      await reader.succeeds(`node dist/src/main.js cluster remove ${other} --kubeconfig '${kubeconfig}'`);
      await waitFor('the objects to be collected', async () => (await kubectl(left)).length === 0);
    });

    it('the hub has no other credential of a cluster, and everything ends', async () => {
      const keys = "{range .items[*]}{.data}{'\\n'}{end}";
      const label = 'argocd.argoproj.io/secret-type=cluster';
      const secrets = await kubectl(`get secrets -n argocd -l ${label} -o jsonpath="${keys}"`);
      expect(secrets).toHaveLength(EDGES.length - 1);
      for (const line of secrets)
        expect(Object.keys(JSON.parse(line)).sort()).toEqual(['config', 'name', 'namespaces', 'server']);
      await step(DOWN);
      expect(await reader.succeeds(`ls '${folder}'`)).toEqual([]);
    });
  });
});
