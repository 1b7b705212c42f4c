import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { build, type Metafile, type Plugin } from 'esbuild';

import { licensesOf } from './licenses.js';
import { bundleWeb } from './web.js';

/** CommonJS packages in the bundle call `require`, which an ES module does not have. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/**
 * What kubectl calls for `kubectl mce` and for its completion: programs of their own, since kubectl passes no name. The
 * first word of the command line of each; the program prints the name by which it was called.
 */
const KUBECTL_PLUGIN = { 'kubectl-mce.js': [], 'kubectl_complete-mce.js': ['__complete'] } as const;

/**
 * Leaves out of the bundle what of client-node is not used: kubeconfig alone. Its package.json does not say that loading a
 * module has no effect, so esbuild keeps every module, with the models of the whole Kubernetes API: half of the memory of a
 * controller that has just started.
 */
const USED_PARTS_OF_CLIENT_NODE: Plugin = {
  name: 'used-parts-of-client-node',
  setup(bundler) {
    bundler.onResolve(
      { filter: /^(@kubernetes\/client-node$|\.)/ },
      async ({ path: specifier, pluginData, ...from }) => {
        const inside = /\/@kubernetes\/client-node\//.test(from.importer);
        if (pluginData === RESOLVING || (specifier.startsWith('.') && !inside)) return undefined;
        const { importer, resolveDir, kind } = from;
        const found = await bundler.resolve(specifier, { importer, resolveDir, kind, pluginData: RESOLVING });
        return { ...found, sideEffects: false };
      },
    );
  },
};
/** Marks the resolution by esbuild itself, which asks the plugin again. */
const RESOLVING = 'resolving';

/** What is imported from undici, and the module of its package that has it. */
const UNDICI_MODULES = {
  Agent: 'lib/dispatcher/agent.js',
  Client: 'lib/dispatcher/client.js',
  Pool: 'lib/dispatcher/pool.js',
  ProxyAgent: 'lib/dispatcher/proxy-agent.js',
  buildConnector: 'lib/core/connect.js',
};
/** Only the API clients of client-node use it, which are not used: Node's own, which loads its modules when it is called. */
const FETCH = 'export const { fetch } = globalThis;';

/** Leaves out of the bundle what of undici is not used: its index loads every module, two thirds of which are unused. */
const USED_PARTS_OF_UNDICI: Plugin = {
  name: 'used-parts-of-undici',
  setup(bundler) {
    const namespace = 'undici';
    const exports = Object.entries(UNDICI_MODULES).map(
      ([name, file]) => `export { default as ${name} } from 'undici/${file}';`,
    );
    bundler.onResolve({ filter: /^undici$/ }, ({ resolveDir }) => ({
      path: 'index.js',
      namespace,
      sideEffects: false,
      pluginData: resolveDir,
    }));
    bundler.onLoad({ filter: /./, namespace }, ({ pluginData }) => ({
      contents: [...exports, FETCH].join('\n'),
      resolveDir: String(pluginData),
    }));
  },
};

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
    entryPoints: ['src/main.ts', { in: 'src/gateway/request/parserworker.ts', out: 'parserworker' }],
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
    plugins: [USED_PARTS_OF_CLIENT_NODE, USED_PARTS_OF_UNDICI],
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
