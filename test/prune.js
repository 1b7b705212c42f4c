// Removes what was compiled from TypeScript files that are gone: Jest would go on running such a test. What other tools make
// in these folders stays.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

const COMPILED = /\.(js|js\.map|d\.ts)$/;
/** Folders without compiled files: of `make plugin`, of `npm run bundle`, the page of the console, the used part of a package. */
const OTHERS = /^(bin|bundle|web|node_modules)\b/;

for (const project of ['.', 'packages/values', 'packages/cel', 'packages/kube-apiserver']) {
  const dist = path.join(project, 'dist');
  if (!existsSync(dist)) continue;
  for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    if (!COMPILED.test(file) || OTHERS.test(file)) continue;
    const source = path.join(project, file.replace(COMPILED, '.ts'));
    if (!existsSync(source) && !existsSync(`${source}x`)) rmSync(path.join(dist, file));
  }
}
