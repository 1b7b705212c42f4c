// Removes what was compiled from TypeScript files that are gone: Jest would go on running such a test.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

const COMPILED = /\.(js|js\.map|d\.ts)$/;

for (const project of ['.', 'packages/cel', 'packages/kube-apiserver']) {
  const dist = path.join(project, 'dist');
  if (!existsSync(dist)) continue;
  for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    if (!COMPILED.test(file) || file.startsWith('bundle')) continue;
    if (!existsSync(path.join(project, file.replace(COMPILED, '.ts')))) rmSync(path.join(dist, file));
  }
}
