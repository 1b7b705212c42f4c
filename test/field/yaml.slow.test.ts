/*
 * What people did: see yaml.test.ts. Here every text goes through `kubectl apply --dry-run=server`, on the embedded and on the
 * real API server. What is right: `plan` accepts a text if and only if kubectl does, and reads the same objects.
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
import { readFiles } from '../../src/commands/cli/files.js';
import { errorText } from '../../src/runtime/errors.js';
import { root } from '../support/repository/root.js';
import { manifestTexts, type ManifestText } from './yamltexts.js';

const TEXTS = manifestTexts(2026, 150);
/** What a server adds to an object that it has not stored before. */
const ADDED = ['uid', 'creationTimestamp', 'generation', 'resourceVersion', 'managedFields'];
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

interface Reading extends ManifestText {
  /** Undefined: refused. */
  readonly objects: readonly KubeObject[] | undefined;
  readonly why: string;
}

let folder: string;
let readings: readonly Reading[];
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'field-yaml-'));
  for (const one of ['all', 'accepted']) mkdirSync(path.join(folder, one));
  readings = TEXTS.map((one) => {
    const file = path.join(folder, 'all', `${one.name}.yaml`);
    writeFileSync(file, one.text);
    try {
      return { ...one, objects: readFiles([file]), why: '' };
    } catch (error) {
      return { ...one, objects: undefined, why: errorText(error) };
    }
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function namesOf({ objects = [] }: Reading): readonly string[] {
  return objects.map(({ metadata }) => metadata.name).sort();
}

async function dryRun(server: ControlPlane, from: string, ...more: string[]): Promise<string> {
  const args = ['apply', '--dry-run=server', '-f', path.join(folder, from), ...more];
  return (await kubectl(args, { kubeconfig: server.adminKubeconfig })).stdout;
}

/** The objects that the server makes of the manifests, by name. */
async function storedBy(server: ControlPlane, from: string): Promise<ReadonlyMap<string, object>> {
  const { items }: { readonly items: readonly KubeObject[] } = JSON.parse(await dryRun(server, from, '-o', 'json'));
  return new Map(items.map((one) => [one.metadata.name, comparable(one)]));
}

function comparable({ metadata, ...rest }: KubeObject): object {
  const { annotations = {}, ...fields } = metadata;
  const kept = Object.entries(fields).filter(([name]) => !ADDED.includes(name));
  const own = Object.entries(annotations).filter(([name]) => name !== LAST_APPLIED);
  return { ...rest, metadata: { ...Object.fromEntries(kept), annotations: Object.fromEntries(own) } };
}

function compare(backend: 'embedded' | 'real'): void {
  describeWithServer(`manifests on the ${backend} server`, backend === 'real' ? { real: true } : {}, (server) => {
    beforeAll(() => installCrds(server(), path.join(root, 'crds')));

    it('plan accepts a manifest if and only if kubectl does', async () => {
      const accepted = new Set(
        [...(await dryRun(server(), 'all')).matchAll(/\/(\S+) created/g)].map(([, name = '']) => name),
      );
      const namesThere = ({ name }: Reading): readonly string[] =>
        [name, `${name}-b`, `${name}_b`].filter((one) => accepted.has(one));

      const different = readings.filter((one) => namesOf(one).join() !== namesThere(one).join());

      expect(
        different.filter(({ refusedHere }) => refusedHere === undefined).map(({ text, why }) => [text, why]),
      ).toEqual([]);
      expect(different.every(({ objects }) => objects === undefined)).toBe(true);
      expect(accepted.size).toBeGreaterThan(200);
      expect(readings.filter(({ objects }) => objects === undefined).length).toBeGreaterThan(200);
    });

    it('what both accept is the same object on the server', async () => {
      const both = readings.filter(({ objects }) => objects !== undefined);
      for (const { name, text } of both) writeFileSync(path.join(folder, 'accepted', `${name}.yaml`), text);
      const ours = both.flatMap(({ objects = [] }) => objects).map((one) => JSON.stringify(one));
      writeFileSync(path.join(folder, 'ours.json'), ours.join('\n'));

      const [theirs, read] = [await storedBy(server(), 'accepted'), await storedBy(server(), 'ours.json')];

      expect([...read]).toEqual([...theirs]);
      expect(read.size).toBe(ours.length);
    });
  });
}

compare('embedded');
compare('real');
