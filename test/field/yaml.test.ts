/*
 * What people did: they previewed a manifest with `plan`, then applied it with kubectl or sent it over HTTPS. `plan` accepted
 * what kubectl refuses (a misspelt field, `"3"` for a number, a list that was named twice), refused what kubectl accepts
 * (merge keys, octal numbers), read `1_000` and `yes` as text, and found no change in an empty pipe.
 * What is right: `plan`, `explain --offline` and kubectl read every text as the same object, or refuse it; the HTTPS interface
 * refuses more, and reads what it accepts as they do. yaml.slow.test.ts compares them with kubectl on a server.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MalformedBody, readManifestStream } from '@multicluster-engine/values/yaml';
import { readStrictYaml } from '@multicluster-engine/values/read/strictyaml';
import { readFiles } from '../../src/answers/files/files.js';
import { root } from '../support/repository/root.js';
import { jsonTexts } from './jsontexts.js';
import { manifestTexts, randomFrom } from './yamltexts.js';

const SEEDS = [1, 2];
const CLUSTER = 'apiVersion: cluster.fleetmgmt.io/v1alpha1\nkind: ManagedCluster\nmetadata: {name: a}\n';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'field-yaml-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The value that is read, as text with keys in order; undefined for a text that is refused. */
function readBy(read: () => unknown): string | undefined {
  try {
    return JSON.stringify(sorted(read()));
  } catch (error) {
    if (error instanceof MalformedBody) return undefined;
    throw error;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

interface Result {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function mce(args: readonly string[], input = ''): Result {
  const program = path.join(root, 'dist', 'src', 'main.js');
  return spawnSync(process.execPath, [program, ...args], { encoding: 'utf8', cwd: folder, env: {}, input });
}

function placement(rest: string): string {
  return `apiVersion: cluster.fleetmgmt.io/v1alpha1\nkind: Placement\nmetadata: {name: web, namespace: shop}\n${rest}\n`;
}

describe('the HTTPS interface and kubectl', () => {
  it.each(SEEDS)('what the HTTPS interface accepts, it reads as kubectl does, seed %d', (seed) => {
    const made = [...manifestTexts(seed, 200), ...jsonTexts(randomFrom(seed), 500)];
    const texts = made.map(({ text }) => text);

    const accepted = texts.flatMap((text) => {
      const value = readBy(() => readStrictYaml(text));
      return value?.startsWith('{') === true ? [{ text, value }] : [];
    });

    // A comment that is so short is what kubectl cannot read behind JSON.
    const isOther = ({ text, value }: (typeof accepted)[number]): boolean =>
      !text.endsWith('\n#c') && readBy(() => readManifestStream(text).filter((one) => one !== null)) !== `[${value}]`;
    expect(accepted.filter(isOther)).toEqual([]);
    expect(accepted.length).toBeGreaterThan(200);
    expect(accepted.length).toBeLessThan(texts.length - 200);
  });
});

describe('the files of a command', () => {
  it('plan reads numbers as kubectl does', () => {
    const numbers = ['0o17', '1_000', '1e2', '!!int "3"'];
    const texts = numbers.map((one, index) =>
      placement(`spec: {numberOfClusters: ${one}}`).replace('web', `w${index}`),
    );

    const { stdout } = mce(['plan', '--offline', '-f', '-'], texts.join('---\n'));

    expect([...stdout.matchAll(/of (\d+) wanted/g)].map(([, wanted]) => wanted)).toEqual(['15', '1000', '100', '3']);
  });

  it.each([
    ['spec: {numberofclusters: 4}', 'unknown field "spec.numberofclusters"; did you mean numberOfClusters?'],
    ['spec: {numberOfClusters: "3"}', 'spec.numberOfClusters: "3": must be a whole number'],
    ['spec: {numberOfClusters: 1.5}', 'spec.numberOfClusters: 1.5: must be a whole number'],
    ['spec: {ClusterSets: [no]}', 'spec.ClusterSets[0]: false: must be a string: put it in quotes'],
    ['metadata: {name: web, labels: {tier: yes}}', 'metadata.labels.tier: true: must be a string: put it in quotes'],
    ['metadata: {name: web, labels: [tier]}', 'metadata.labels: ["tier"]: must be an object'],
    ['spec: {predicates: [{requiredClusterSelectors: {}}]}', 'did you mean requiredClusterSelector?'],
    ['spec: {numberOfClusters: .inf}', 'document 1: json: unsupported value: +Inf'],
    ['spec: {}\n--- {a: b}', 'line 5: "{a: b}": only a comment may follow ---'],
    [
      'spec: {tolerations: [{key: a, operator: exists}]}',
      'spec.tolerations[0].operator: Unsupported value: "exists": supported values: "Exists", "Equal"',
    ],
  ])('%j is refused with field, value and rule', async (rest, message) => {
    const file = path.join(folder, 'placement.yaml');
    writeFileSync(file, placement(rest));

    await expect(readFiles([file])).rejects.toThrow(message);
  });

  it.each([
    ['taints: [{key: a, effect: NoSelect, timeAdded: yesterday}]', '"yesterday": must be a time by RFC 3339'],
    ['taints: [{key: a, effect: NoSelect, timeAdded: 5}]', '5: must be a time by RFC 3339'],
  ])('a taint of a cluster with %s is refused by its time', async (spec, message) => {
    const file = path.join(folder, 'cluster.yaml');
    writeFileSync(file, `${CLUSTER}spec: {${spec}}\n`);

    await expect(readFiles([file])).rejects.toThrow(`spec.taints[0].timeAdded: ${message}`);
  });

  it('an object of another namespace than that of the command is refused, as by kubectl', () => {
    const file = path.join(folder, 'namespace.yaml');
    writeFileSync(file, `${placement('spec: {}')}---\n${CLUSTER}spec: {}\n`);

    const results = ['adv', 'shop'].map((namespace) => mce(['plan', '--offline', '-f', file, '-n', namespace]));

    expect(results.map(({ status, stderr }) => [status, stderr.split('Placement ')[1]])).toEqual([
      [1, 'web: metadata.namespace: "shop": does not match --namespace=adv: give --namespace=shop\n'],
      [2, undefined],
    ]);
  });

  it.each([
    ['{"a": 1', 'document 1: yaml: line 1: '],
    ['{"apiVersion": "v1", "kind": "List", "items": {}}', 'document 1: items: must be a list'],
    ['{"kind": "List", "items": []}', 'document 1: apiVersion: must be set, to a string'],
    ['{}{}{"a" 1}', `document 3: invalid character '1' after object key`],
    ['{"a": 1,}\n--- b\n', 'line 2: "b": only a comment may follow ---'],
  ])('%j is refused with its place', async (text, message) => {
    const file = path.join(folder, 'text.json');
    writeFileSync(file, text);

    await expect(readFiles([file])).rejects.toThrow(`${file}, ${message}`);
  });

  it('a field that a template left empty is none, in every command', () => {
    const empty = 'labels: ~, annotations: ~, finalizers: ~';
    const text = placement('spec: {ClusterSets: ~, tolerations: [{key: a, value: ~}], disruptionBudget: ~}');
    const file = path.join(folder, 'empty.yaml');
    writeFileSync(file, text.replace('namespace: shop', `namespace: shop, ${empty}`));
    const commands = [
      ['plan', '--offline', '-f', file],
      ['explain', 'placement', 'web', '-n', 'shop', '--offline', '-f', file],
    ];

    const results = commands.map((args) => mce(args));

    // The Placement is new.
    expect(results.map(({ status }) => status)).toEqual([2, 0]);
    const said = results.flatMap(({ stderr }) => stderr.trim().split('\n'));
    expect(said.filter((line) => !line.includes(': the files hold no ManagedCluster'))).toEqual([]);
  });

  it('every command refuses what only a rule in CEL forbids', () => {
    const file = path.join(folder, 'budget.yaml');
    writeFileSync(file, placement('spec: {disruptionBudget: {}}'));
    const offline = ['--offline', '-f', file];
    const commands = [
      ['plan', ...offline],
      ['plan', '--offline', '--base', file, '--delete', 'mclset/a'],
      ['explain', 'placement', 'web', '-n', 'shop', ...offline],
      ['status', ...offline],
    ];

    const results = commands.map((args) => mce(args));

    for (const { status, stdout, stderr } of results) {
      expect([status, stdout, stderr.split('\n').length]).toEqual([1, '', 2]);
      expect(stderr).toContain(
        'spec.disruptionBudget.maxRemovals: Required value: a budget without both bounds nothing',
      );
    }
  });
  it('files without an object are refused, since what was meant is somewhere else: a template that printed nothing', () => {
    const commands = [['plan'], ['status'], ['tree'], ['explain', 'placement', 'web']];

    const results = commands.map((args) => mce([...args, '--offline', '-f', '-'], '# nothing\n'));

    for (const { status, stderr } of results) {
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(/^multicluster-engine \w+: -: there is no object\n$/),
      ]);
    }
  });
});
