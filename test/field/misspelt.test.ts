import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import type { KubeObject, ObjectName, ResourceType } from '../../src/runtime/vocabulary/meta.js';
import { meantText } from '@multicluster-engine/values/nearestword';
import { bindClusterSet } from '../../src/cli/commands/clusterset.js';
import { cordon, uncordon, drainCluster } from '../../src/cli/commands/maintenance.js';
import { prepareJoin } from '../../src/cli/commands/cluster/join.js';
import { removeCluster } from '../../src/cli/commands/cluster/remove.js';
import { explainPlacement } from '../../src/cli/commands/explain.js';
import { readLeavingEvents } from '../../src/answers/explain/events.js';
import { tree } from '../../src/cli/commands/tree.js';
import { whoSelects } from '../../src/cli/commands/whoselects.js';
import { absentSetNote } from '../../src/answers/meant.js';
import { planChange } from '../../src/cli/commands/plan.js';
import { releaseClusters } from '../../src/cli/commands/release.js';
import { withHub } from '../../src/cli/hub.js';
import { readConfig } from '../support/commandline.js';
import { loadKubeconfig } from '../../src/runtime/kubeconfig/kubeconfig.js';

import { ApiError } from '../../src/runtime/errors.js';
import { EXAMPLE_SPEC, exampleWorld } from '../support/builders/examplefleet.js';

/*
 * People mistyped a name: of a cluster, a set, a Placement, a namespace, a context, a command, a flag. They read that it does not
 * exist, or, where a label or a binding may come before its set, nothing at all.
 * What is right: whoever may read the names is told the one that was probably meant, by one rule everywhere.
 */

const WORLD = exampleWorld(EXAMPLE_SPEC);
const READING = { world: WORLD, namespace: 'shop', refused: [] };
const OPTIONS = { output: 'text', colored: false } as const;
const PLAN = { namespace: 'shop', manifests: undefined, complete: false, deletions: [], labels: [], ...OPTIONS };

/** Serves the world; `refused`: nothing may be listed. */
function hub(refused = false): never {
  const all = (plural: string): readonly KubeObject[] =>
    (WORLD.objects as Record<string, readonly KubeObject[]>)[plural] ?? [];
  const client = {
    get: ({ plural }: ResourceType, wanted: ObjectName) =>
      Promise.resolve(
        all(plural).find(
          ({ metadata: { name, namespace } }) => name === wanted.name && namespace === (wanted.namespace ?? namespace),
        ),
      ),
    list: ({ plural }: ResourceType) => (refused ? Promise.reject(forbidden(plural)) : Promise.resolve(all(plural))),
    apply: (_type: ResourceType, object: KubeObject) => Promise.resolve(object),
  };
  return client as never;
}

function forbidden(plural: string): ApiError {
  return new ApiError({ kind: 'Forbidden', status: 403, message: 'no', call: { verb: 'list', resource: plural } });
}

