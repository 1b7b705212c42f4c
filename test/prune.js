// Removes what was compiled from TypeScript files that are gone: Jest would go on running such a test.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

const COMPILED = /\.(js|js\.map|d\.ts)$/;

for (const project of ['.', 'packages/cel', 'packages/kube-apiserver']) {
  const dist = path.join(project, 'dist');
  if (!existsSync(dist)) continue;
  for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    if (!COMPILED.test(file) || file.startsWith('bundle') || file.startsWith('web/')) continue;
    const source = path.join(project, file.replace(COMPILED, '.ts'));
    if (!existsSync(source) && !existsSync(`${source}x`)) rmSync(path.join(dist, file));
  }
}
