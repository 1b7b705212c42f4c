import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { build, type Metafile } from 'esbuild';

const SOURCE = 'src/console/web';
/** The browsers that have Trusted Types, `inert` and CSS nesting. */
const TARGET = ['chrome120', 'firefox121', 'safari17'];

/**
 * Bundles the page of the console into the folder `outdir`, and leaves nothing else there: one script and one style, named by
 * their content, the shell that loads them, and an icon. A program that runs finds the page all the time. Nothing has to be compiled
 * before, and no types are checked.
 */
export async function bundleWeb(root: string, outdir: string): Promise<Metafile> {
  mkdirSync(outdir, { recursive: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [path.join(SOURCE, 'main.tsx'), path.join(SOURCE, 'style', 'page.css')],
    entryNames: '[name]-[hash]',
    bundle: true,
    minify: true,
    format: 'esm',
    target: TARGET,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    // The imports are those of the compiled files.
    resolveExtensions: ['.tsx', '.ts', '.js'],
    define: { GLOSSARY: JSON.stringify(termsOf(readFileSync(path.join(root, 'docs', 'glossary.md'), 'utf8'))) },
    metafile: true,
    outdir,
    logLevel: 'warning',
  });
  const names = Object.keys(metafile.outputs).map((file) => path.basename(file));
  const [script, style] = ['.js', '.css'].map((extension) => names.find((name) => name.endsWith(extension)));
  if (script === undefined || style === undefined)
    throw new Error(`a file of the page is missing: ${names.join(', ')}`);
  copyFileSync(path.join(root, SOURCE, 'icon.svg'), path.join(outdir, 'icon.svg'));
  writeFileSync(path.join(outdir, 'index.html'), shell(script, style));
  const others = readdirSync(outdir).filter((name) => ![...names, 'icon.svg', 'index.html'].includes(name));
  for (const name of others) rmSync(path.join(outdir, name), { recursive: true });
  return metafile;
}

/** The terms of the glossary, a table in Markdown, with their meanings as plain text: of a link its words, unless it stands in brackets. */
export function termsOf(glossary: string): Readonly<Record<string, string>> {
  const rows = glossary.matchAll(/^\| (?!term |---)(.+?) \| (.+?) \|/gm);
  const plain = (text: string): string =>
    text
      .replaceAll(/ \(\[[^\]]*\]\([^)]*\)\)/g, '')
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll('`', '');
  return Object.fromEntries([...rows].map(([, term = '', meaning = '']) => [term, plain(meaning)]));
}

function shell(script: string, style: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>multicluster-engine</title>
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/${style}">
<script type="module" src="/${script}"></script>
</head>
<body>
<div id="app"></div>
<noscript><p>The console needs JavaScript. The commands of kubectl mce show the same.</p></noscript>
</body>
</html>
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleWeb(process.cwd(), path.resolve('dist', 'web'));
