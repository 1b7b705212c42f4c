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
import { startBackend } from '@multicluster-engine/kube-apiserver/testing/controlplane/start';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { kubectl, kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import type { KubeObject, RawObject } from '../../src/runtime/vocabulary/meta.js';
import { appliedManifests } from '../../src/answers/plan/changes.js';
import { planChange } from '../../src/cli/commands/plan.js';
import { worldOfObjects } from '../../src/answers/world/worlds.js';
import { readAppliedFiles, readFiles } from '../../src/answers/files/files.js';
import { InputError } from '../../src/answers/output.js';
import { overlay } from '../../src/answers/world/overlay.js';
import { errorText } from '../../src/runtime/errors.js';
import { describeWithKubectl } from '../support/clients/kubectl.js';
import { root } from '../support/repository/root.js';
import { jsonTexts } from './jsontexts.js';
import { manifestTexts, randomFrom, type ManifestText } from './yamltexts.js';

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
const TEXTS = [...manifestTexts(2026, 150), ...jsonTexts(randomFrom(2026), 150), ...ENCODED];
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

/** What several runs of kubectl at once print of these texts; an error names its file. */
async function dryRun(
  server: ControlPlane,
  texts: readonly ManifestText[],
  ...more: string[]
): Promise<readonly { readonly stdout: string; readonly stderr: string }[]> {
  const set = path.basename(mkdtempSync(path.join(folder, 'set-')));
  const shards = new Set<string>();
  for (const [index, { name, text, encoding }] of texts.entries())
    shards.add(path.dirname(written(path.join(set, String(index % SHARDS)), name, text, encoding)));
  return Promise.all(
    [...shards].map(async (from) => {
      const args = ['apply', '--dry-run=server', '-f', from, ...more];
      return kubectl(args, { kubeconfig: server.adminKubeconfig });
    }),
  );
}

/** The objects that the server makes of the manifests, by name. */
async function storedBy(server: ControlPlane, texts: readonly ManifestText[]): Promise<ReadonlyMap<string, object>> {
  const lists = (await dryRun(server, texts, '-o', 'json')).map(({ stdout }) => JSON.parse(stdout) as KubeObject);
  const items = lists.flatMap((one) => (one as { readonly items?: readonly KubeObject[] }).items ?? [one]);
  const byName = items.map((one) => [one.metadata.name, comparable(one)] as const);
  return new Map(byName.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Without what the server adds; no labels and no spec are the same as empty ones. */
function comparable({ metadata, ...rest }: RawObject): object {
  const { annotations = {}, labels, ...fields } = metadata;
  const kept = Object.entries(fields).filter(([name]) => !ADDED.includes(name));
  const own = Object.entries(annotations).filter(([name]) => name !== LAST_APPLIED);
  const texts = { labels: labels ?? {}, annotations: Object.fromEntries(own) };
  return { ...rest, spec: rest.spec ?? {}, metadata: { ...Object.fromEntries(kept), ...texts } };
}

/** What is on the hub before, and manifests that are applied to it: what the merge makes of them counts. */
const LIVE = `
apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: Placement
metadata: {name: bounded, namespace: default, labels: {a: b}, annotations: {b: c}, finalizers: [example.com/a]}
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
/** What was applied before, so that the fields that are left out now are removed. */
const APPLIED = `
apiVersion: cluster.fleetmgmt.io/v1alpha1
kind: Placement
metadata: {name: applied, namespace: default, labels: {a: b}}
spec: {ClusterSets: [a], numberOfClusters: 3}
`;
const MERGED: readonly string[] = [
  'kind: Placement\nmetadata: {name: bounded}\nspec: {disruptionBudget: {}}',
  'kind: Placement\nmetadata: {name: bounded}\nspec: {disruptionBudget: {maxRemovals: ~}}',
  'kind: Placement\nmetadata: {name: bounded}\nspec: {disruptionBudget: ~}',
  'kind: Placement\nmetadata: {name: bounded}\nspec: ~',
  'kind: Placement\nmetadata: {name: bounded, labels: {a: ~, d: "1"}}',
  'kind: Placement\nmetadata: {name: bounded, labels: ~, annotations: {b: ~}}',
  'kind: Placement\nmetadata: {name: bounded, annotations: ~, finalizers: ~}',
  'kind: Placement\nmetadata: {name: bounded, annotations: {b: ~}}',
  'kind: Placement\nmetadata: {name: made, labels: {a: ~}, annotations: {b: ~}}\nspec: {numberOfClusters: ~}',
  'kind: Placement\nmetadata: {name: applied}\nspec: {ClusterSets: [b]}',
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

/** What `plan` takes for the object after a manifest is applied; undefined: it refuses the manifest. */
async function planned(file: string, live: readonly KubeObject[]): Promise<object | undefined> {
  const world = worldOfObjects(live, 'default');
  const limits = { maxRemovals: undefined, maxAdditions: undefined };
  const options = { complete: false, deletions: [], labels: [], output: 'text' as const, colored: false, ...limits };
  try {
    const { objects: manifests, check } = await readAppliedFiles([file]);
    planChange({ world, namespace: undefined, refused: [] }, { namespace: 'default', manifests, check, ...options });
    const changes = appliedManifests(manifests, 'default');
    const { objects } = overlay(world, changes);
    const [change] = changes;
    const name = manifests[0]?.metadata.name;
    const merged = change && objects[change.resource].find(({ metadata }) => metadata.name === name);
    return merged && comparable({ ...merged, status: undefined });
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

async function appliedTo(server: ControlPlane, file: string): Promise<object | undefined> {
  const args = ['apply', '--dry-run=server', '-n', 'default', '-o', 'json', '-f', file];
  const { code, stdout } = await kubectl(args, { kubeconfig: server.adminKubeconfig });
  return code === 0 ? comparable({ ...JSON.parse(stdout), status: undefined }) : undefined;
}

function acceptsAsKubectl(server: () => ControlPlane): void {
  it('plan accepts a manifest if and only if kubectl does', async () => {
    const runs = await dryRun(server(), TEXTS);
    const printed = (stream: 'stdout' | 'stderr'): string => runs.map((one) => one[stream]).join('');
    // Objects before the place of the error are applied.
    const refused = new Set([...printed('stderr').matchAll(/([^/\s]+)\.yaml\b/g)].map(([, name = '']) => name));
    const created = [...printed('stdout').matchAll(/\/(\S+) created/g)].map(([, name = '']) => name);
    const accepted = new Set(created.filter((one) => !refused.has(one.replace(/[-_][bc]$/, ''))));
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
}

describeWithKubectl('manifests on the embedded server', () => {
  let server: ControlPlane | undefined;
  const started = (): ControlPlane => {
    if (server === undefined) throw new Error('the server has not started');
    return server;
  };
  beforeAll(async () => {
    server = await startBackend('embedded', { size: 'api', label: 'field-yaml' });
    await installCrds(server, path.join(root, 'crds'));
  });
  afterAll(() => server?.stop());

  acceptsAsKubectl(started);
});

/** kubectl reads a manifest and merges it, so that one server shows what it makes of them. */
describeWithServer('manifests on kube-apiserver', { real: true }, (server) => {
  beforeAll(() => installCrds(server(), path.join(root, 'crds')));

  acceptsAsKubectl(server);

  it('what both accept is the same object on the server', async () => {
    const both = readings.filter(({ objects }) => objects !== undefined);
    const ours = both
      .flatMap(({ objects = [] }) => objects)
      .map((one) => ({ name: one.metadata.name, text: JSON.stringify(one) }));

    const [theirs, read] = [await storedBy(server(), both), await storedBy(server(), ours)];

    expect([...read]).toEqual([...theirs]);
    expect(read.size).toBe(ours.length);
  });

  it('what plan merges into a live object is what kubectl makes of it, or both refuse it', async () => {
    const { adminKubeconfig: kubeconfig } = server();
    // Server-side, so that the objects have no annotation of what was applied.
    await kubectlOk(['apply', '--server-side', '-f', written('live', 'live', LIVE)], { kubeconfig });
    await kubectlOk(['apply', '-f', written('live', 'applied', APPLIED)], { kubeconfig });
    const kinds = 'placements,managedclustersets,managedclustersetbindings';
    const { items } = JSON.parse(await kubectlOk(['get', kinds, '-A', '-o', 'json'], { kubeconfig }));
    const files = MERGED.map((text, index) =>
      written('merged', String(index), `apiVersion: cluster.fleetmgmt.io/v1alpha1\n${text}\n`),
    );

    const ours = await Promise.all(files.map((file) => planned(file, items)));
    const theirs = await Promise.all(files.map((file) => appliedTo(server(), file)));

    const named = (objects: readonly (object | undefined)[]): object =>
      Object.fromEntries(MERGED.map((text, index) => [text, objects[index] ?? 'refused']));
    expect(named(ours)).toEqual(named(theirs));
    expect(theirs).toContain(undefined);
  });
});
