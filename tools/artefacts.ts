import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openApiDocument } from '../src/gateway/openapi/openapi.js';
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
  all.push({ path: 'docs/reference/openapi.json', text: openapi(root) });
  return all;
}

function openapi(root: string): string {
  const read = (...file: string[]): string => readFileSync(path.join(root, ...file), 'utf8');
  const { version } = JSON.parse(read('package.json'));
  const document = openApiDocument({
    version,
    engine: read('crds', 'multiclusterengine.yaml'),
    placement: read('crds', 'placement.yaml'),
  });
  return `${JSON.stringify(document, null, 2)}\n`;
}
