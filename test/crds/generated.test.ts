import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { artefacts, type Artefact } from '../../tools/artefacts.js';
import { root } from '../support/repository/root.js';

const generated = await all();

describe('what is generated from the CRDs', () => {
  it.each(generated.map((artefact) => artefact.path))('the file %s is what npm run generate writes', (file) => {
    const wanted = generated.find((artefact) => artefact.path === file)?.text;

    expect(readFileSync(path.join(root, file), 'utf8')).toBe(wanted);
  });

  it.each(['src/api/generated', 'docs/reference'])('the folder %s holds no page of a kind that is gone', (folder) => {
    const kinds = new Set([
      'managedcluster',
      'managedclusterset',
      'managedclustersetbinding',
      'multiclusterengine',
      'placement',
      'placementdecision',
    ]);
    const wanted = generated
      .map((artefact) => artefact.path)
      .filter(
        (file) => path.dirname(file) === folder && (folder !== 'docs/reference' || kinds.has(path.parse(file).name)),
      );
    const present = readdirSync(path.join(root, folder)).filter(
      (name) => folder !== 'docs/reference' || kinds.has(path.parse(name).name),
    );

    expect(present.sort()).toEqual(wanted.map((file) => path.basename(file)).sort());
  });

  it('the generated texts are the same for the same CRDs', async () => {
    expect(await all()).toEqual(generated);
  });
});

async function all(): Promise<Artefact[]> {
  const found: Artefact[] = [];
  for await (const artefact of artefacts(root)) found.push(artefact);
  return found;
}
