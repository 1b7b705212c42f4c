/**
 * People keep objects in Git, and tools apply them again and again: kubectl, Argo CD, Flux. An object whose list got a default
 * from the API server was out of sync for ever: every apply said `configured` and began a new generation, and a second manager
 * had a conflict on equal values. (A manifest replaces a list as a whole; what is missing in an item differs from a default.)
 * Right: an apply of an unchanged manifest changes nothing, for each list of each kind, and who applies the same values has
 * no conflict.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { load } from 'js-yaml';

import { asRecord, field, recordsIn, type JsonRecord } from '../../src/runtime/vocabulary/json.js';
import { pathWithKubectl } from '../support/clients/kubectl.js';
import { MANIFESTS } from '../support/definitions/manifests.js';
import { root } from '../support/repository/root.js';

const LONG_MS = 120_000;
const FOLDER = path.join(root, 'crds');
const DEFINITIONS = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => asRecord(load(readFileSync(path.join(FOLDER, file), 'utf8'))));

/** The paths of defaults below the items of lists. */
function* defaultsInLists(schema: JsonRecord, at: string, isInList: boolean): Generator<string> {
  if (isInList && Object.hasOwn(schema, 'default')) yield at;
  if (schema['items'] !== undefined) yield* defaultsInLists(asRecord(schema['items']), `${at}[]`, true);
  for (const [name, property] of Object.entries(asRecord(schema['properties'])))
    yield* defaultsInLists(asRecord(property), `${at}.${name}`, isInList);
}

describe('a definition', () => {
  it('has no default inside a list', () => {
    const found = DEFINITIONS.flatMap(({ spec }) =>
      recordsIn(field(spec, 'versions')).flatMap((version) => {
        const schema = asRecord(field(version['schema'], 'openAPIV3Schema'));
        return [...defaultsInLists(schema, String(field(field(spec, 'names'), 'kind')), false)];
      }),
    );
    expect(found).toEqual([]);
  });

  it('has a manifest below', () => {
    expect(Object.keys(MANIFESTS).sort()).toEqual(
      DEFINITIONS.map(({ spec }) => String(field(field(spec, 'names'), 'kind'))).sort(),
    );
  });
});

describeWithServer('a manifest that is applied again', { own: true }, (server) => {
  let folder: string;
  beforeAll(async () => {
    await installCrds(server());
    folder = mkdtempSync(path.join(os.tmpdir(), 'defaults-'));
  }, LONG_MS);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const env = { ...process.env, PATH: pathWithKubectl(), KUBECONFIG: server().adminKubeconfig };
    return (await promisify(execFile)('kubectl', args, { env })).stdout.trim();
  };
  const fileOf = (kind: string, name: string): string => {
    const file = path.join(folder, `${kind}-${name}.yaml`);
    const text = (MANIFESTS[kind] ?? '').replaceAll('clusterSet: full', `clusterSet: ${name}`);
    writeFileSync(file, `kind: ${kind}\nmetadata: {name: ${name}}${text}\n`);
    return file;
  };
  const generation = async (kind: string, name: string): Promise<string> =>
    kubectl('get', kind, name, '-o', 'jsonpath={.metadata.generation}');

  it.each(Object.keys(MANIFESTS))('changes nothing of a %s by kubectl', async (kind) => {
    const file = fileOf(kind, 'full');
    expect(await kubectl('apply', '-f', file)).toMatch(/ created$/);
    expect(await kubectl('apply', '-f', file)).toMatch(/ unchanged$/);
    // It ends with 1 where there is a difference.
    expect(await kubectl('diff', '-f', file)).toBe('');
    expect(await generation(kind, 'full')).toBe('1');
  });

  it.each(Object.keys(MANIFESTS))(
    'changes nothing of a %s by server-side apply, by a second manager either',
    async (kind) => {
      const file = fileOf(kind, 'served');
      const apply = async (manager: string): Promise<string> => {
        await kubectl('apply', '--server-side', '--field-manager', manager, '-f', file);
        return kubectl('get', kind, 'served', '-o', 'jsonpath={.metadata.generation} {.spec} {.status.decisions}');
      };
      const version = (): Promise<string> =>
        kubectl('get', kind, 'served', '-o', 'jsonpath={.metadata.resourceVersion}');
      const first = await apply('one');
      // The second apply stores the default of the status, which the creation has only shown.
      expect(await apply('one')).toBe(first);
      const stored = await version();
      expect(await apply('one')).toBe(first);
      expect(await version()).toBe(stored);
      expect(await apply('two')).toBe(first);
      expect(await kubectl('diff', '--server-side', '--field-manager', 'one', '-f', file)).toBe('');
    },
  );
});
