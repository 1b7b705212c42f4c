import { readCrds } from './crd.js';
import { declarations } from './declarations.js';
import { referencePage } from './reference.js';

/** A file that is generated and committed: its path below the package root, and its text. */
export interface Artefact {
  readonly path: string;
  readonly text: string;
}

/** Everything that `npm run generate` writes. Another artefact is one more line here. */
export async function artefacts(root: string): Promise<Artefact[]> {
  const all: Artefact[] = [];
  for (const crd of readCrds(root)) {
    all.push({ path: `src/api/generated/${crd.file}.ts`, text: await declarations(crd) });
    all.push({ path: `docs/reference/${crd.file}.md`, text: referencePage(crd) });
  }
  return all;
}
