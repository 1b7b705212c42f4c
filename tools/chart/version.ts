import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** A file of a chart: its path below the root of the repository. */
export interface ChartFile {
  readonly path: string;
  readonly text: string;
}

/**
 * The version of a chart between releases: a pre-release of the next one, which names the content, so that charts of
 * different content never have the same version. `generated`: the files of `chart` that replace those on the disk.
 * Chart.yaml does not count: it has the version. A release sets its own with `helm package --version`.
 */
export function chartVersion(root: string, chart: string, release: string, generated: readonly ChartFile[]): string {
  const written = readdirSync(path.join(root, chart), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));
  const texts = new Map(written.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));
  for (const { path: file, text } of generated) texts.set(file, text);
  texts.delete(`${chart}/Chart.yaml`);
  const content = JSON.stringify([...texts].sort(([a], [b]) => (a < b ? -1 : 1)));
  return `${release}-dev.c${createHash('sha256').update(content).digest('hex').slice(0, 10)}`;
}