/** The text of the answer, or of the error. */
async function said(work: () => unknown): Promise<string> {
  try {
    return [await work()].flat().join('\n');
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}

const explained = (given: object): string =>
  explainPlacement(WORLD, {
    namespace: 'shop',
    placement: 'web',
    cluster: undefined,
    nearest: 0,
    ...OPTIONS,
    ...given,
  });
const planned = (given: object): unknown => planChange({ ...READING, namespace: undefined }, { ...PLAN, ...given });
const drainTools = { client: hub(), console: {} as never, clock: new ManualClock() };
const release = { namespace: 'shop', placement: 'web', now: 0, until: 1 };

describe('a name that does not exist', () => {
  it.each<[string, () => unknown, string]>([
    ['cordon', () => cordon(hub(), 'prd-eu-1'), 'prod-eu-1'],
    ['uncordon', () => uncordon(hub(), 'prd-eu-1'), 'prod-eu-1'],
    ['drain', () => drainCluster(drainTools, { cluster: 'prd-eu-1', dryRun: true, timeoutMs: 1 }), 'prod-eu-1'],
    ['cluster remove', () => removeCluster(hub(), { cluster: 'prd-eu-1', force: false }), 'prod-eu-1'],
    [
      'cluster add --renew',
      () =>
        prepareJoin(
          { client: hub(), identity: {} as never },
          { name: 'prd-eu-1', clusterSet: undefined, validSeconds: 1, renew: true },
        ),
      'prod-eu-1',
    ],
    ['cluster add --set', () => absentSetNote(hub(), 'prodution'), 'production'],
    ['clusterset bind', () => bindClusterSet(hub(), { clusterSet: 'prodution', namespace: 'shop' }), 'production'],
    ['who-selects', () => whoSelects(READING, 'prd-eu-1', OPTIONS), 'prod-eu-1'],
    ['tree placement', () => tree(READING, 'wbe', OPTIONS), 'web'],
    ['release placement', () => releaseClusters(hub(), { ...release, placement: 'wbe', clusters: undefined }), 'web'],
    ['release --clusters', () => releaseClusters(hub(), { ...release, clusters: ['prd-eu-2'] }), 'prod-eu-2'],
    [
      'release --additions --clusters',
      () => releaseClusters(hub(), { ...release, additions: true, clusters: ['prd-eu-2'] }),
      'prod-eu-2',
    ],
    ['tree --by', () => tree(READING, undefined, OPTIONS, { source: 'label', key: 'teir' }), 'tier'],
    ['explain placement', () => explained({ placement: 'we' }), 'web'],
    ['explain placement of another namespace', () => explained({ namespace: 'default' }), 'shop/web'],
    ['explain placement -A', () => explained({ namespace: undefined, placement: 'wbe' }), 'web'],
    ['explain --cluster', () => explained({ cluster: 'prd-eu-1' }), 'prod-eu-1'],
    ['plan --delete mclset', () => planned({ deletions: ['mclset/prodution'] }), 'production'],
    ['plan --delete mclsetbinding', () => planned({ deletions: ['mclsetbinding/prodution'] }), 'production'],
    ['plan --delete mcl', () => planned({ deletions: ['mcl/prd-eu-1'] }), 'prod-eu-1'],
    ['plan --delete fpl', () => planned({ deletions: ['fpl/wbe'] }), 'web'],
    [
      'plan --delete fpl of another namespace',
      () => planned({ namespace: 'default', deletions: ['fpl/web'] }),
      'shop/web',
    ],
    [
      'release placement of another namespace',
      () => releaseClusters(hub(), { ...release, namespace: 'default', clusters: undefined }),
      'shop/web',
    ],
    ['plan --delete ns', () => planned({ deletions: ['ns/shoop'] }), 'shop'],
    ['plan --set', () => planned({ labels: ['mcl/prd-eu-1:tier=gold'] }), 'prod-eu-1'],
  ])('%s names the one that was probably meant', async (_command, work, meant) => {
    expect(await said(work)).toContain(`; did you mean ${meant}?`);
  });

  it.each<[string, () => unknown]>([
    ['cordon', () => cordon(hub(true), 'prd-eu-1')],
    ['cluster add --set', () => absentSetNote(hub(true), 'prodution')],
  ])('%s names none to those who may not list them', async (_command, work) => {
    expect(await said(work)).toMatch(
      /^(ManagedCluster prd-eu-1 was not found|there is no ManagedClusterSet prodution yet)$/,
    );
  });

  it('a name with another number is none that was meant: edge-9 is not edge-1 mistyped', () => {
    expect(meantText('edge-9', ['edge-1', 'edge-19', 'egde-1'])).toBe('');
    expect(meantText('egde-1', ['edge-2', 'edge-1'])).toBe('; did you mean edge-1?');
    expect(meantText('prod-eu', ['prod-eu-2'])).toBe('; did you mean prod-eu-2?');
  });
});

const RULE = 'not empty, . or .., without / and %';

describe('a name that no object can have', () => {
  it.each([
    ['explain placement web -n ..', `--namespace must be the name of a namespace: ${RULE}, got ".."`],
    ['tree -n .', `--namespace must be the name of a namespace: ${RULE}, got "."`],
    ['release placement web -n a/b', `--namespace must be the name of a namespace: ${RULE}, got "a/b"`],
    ['plan --delete mcl/a -n ..', `--namespace must be the name of a namespace: ${RULE}, got ".."`],
    ['clusterset bind a -n ..', `--namespace must be the name of a namespace: ${RULE}, got ".."`],
    ['check --operator-namespace ..', `--operator-namespace must be the name of a namespace: ${RULE}, got ".."`],
    [
      'explain placement web --cluster ..',
      `--cluster must be the name of one cluster: ${RULE}, without commas, got ".."`,
    ],
    ['explain placement ..', `the name of a Placement must be ${RULE}, got ".."`],
    ['tree placement/..', `the name of a Placement must be ${RULE}, got ".."`],
    ['release placement a%b', `the name of a Placement must be ${RULE}, got "a%b"`],
    ['cordon ..', `the name of a cluster must be ${RULE}, got ".."`],
    ['uncordon a/b', `the name of a cluster must be ${RULE}, got "a/b"`],
    ['drain .', `the name of a cluster must be ${RULE}, got "."`],
    ['who-selects ..', `the name of a cluster must be ${RULE}, got ".."`],
    ['cluster remove ..', `the name of a cluster must be ${RULE}, got ".."`],
  ])('%s is refused, with the value and the rule', (line, text) => {
    expect(readConfig(line.split(' '), {})).toMatchObject({
      command: 'usage',
      exitCode: 1,
      text: expect.stringContaining(text),
    });
  });

  it.each([
    [{ deletions: ['mcl/..'] }, `--delete: the name must be ${RULE}, got ".."`],
    [{ deletions: ['fpl/a%b'] }, `--delete: the name must be ${RULE}, got "a%b"`],
    [{ labels: ['mcl/..:tier=gold'] }, `--set: the name must be ${RULE}, got ".."`],
  ])('plan with %j is refused, with the value and the rule', async (given, text) => {
    expect(await said(() => planned(given))).toBe(text);
  });

  it('a namespace of the context is refused where it is used alone, and the error names the context', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'impossible-'));
    const file = path.join(folder, 'kubeconfig');
    const contexts = [{ name: 'hub', context: { cluster: 'c', user: 'u', namespace: 'a/b' } }];
    const clusters = [{ name: 'c', cluster: { server: 'http://127.0.0.1:9' } }];
    writeFileSync(file, JSON.stringify({ 'current-context': 'hub', contexts, clusters }));
    const source = { kind: 'api', kubeconfig: file, context: undefined, impersonate: undefined } as const;
    const used = (namespace: string | undefined): Promise<string> =>
      withHub({ version: '1', command: 'tree', namespace }, source, async (found) => found.namespace());

    await expect(used(undefined)).rejects.toThrow(
      `namespace "a/b" of context "hub" of ${file} must be ${RULE}; correct it, or give --namespace`,
    );
    expect(await used('shop')).toBe('shop');
    const unused = { version: '1', command: 'cordon', namespace: undefined };
    expect(await withHub(unused, source, async ({ kubeconfig }) => kubeconfig.context)).toBe('hub');
    rmSync(folder, { recursive: true });
  });

  it('a Placement with a comma in its name is looked for as one name, also in the events', async () => {
    const asked: unknown[] = [];
    const client = { list: (_type: ResourceType, _namespace: string, options: object) => (asked.push(options), []) };
    await readLeavingEvents(client as never, { namespace: 'shop', name: 'web,a=b\\c' });

    expect(asked).toEqual([{ fieldSelector: 'regarding.kind=Placement,regarding.name=web\\,a\\=b\\\\c' }]);
  });
});

