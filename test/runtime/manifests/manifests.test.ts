import { describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseManifests, readManifests } from '../../../src/runtime/manifests.js';
import { root } from '../../support/repository/root.js';

const object = (name: string, more = ''): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n${more}`;

describe('a folder of manifests', () => {
  it('a folder of manifests gives its objects by file and then as they stand in the file; other files are left alone', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'manifests-'));
    try {
      await writeFile(path.join(folder, 'b.yaml'), `${object('b1')}---\n${object('b2')}`);
      await writeFile(path.join(folder, 'a.yml'), `# what this is\n---\n${object('a')}---\n`);
      await writeFile(path.join(folder, 'README.md'), 'not YAML: [');

      expect(readManifests(folder).map((one) => one.metadata.name)).toEqual(['a', 'b1', 'b2']);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('a folder of manifests of this project reads', () => {
    const objects = readManifests(path.join(root, 'deploy', 'components', 'placement-controller'));

    expect(objects.map((one) => one.kind)).toContain('Deployment');
  });

  it('no manifest of this project has an octal number or a merge key, which kubectl reads as another value', () => {
    const texts = ['crds', 'deploy'].flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.yaml'))
        .map((file) => readFileSync(path.join(root, folder, file), 'utf8')),
    );

    expect(texts.length).toBeGreaterThan(50);
    expect(texts.filter((text) => /(:|^\s*-)\s+[-+]?0[0-7]+\s*(#.*)?$|<<:/m.test(text))).toEqual([]);
  });
});

describe('a manifest', () => {
  it('a manifest keeps words as YAML 1.2 reads them', () => {
    const [read] = parseManifests(
      object('a', 'data: {yes: yes, on: "on", date: 2026-01-01, version: "1.0"}\n'),
      'a.yaml',
    );

    expect(read).toMatchObject({ data: { yes: 'yes', on: 'on', date: '2026-01-01', version: '1.0' } });
  });

  it.each([
    ['', 0],
    ['---\n---\n', 0],
    ['# only a comment\n', 0],
    [`---\n${object('a')}`, 1],
  ])('the text %j holds %d objects', (text, count) => {
    expect(parseManifests(text, 'a.yaml')).toHaveLength(count);
  });

  it.each([
    ['no apiVersion', 'kind: ConfigMap\nmetadata: {name: a}\n', 'a.yaml, document 1: apiVersion: must be set'],
    ['no kind', 'apiVersion: v1\nmetadata: {name: a}\n', 'a.yaml, document 1: kind: must be set'],
    ['no name', 'apiVersion: v1\nkind: ConfigMap\n', 'a.yaml, document 1: metadata.name: must be set'],
    ['a list', '- a\n', 'a.yaml, document 1: apiVersion: must be set'],
    ['a key twice', `${object('a')}kind: Secret\n`, 'a.yaml'],
    ['half of it', 'apiVersion: [', 'a.yaml'],
  ])('a manifest with %s is refused, by file, place and rule', (_, text, message) => {
    expect(() => parseManifests(text, 'a.yaml')).toThrow(message);
  });

  it('a manifest names the document of several', () => {
    expect(() => parseManifests(`${object('a')}---\nkind: B\n`, 'a.yaml')).toThrow('a.yaml, document 2');
  });
});
