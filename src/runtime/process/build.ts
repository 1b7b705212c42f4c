import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { asRecord } from '../vocabulary/json.js';

/** What this program was built from. */
export interface Build {
  /** The release, or `RELEASE+dev.COMMIT` between releases. */
  readonly version: string;
  /** The whole commit; empty where the build did not know it. */
  readonly commit: string;
  /** When the commit was made, RFC 3339; empty where the build did not know it. */
  readonly date: string;
}

const HERE = path.dirname(fileURLToPath(import.meta.url));

/** The folder of package.json above this file, with the files that the program is shipped with. */
export function packageRoot(): string {
  const root = foldersAbove(HERE).find((folder) => existsSync(path.join(folder, 'package.json')));
  if (root === undefined) throw new Error('package.json was not found in any folder above the program');
  return root;
}

/** The text of a file of the package. @throws Error where it is missing */
export function shippedFile(...names: readonly string[]): string {
  return readFileSync(path.join(packageRoot(), ...names), 'utf8');
}

/** The generated OpenAPI document, JSON, with this version. */
export function shippedOpenApi(release: string): string {
  const document = asRecord(JSON.parse(shippedFile('docs', 'reference', 'openapi.json')));
  return JSON.stringify({ ...document, info: { ...asRecord(document['info']), version: release } });
}

/** The release that package.json names: that of the build, or the last one before it. */
export function releaseVersion(): string {
  return textsOf(path.join(packageRoot(), 'package.json')).version;
}

export function version(): string {
  return build().version;
}

let known: Build | undefined;

/** What build.json says, beside the compiled program or in a folder above it; tools/identity.sh writes it. */
export function build(): Build {
  known ??= readBuild();
  return known;
}

function readBuild(): Build {
  const root = packageRoot();
  const inPackage = foldersAbove(HERE).filter((folder) => folder.startsWith(root));
  const file = inPackage.map((folder) => path.join(folder, 'build.json')).find((one) => existsSync(one));
  return file === undefined ? { version: `${releaseVersion()}+dev`, commit: '', date: '' } : textsOf(file);
}

function foldersAbove(folder: string): string[] {
  const up = path.dirname(folder);
  return up === folder ? [folder] : [folder, ...foldersAbove(up)];
}

function textsOf(file: string): Build {
  const { version: release, commit = '', date = '' }: Partial<Build> = JSON.parse(readFileSync(file, 'utf8'));
  if (release === undefined) throw new Error(`${file}: version is missing`);
  return { version: release, commit, date };
}
