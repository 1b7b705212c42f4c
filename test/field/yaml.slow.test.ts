/*
 * What people did: see yaml.test.ts. Here every text goes through `kubectl apply --dry-run=server`, on the embedded and on the
 * real API server. What is right: `plan` accepts a text if and only if kubectl does, and reads the same objects; what is merged
 * into an object that exists is judged as the API server judges the result.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { kubectl } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import type { KubeObject } from '../../src/api/meta.js';
import { planChange } from '../../src/cli/plan/command.js';
import { worldOfObjects } from '../../src/cli/sources.js';
import { readAppliedFiles, readFiles } from '../../src/commands/cli/files.js';
import { errorText } from '../../src/runtime/errors.js';
import { root } from '../support/repository/root.js';
import { manifestTexts, type ManifestText } from './yamltexts.js';

const PLACEMENT = `apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: Placement
metadata: {name: NAME, namespace: default, annotations: {a: \u00fc}}
`;
const ENCODED: readonly ManifestText[] = [
  { name: 'e1', text: `\ufeff${PLACEMENT.replace('NAME', 'e1')}`, encoding: 'utf16le' },
  {
    name: 'e2',
    text: `\ufeff${PLACEMENT.replace('NAME', 'e2')}---\n${PLACEMENT.replace('NAME', 'e2-b')}`,
    encoding: 'utf16le',
  },
  { name: 'e3', text: PLACEMENT.replace('NAME', 'e3'), encoding: 'utf16le' },
  { name: 'e4', text: PLACEMENT.replace('NAME', 'e4'), encoding: 'latin1', refusedHere: 'kubectl replaces a letter' },
];
const TEXTS = [...manifestTexts(2026, 150), ...ENCODED];
/** What a server adds to an object that it has not stored before. */
const ADDED = ['uid', 'creationTimestamp', 'generation', 'resourceVersion', 'managedFields'];
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** kubectl sends 300 requests at once, then 50 a second, and two for each object. */
const SHARDS = 8;

interface Reading extends ManifestText {
  /** Undefined: refused. */
  readonly objects: readonly KubeObject[] | undefined;
  readonly why: string;
}

