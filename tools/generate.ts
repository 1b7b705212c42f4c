import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { artefacts } from './artefacts.js';

/** Writes the generated files into the package in the current folder (`npm run` makes that the package root). */
async function generate(root: string): Promise<void> {
  for await (const artefact of artefacts(root)) {
    const file = path.join(root, artefact.path);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, artefact.text);
    process.stdout.write(`${artefact.path}\n`);
  }
}

await generate(process.cwd());
