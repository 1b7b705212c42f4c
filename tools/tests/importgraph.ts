import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const PACKAGES = ['packages/values/dist', 'packages/cel/dist', 'packages/kube-apiserver/dist'];
/** A package, and the entry of it that is imported. */
const PACKAGE = /^@multicluster-engine\/([^/]+)(?:\/(.+))?$/;
const FOLDERS = ['dist/src', 'dist/test', 'dist/tools', 'dist/bench', ...PACKAGES];
const SPECIFIER = /(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g;

/** A compiled test file and how many imports it is away from a file: 1 for one that imports it. */
export interface RelatedTest {
  readonly file: string;
  readonly distance: number;
}

/** Which compiled file imports which, in `dist` of the product and of its packages; paths from the root, with slashes. */
export class ImportGraph {
  readonly #importers: ReadonlyMap<string, ReadonlySet<string>>;

  constructor(imports: ReadonlyMap<string, readonly string[]>) {
    const importers = new Map<string, Set<string>>();
    for (const [file, targets] of imports) {
      for (const target of targets) importers.set(target, (importers.get(target) ?? new Set()).add(file));
    }
    this.#importers = importers;
  }

  /** Reads the compiled files below `root`. */
  static read(root: string): ImportGraph {
    const imports = new Map<string, string[]>();
    for (const folder of FOLDERS.filter((one) => existsSync(path.join(root, one)))) {
      for (const name of readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })) {
        if (!name.endsWith('.js')) continue;
        const file = path.posix.join(folder, name);
        imports.set(file, importsOf(file, readFileSync(path.join(root, file), 'utf8')));
      }
    }
    return new ImportGraph(imports);
  }

  /** The test files that reach `file` by imports, nearest first, those of equal distance by name. */
  testsOf(file: string): RelatedTest[] {
    const distances = new Map([[file, 0]]);
    const queue = [file];
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const distance = (distances.get(next) ?? 0) + 1;
      for (const importer of this.#importers.get(next) ?? []) {
        if (distances.has(importer)) continue;
        distances.set(importer, distance);
        queue.push(importer);
      }
    }
    const tests = [...distances].filter(([one]) => one.endsWith('.test.js'));
    return tests
      .map(([one, distance]) => ({ file: one, distance }))
      .sort((a, b) => a.distance - b.distance || (a.file < b.file ? -1 : 1));
  }
}

/** The files that a compiled file imports; packages other than the workspace's are left out. */
export function importsOf(file: string, text: string): string[] {
  return [...text.matchAll(SPECIFIER)].flatMap(([, specifier = '']) => {
    if (specifier.startsWith('.')) return [path.posix.join(path.posix.dirname(file), specifier)];
    const [, name, entry = 'index'] = PACKAGE.exec(specifier) ?? [];
    if (name !== undefined) return [`packages/${name}/dist/${entry.startsWith('testing/') ? '' : 'src/'}${entry}.js`];
    return [];
  });
}
