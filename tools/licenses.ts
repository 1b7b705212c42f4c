import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

import type { Metafile } from 'esbuild';

const TEXT = /^(?:(?:un)?licen[cs]e|copying|copyright|notice)/i;
/** The folder of a package in the path of one of its files: one of the workspace, or an installed one. */
const PACKAGE = /^packages\/[^/]+(?=\/)|^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
const RULE = '-'.repeat(80);

/** The part of a package.json that is read. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

/**
 * The licences and notices of the packages that a bundle contains: one part for each package, by name and version.
 * `root`: the folder that the paths of `metafile` are relative to.
 * @throws Error for a package without a file that holds its licence or notice
 */
export function licensesOf(root: string, metafile: Metafile): string {
  const parts = packagesOf(root, metafile).map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest;
    const texts = readdirSync(folder)
      .filter((file) => TEXT.test(file))
      .sort()
      .map((file) => readFileSync(path.join(folder, file), 'utf8').trim());
    if (texts.length === 0) throw new Error(`${folder} has no file with its licence`);
    return [`${name} ${version} (${license ?? 'see below'})`, ...texts].join('\n\n');
  });
  const all = [...new Set(parts)].sort();
  return `This program contains the packages below, under these licences.\n\n${all.map((part) => `${RULE}\n${part}\n`).join('\n')}`;
}

/** The folders of the packages whose code is in the outputs of a bundle, without that of the bundled program itself. */
function packagesOf(root: string, { outputs }: Metafile): string[] {
  const files = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
  const folders = files.flatMap((file) => {
    const [folder] = PACKAGE.exec(file) ?? [];
    return folder === undefined ? [] : [path.resolve(root, folder)];
  });
  return [...new Set(folders)];
}
