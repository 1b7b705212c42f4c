import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { bundle } from '../../../tools/bundle.js';
import { root } from '../repository/root.js';

/** The npm package as a file. */
export interface NpmPackage {
  readonly tarball: string;
  /** Its size in bytes. */
  readonly size: number;
  /** Its files, relative to the package. */
  readonly files: readonly string[];
}

/** The fields of package.json that the tests read. */
export interface Manifest {
  readonly version: string;
  readonly private?: boolean;
  readonly bin: Readonly<Record<string, string>>;
  readonly files: readonly string[];
  readonly scripts: Readonly<Record<string, string>>;
  readonly keywords?: readonly string[];
  readonly [field: string]: unknown;
}

export const manifest: Manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

/**
 * Bundles and packs the package in `folder`, as `npm pack` does it in the repository; the bundle of the repository, which
 * other tests may use, is left alone.
 */
export async function pack(folder: string): Promise<NpmPackage> {
  const stage = path.join(folder, 'stage');
  mkdirSync(stage, { recursive: true });
  for (const name of ['package.json', 'README.md', 'LICENSE', ...manifest.files])
    if (name !== 'dist/bundle') cpSync(path.join(root, name), path.join(stage, name), { recursive: true });
  await bundle(root, path.join(stage, 'dist', 'bundle'));
  const output = execFileSync('npm', ['pack', '--json', '--ignore-scripts', `--pack-destination=${folder}`], {
    cwd: stage,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [packed] = JSON.parse(output) as { filename: string; size: number; files: { path: string }[] }[];
  if (packed === undefined) throw new Error(`npm pack printed ${output}`);
  const files = packed.files.map((file) => file.path);
  return { tarball: path.join(folder, packed.filename), size: packed.size, files };
}
