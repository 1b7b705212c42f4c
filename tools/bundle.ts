import { rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { build, type Metafile } from 'esbuild';

/** CommonJS packages in the bundle call `require`, which an ES module does not have. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/**
 * Bundles `src/main.ts` of the package at `root`, dependencies included, into the folder `outdir`, which is emptied first.
 * Every command is a chunk of its own beside `main.js`. Returns esbuild's list of which source file stands in which chunk.
 * The workspace packages have to be compiled before.
 */
export async function bundle(root: string, outdir: string): Promise<Metafile> {
  rmSync(outdir, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/main.ts', { in: 'src/gateway/request/parserworker.ts', out: 'parserworker' }],
    bundle: true,
    splitting: true,
    outdir,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    legalComments: 'external',
    banner: { js: REQUIRE },
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle(process.cwd(), path.resolve('dist', 'bundle'));
