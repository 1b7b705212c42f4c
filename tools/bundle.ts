import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { build, type Metafile } from 'esbuild';

import { licensesOf } from './licenses.js';
import { REQUIRE, USED_PARTS } from './usedparts.js';
import { bundleWeb } from './web.js';

/**
 * What kubectl calls for `kubectl mce` and for its completion: programs of their own, since kubectl passes no name. The
 * first word of the command line of each; the program prints the name by which it was called.
 */
const KUBECTL_PLUGIN = { 'kubectl-mce.js': [], 'kubectl_complete-mce.js': ['__complete'] } as const;

/**
 * Bundles `src/main.ts` of the package at `root`, dependencies included, into the folder `outdir`, which is emptied first.
 * Every command is a chunk of its own beside `main.js`, and so are the programs of the kubectl plugin. The page of the console is the folder `web`. The licences of the
 * dependencies are in `LICENSES.txt`, and what the bundle was built from is in `build.json`. Returns esbuild's list of which source file stands in which chunk. Nothing has to be
 * compiled before, and no types are checked.
 */
export async function bundle(root: string, outdir: string): Promise<Metafile> {
  rmSync(outdir, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [
      'src/main.ts',
      { in: 'src/gateway/request/parserworker.ts', out: 'parserworker' },
      { in: 'src/console/server/planworker.ts', out: 'planworker' },
    ],
    // Its exports are compiled files, which are not there in a fresh checkout.
    alias: {
      '@multicluster-engine/cel': './packages/cel/src',
      '@multicluster-engine/kube-apiserver': './packages/kube-apiserver/src/index.ts',
      '@multicluster-engine/values': './packages/values/src',
    },
    bundle: true,
    splitting: true,
    outdir,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    legalComments: 'external',
    // The process keeps the text of its modules in memory. The limit keeps line numbers in stack traces useful.
    minifyWhitespace: true,
    lineLimit: 160,
    banner: { js: REQUIRE },
    metafile: true,
    logLevel: 'warning',
    plugins: USED_PARTS,
  });
  for (const [file, words] of Object.entries(KUBECTL_PLUGIN)) {
    const insert = words.length === 0 ? '' : `process.argv.splice(2, 0, ...${JSON.stringify(words)});\n`;
    writeFileSync(path.join(outdir, file), `#!/usr/bin/env node\n${insert}await import('./main.js');\n`, {
      mode: 0o755,
    });
  }
  writeFileSync(path.join(outdir, 'build.json'), execFileSync('bash', ['tools/identity.sh'], { cwd: root }));
  const web = await bundleWeb(root, path.join(outdir, 'web'));
  const all = { inputs: { ...metafile.inputs, ...web.inputs }, outputs: { ...metafile.outputs, ...web.outputs } };
  writeFileSync(path.join(outdir, 'LICENSES.txt'), licensesOf(root, all));
  return metafile;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle(process.cwd(), path.resolve('dist', 'bundle'));
