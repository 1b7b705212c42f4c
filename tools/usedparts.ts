import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { build, type Plugin } from 'esbuild';

/** The parts of large packages that the program uses, for the bundle and for the compiled files. */

/** CommonJS packages in the bundle call `require`, which an ES module does not have. */
export const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/**
 * Leaves out of the bundle what of client-node is not used: kubeconfig alone. Its package.json does not say that loading a
 * module has no effect, so esbuild keeps every module, with the models of the whole Kubernetes API: 5 MB.
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

export const USED_PARTS: Plugin[] = [USED_PARTS_OF_CLIENT_NODE, USED_PARTS_OF_UNDICI];

/**
 * Puts what is used of client-node where Node finds it first for the compiled files of `folder`: the whole package takes a command a
 * second and 80 MB to load. Without it Node finds the whole one. Made once
 * for each version.
 */
async function linkClientNode(root: string, folder: string): Promise<void> {
  const place = path.join(root, folder, 'node_modules', '@kubernetes', 'client-node');
  const entry = path.join(place, 'index.js');
  const manifest = path.join(place, 'package.json');
  const installed = path.join(root, 'node_modules', '@kubernetes', 'client-node', 'package.json');
  const { version } = JSON.parse(readFileSync(installed, 'utf8')) as { version: string };
  const own = `${JSON.stringify({ type: 'module', main: 'index.js', version })}\n`;
  if (existsSync(entry) && existsSync(manifest) && readFileSync(manifest, 'utf8') === own) return;
  await build({
    stdin: { contents: "export { KubeConfig } from '@kubernetes/client-node';", resolveDir: root },
    bundle: true,
    outfile: entry,
    platform: 'node',
    format: 'esm',
    banner: { js: REQUIRE },
    logLevel: 'warning',
    plugins: USED_PARTS,
  });
  writeFileSync(manifest, own);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await linkClientNode(process.cwd(), 'dist');
