import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root folder of this package. */
export const root = find(path.dirname(fileURLToPath(import.meta.url)));

function find(folder: string): string {
  if (existsSync(path.join(folder, 'SCOPE.md'))) return folder;
  const parent = path.dirname(folder);
  if (parent === folder) throw new Error('no folder with SCOPE.md was found above the compiled files');
  return find(parent);
}