let folder: string;
let readings: readonly Reading[];
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'field-yaml-'));
  readings = await Promise.all(
    TEXTS.map(async (one): Promise<Reading> => {
      const file = written('read', one.name, one.text, one.encoding);
      try {
        return { ...one, objects: await readFiles([file]), why: '' };
      } catch (error) {
        return { ...one, objects: undefined, why: errorText(error) };
      }
    }),
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function written(set: string, name: string, text: string, encoding: BufferEncoding = 'utf8'): string {
  const into = path.join(folder, set);
  mkdirSync(into, { recursive: true });
  writeFileSync(path.join(into, `${name}.yaml`), text, encoding);
  return path.join(into, `${name}.yaml`);
}

function namesOf({ objects = [] }: Reading): readonly string[] {
  return objects.map(({ metadata }) => metadata.name).sort();
}

/** What several runs of kubectl at once print of these texts. */
async function dryRun(
  server: ControlPlane,
  texts: readonly ManifestText[],
  ...more: string[]
): Promise<readonly string[]> {
  const set = path.basename(mkdtempSync(path.join(folder, 'set-')));
  const shards = new Set<string>();
  for (const [index, { name, text, encoding }] of texts.entries())
    shards.add(path.dirname(written(path.join(set, String(index % SHARDS)), name, text, encoding)));
  return Promise.all(
    [...shards].map(async (from) => {
      const args = ['apply', '--dry-run=server', '-f', from, ...more];
      return (await kubectl(args, { kubeconfig: server.adminKubeconfig })).stdout;
    }),
  );
}

/** The objects that the server makes of the manifests, by name. */
async function storedBy(server: ControlPlane, texts: readonly ManifestText[]): Promise<ReadonlyMap<string, object>> {
  const lists = (await dryRun(server, texts, '-o', 'json')).map((text) => JSON.parse(text) as KubeObject);
  const items = lists.flatMap((one) => (one as { readonly items?: readonly KubeObject[] }).items ?? [one]);
  const byName = items.map((one) => [one.metadata.name, comparable(one)] as const);
  return new Map(byName.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function comparable({ metadata, ...rest }: KubeObject): object {
  const { annotations = {}, ...fields } = metadata;
  const kept = Object.entries(fields).filter(([name]) => !ADDED.includes(name));
  const own = Object.entries(annotations).filter(([name]) => name !== LAST_APPLIED);
  return { ...rest, metadata: { ...Object.fromEntries(kept), annotations: Object.fromEntries(own) } };
}

/** What is on the hub before, and manifests that are applied to it: what the merge makes of them counts. */
const LIVE = `
apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: Placement
metadata: {name: bounded, namespace: default}
spec: {disruptionBudget: {maxRemovals: 1}, numberOfClusters: 3}
---
apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: ManagedClusterSet
metadata: {name: labelled}
spec: {clusterSelector: {selectorType: LabelSelector, labelSelector: {matchLabels: {a: b}}}}
---
apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: ManagedClusterSetBinding
metadata: {name: labelled, namespace: default}
spec: {clusterSet: labelled}
`;
const MERGED: readonly string[] = [
  'kind: Placement\nmetadata: {name: bounded}\nspec: {disruptionBudget: {}}',
  'kind: Placement\nmetadata: {name: bounded}\nspec: {disruptionBudget: {maxRemovals: ~}}',
  'kind: Placement\nmetadata: {name: bounded}\nspec: {disruptionBudget: {maxRemovals: 200%}}',
  'kind: Placement\nmetadata: {name: bounded}\nspec: {disruptionBudget: {windowSeconds: 60}}',
  'kind: Placement\nmetadata: {name: unbounded}\nspec: {disruptionBudget: {windowSeconds: 60}}',
  'kind: ManagedClusterSet\nmetadata: {name: labelled}\nspec: {clusterSelector: {selectorType: ExclusiveClusterSetLabel}}',
  'kind: ManagedClusterSet\nmetadata: {name: labelled}\nspec: {clusterSelector: {labelSelector: {matchLabels: {c: d}}}}',
  'kind: ManagedClusterSet\nmetadata: {name: other}\nspec: {clusterSelector: {labelSelector: {matchLabels: {c: d}}}}',
  'kind: ManagedClusterSetBinding\nmetadata: {name: labelled}\nspec: {}',
  'kind: ManagedClusterSetBinding\nmetadata: {name: labelled}',
  'kind: ManagedClusterSetBinding\nmetadata: {name: labelled}\nspec: {clusterSet: other}',
  'kind: ManagedClusterSetBinding\nmetadata: {name: other}\nspec: {}',
];

async function isPlanned(file: string, live: readonly KubeObject[]): Promise<boolean> {
  const { objects: manifests, check } = await readAppliedFiles([file]);
  const reading = { world: worldOfObjects(live, 'default'), namespace: undefined, refused: [] };
  const limits = { maxRemovals: undefined, maxAdditions: undefined };
  const request = { namespace: 'default', manifests, check, complete: false, deletions: [], labels: [], ...limits };
  try {
    planChange(reading, { ...request, output: 'text', colored: false });
    return true;
  } catch {
    return false;
  }
}

function compare(backend: 'embedded' | 'real'): void {
  describeWithServer(`manifests on the ${backend} server`, backend === 'real' ? { real: true } : {}, (server) => {
    beforeAll(() => installCrds(server(), path.join(root, 'crds')));

    it('plan accepts a manifest if and only if kubectl does', async () => {
      const printed = (await dryRun(server(), TEXTS)).join('');
      const accepted = new Set([...printed.matchAll(/\/(\S+) created/g)].map(([, name = '']) => name));
      const namesThere = ({ name }: Reading): readonly string[] =>
        [...accepted].filter((one) => one === name || one.startsWith(`${name}-`) || one.startsWith(`${name}_`)).sort();

      const different = readings.filter((one) => namesOf(one).join() !== namesThere(one).join());

      expect(
        different.filter(({ refusedHere }) => refusedHere === undefined).map(({ text, why }) => [text, why]),
      ).toEqual([]);
      expect(different.every(({ objects }) => objects === undefined)).toBe(true);
      expect(accepted.size).toBeGreaterThan(250);
      expect(readings.filter(({ objects }) => objects === undefined).length).toBeGreaterThan(300);
    });

    it('what both accept is the same object on the server', async () => {
      const both = readings.filter(({ objects }) => objects !== undefined);
      const ours = both
        .flatMap(({ objects = [] }) => objects)
        .map((one) => ({ name: one.metadata.name, text: JSON.stringify(one) }));

      const [theirs, read] = [await storedBy(server(), both), await storedBy(server(), ours)];

      expect([...read]).toEqual([...theirs]);
      expect(read.size).toBe(ours.length);
    });

    it('plan accepts what is merged into a live object if and only if kubectl does', async () => {
      const { adminKubeconfig: kubeconfig } = server();
      await kubectl(['create', '-f', written('live', 'live', LIVE)], { kubeconfig });
      const args = ['get', 'placements,managedclustersets,managedclustersetbindings', '-A', '-o', 'json'];
      const { items }: { readonly items: readonly KubeObject[] } = JSON.parse(
        (await kubectl(args, { kubeconfig })).stdout,
      );
      const files = MERGED.map((text, index) =>
        written('merged', String(index), `apiVersion: cluster.fleetmgmt.io/v1alpha1\n${text}\n`),
      );

      const planned = await Promise.all(files.map((file) => isPlanned(file, items)));
      const applied = await Promise.all(
        files.map(async (file) => {
          const apply = ['apply', '--dry-run=server', '-n', 'default', '-f', file];
          return (await kubectl(apply, { kubeconfig })).code === 0;
        }),
      );

      expect(MERGED.filter((_, index) => planned[index])).toEqual(MERGED.filter((_, index) => applied[index]));
      expect(new Set(applied).size).toBe(2);
    });
  });
}

compare('embedded');
compare('real');
