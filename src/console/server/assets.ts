import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/** What everybody gets: the files of the page, which `tools/web.ts` has built. */

export interface Asset {
  readonly contentType: string;
  readonly bytes: Buffer;
  readonly brotli: Buffer;
  readonly gzip: Buffer;
  /** Its name has a hash: it never changes. */
  readonly isHashed: boolean;
}

export interface Assets {
  /** The shell, the same for every page. */
  readonly shell: Asset;
  readonly find: (name: string) => Asset | undefined;
  /** The hash of the script: changes with the page. */
  readonly build: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
};
const SHELL = 'index.html';
/** The best one takes a second, and saves a tenth. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
/** Where they are from this file: compiled, and in a chunk of the bundle. */
const FOLDERS = ['../../../web', './web'];

/** Reads the files of the page. @throws Error where it was not built */
export function readAssets(folder = folderOf()): Assets {
  const files = new Map(
    readdirSync(folder).map((name) => [name, assetOf(name, readFileSync(path.join(folder, name)))]),
  );
  const shell = files.get(SHELL);
  const script = [...files.keys()].find((name) => name.endsWith('.js'));
  if (shell === undefined || script === undefined)
    throw new Error(`${folder}: the page is not complete: build it again`);
  return { shell, find: (name) => files.get(name), build: script };
}

function folderOf(): string {
  const folders = FOLDERS.map((folder) => fileURLToPath(new URL(folder, import.meta.url)));
  const found = folders.find((folder) => readable(folder).includes(SHELL));
  if (found === undefined) throw new Error(`the page of the console is in none of ${folders.join(', ')}: build it`);
  return found;
}

function readable(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function assetOf(file: string, bytes: Buffer): Asset {
  return {
    contentType: TYPES[path.extname(file)] ?? 'application/octet-stream',
    bytes,
    brotli: brotliCompressSync(bytes, QUALITY),
    gzip: gzipSync(bytes),
    isHashed: /-[A-Z0-9]{8}\./.test(file),
  };
}
