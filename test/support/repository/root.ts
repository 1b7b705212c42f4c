import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package's root folder, from wherever the compiled test lies. */
export const root = rootAbove(path.dirname(fileURLToPath(import.meta.url)));

/** The first of `folder` and those above it that is the root of a checkout. @throws Error where none is */
export function rootAbove(folder: string): string {
  if (existsSync(path.join(folder, 'crds')) && existsSync(path.join(folder, 'package.json'))) return folder;
  const up = path.dirname(folder);
  if (up === folder)
    throw new Error('the package root (the folder with package.json and crds) was not found above the tests');
  return rootAbove(up);
}