describe('a word of the command line that does not exist', () => {
  it.each([
    ['explian placement web', 'unknown command "explian"; did you mean explain?'],
    ['whoselects c1', 'did you mean who-selects?'],
    [
      'explain placement web --namespce shop',
      'unknown flag "--namespce" (see multicluster-engine explain --help); did you mean --namespace?',
    ],
    ['plan --max-removal 3', 'did you mean --max-removals?'],
    ['operator --log-levl=info', 'did you mean --log-level?'],
  ])('%s is refused, with the word that was probably meant', (line, text) => {
    expect(readConfig(line.split(' '), {})).toMatchObject({ command: 'usage', text: expect.stringContaining(text) });
  });

  it('a context that the kubeconfig does not have is refused, with the one that was probably meant', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'misspelt-'));
    const file = path.join(folder, 'kubeconfig');
    const contexts = ['hub-eu', 'edge'].map((name) => ({ name, context: { cluster: 'c' } }));
    writeFileSync(file, JSON.stringify({ contexts, clusters: [{ name: 'c', cluster: { server: 'https://h' } }] }));

    expect(() => loadKubeconfig({ path: file, context: 'hbu-eu' })).toThrow(
      'there is no context "hbu-eu"; it defines edge, hub-eu; did you mean hub-eu?',
    );
    rmSync(folder, { recursive: true });
  });
});
