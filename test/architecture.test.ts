import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from './support/repository/root.js';
import {
  lineCount,
  readSource,
  readSources,
  sourceFiles,
  type FunctionShape,
  type Import,
  type Source,
} from './support/repository/source.js';

interface Layer {
  /** Layers that it may import, besides itself. */
  readonly imports: readonly string[];
  /** Layers that it may import types from. */
  readonly types?: readonly string[];
  readonly packages: readonly string[];
  /** Modules of Node that it may import; all of them when left out. */
  readonly builtins?: readonly string[];
}

/** The embedded API server: a package of its own, of which the product imports the public interface. */
const APISERVER = '@multicluster-engine/kube-apiserver';
const APISERVER_SOURCE = 'packages/kube-apiserver/src';

/** Each folder or file of src, and the embedded API server, with what it may import. */
const LAYERS: Readonly<Record<string, Layer>> = {
  api: { imports: [], packages: [], builtins: [] },
  domain: { imports: ['api'], packages: [], builtins: ['node:crypto', 'node:tls'] },
  index: { imports: ['api', 'domain'], packages: [], builtins: [] },
  runtime: { imports: [], packages: ['p-queue'] },
  kube: {
    imports: ['api', 'runtime'],
    packages: ['@kubernetes/client-node', 'undici', 'js-yaml', `${APISERVER}/yaml`],
  },
  controllers: { imports: ['api', 'domain', 'index', 'runtime'], types: ['kube'], packages: [] },
  gateway: { imports: ['api', 'domain', 'runtime'], packages: ['undici', 'js-yaml'] },
  'kube-apiserver': {
    imports: [],
    packages: ['@marcbachmann/cel-js', '@peculiar/x509', 'js-yaml', 'reflect-metadata'],
  },
  agent: { imports: ['api', 'domain', 'kube', 'runtime'], packages: [] },
  local: { imports: ['api', 'kube', 'runtime'], packages: [APISERVER] },
  pki: { imports: [], packages: ['@peculiar/x509', 'reflect-metadata'] },
  observability: {
    imports: ['runtime'],
    packages: [
      'pino',
      'prom-client',
      '@opentelemetry/api',
      '@opentelemetry/core',
      '@opentelemetry/exporter-trace-otlp-proto',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-trace-base',
    ],
  },
  config: { imports: ['api'], packages: [] },
  cli: { imports: ['api', 'domain', 'runtime'], types: ['kube'], packages: ['js-yaml'] },
  commands: {
    imports: [
      'api',
      'cli',
      'domain',
      'runtime',
      'kube',
      'controllers',
      'agent',
      'gateway',
      'local',
      'observability',
      'pki',
      'config',
    ],
    packages: [APISERVER, `${APISERVER}/yaml`, `${APISERVER}/validation`],
  },
  main: { imports: ['config', 'commands'], packages: [] },
};

const PLACEMENT = 'src/domain/placement';
/** What the user wrote, what is stored, the selection, its publication, why, and what is said of it. */
const FLOORS = ['spec', 'stored', 'select', 'publish', 'explain', 'report'];

const GENERATED = /^(src\/api\/generated|packages\/kube-apiserver\/src\/data)\//;
const FORBIDDEN_NAMES = /^(utils?|helpers?|common|types?|managers?|misc)$/;

const sources = ['src', APISERVER_SOURCE]
  .flatMap((folder) => readSources(root, folder))
  .filter((source) => !GENERATED.test(source.file));

describe('imports', () => {
  it('imports stay within the table of layers', () => {
    expect(sources.flatMap((source) => source.imports.flatMap(wrongImport))).toEqual([]);
  });

  it('imports form no cycle, those of types included', () => {
    expect(cycles(importsOf(sources))).toEqual([]);
  });

  it('imports between what lies in one folder, files and folders, form no cycle', () => {
    expect(cycles(siblingImports(sources))).toEqual([]);
  });

  it('the rules of placements lie on floors, each of which imports those before it', () => {
    const onFloors = sources.filter(({ file }) => file.startsWith(`${PLACEMENT}/`));
    expect(onFloors.filter(({ file }) => floorOf(file) < 0)).toEqual([]);
    const up = onFloors.flatMap(({ file, imports }) => {
      const targets = imports.filter((one) => one.specifier.startsWith('.')).map(targetOf);
      return targets.filter((target) => floorOf(target) > floorOf(file)).map((target) => `${file} -> ${target}`);
    });
    expect(up).toEqual([]);
  });

  it.each([
    [
      'src/domain/a.ts',
      `import { x } from '../kube/client.js';`,
      ['src/domain/a.ts:1 domain may not import kube (../kube/client.js)'],
    ],
    [
      'src/controllers/x/a.ts',
      `\nimport { x } from '../../kube/client.js';`,
      ['src/controllers/x/a.ts:2 controllers may import only types from kube (../../kube/client.js)'],
    ],
    [
      'src/controllers/x/a.ts',
      `import type { X } from '../../kube/client.js';\nimport { type Y } from '../../kube/y.js';`,
      [],
    ],
    [
      'src/controllers/x/a.ts',
      `export { x } from '../../kube/client.js';`,
      ['src/controllers/x/a.ts:1 controllers may import only types from kube (../../kube/client.js)'],
    ],
    [
      'src/controllers/x/a.ts',
      `const x = await import('../../kube/client.js');`,
      ['src/controllers/x/a.ts:1 controllers may import only types from kube (../../kube/client.js)'],
    ],
    [
      'src/runtime/a.ts',
      `import { x } from 'undici';`,
      ['src/runtime/a.ts:1 runtime may not import the package undici'],
    ],
    [
      'src/runtime/a.ts',
      `import PQueue from 'p-queue';\nimport { b } from './b.js';\nimport path from 'node:path';`,
      [],
    ],
    ['src/api/a.ts', `import path from 'node:path';`, ['src/api/a.ts:1 api may not import node:path']],
    ['packages/kube-apiserver/src/http/a.ts', `import { c } from '../clock.js';`, []],
    [
      'packages/kube-apiserver/src/http/a.ts',
      `import { c } from '../../../../src/runtime/clock.js';`,
      [
        'packages/kube-apiserver/src/http/a.ts:1 kube-apiserver may not import runtime (../../../../src/runtime/clock.js)',
      ],
    ],
    ['src/local/a.ts', `import { x } from '@multicluster-engine/kube-apiserver';`, []],
    [
      'src/local/a.ts',
      `import { x } from '@multicluster-engine/kube-apiserver/testing/wait';`,
      ['src/local/a.ts:1 local may not import the package @multicluster-engine/kube-apiserver/testing/wait'],
    ],
    ['src/odd/a.ts', `import { b } from './b.js';`, ['src/odd/a.ts:1 odd is in no row of the table of layers']],
    [
      'src/kube/a.ts',
      `let x: import('../domain/x.js').X;`,
      ['src/kube/a.ts:1 kube may not import domain (../domain/x.js)'],
    ],
  ])('the file %s with %j is reported as %j', (file, text, wrong) => {
    expect(readSource(file, text).imports.flatMap(wrongImport)).toEqual(wrong);
  });

  it('imports that form a cycle are reported', () => {
    const a = readSource('src/kube/a.ts', `import './b.js';`);
    const b = readSource('src/kube/b.ts', `\nimport type { C } from './c.js';`);
    const c = readSource('src/kube/c.ts', `import { a } from './a.js';`);

    const expected = ['src/kube/a.ts -> src/kube/b.ts -> src/kube/c.ts -> src/kube/a.ts'];
    expect(cycles(importsOf([a, b, c]))).toEqual(expected);
  });

  it('folders that import each other are reported, whichever of their files do', () => {
    const a = readSource('src/kube/cache/deep/a.ts', `import '../../lease/b.js';\nimport '../../../api/x.js';`);
    const b = readSource('src/kube/lease/b.ts', `import './d.js';\nimport '../rest.js';`);
    const c = readSource('src/kube/lease/c.ts', `import '../cache/e.js';`);

    expect(cycles(siblingImports([a, b, c]))).toEqual(['src/kube/cache -> src/kube/lease -> src/kube/cache']);
  });

  it('a folder and a file beside it that import each other are reported', () => {
    const a = readSource('src/kube/cache/a.ts', `import { b } from '../b.js';`);
    const b = readSource('src/kube/b.ts', `import { c } from './cache/c.js';`);

    expect(cycles(siblingImports([a, b]))).toEqual(['src/kube/b.ts -> src/kube/cache -> src/kube/b.ts']);
  });
});

describe('sizes', () => {
  it('source files have at most 300 lines, tests 800', () => {
    const tests = ['test', 'packages/kube-apiserver/test', 'packages/kube-apiserver/testing'].flatMap((folder) =>
      // Only counted: to parse them takes most of a minute.
      sourceFiles(root, folder).map((file) => ({
        file,
        lines: lineCount(readFileSync(path.join(root, file), 'utf8')),
      })),
    );
    expect([...sources, ...tests].flatMap(wrongLength)).toEqual([]);
  });

  it('folders of src have at most 20 source files', () => {
    const counts = new Map<string, number>();
    for (const file of sourceFiles(root, 'src')) {
      const folder = path.posix.dirname(file);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    expect([...counts].filter(([, count]) => count > 20)).toEqual([]);
  });

  it('functions have at most 60 lines, 4 parameters and a depth of 3', () => {
    expect(sources.flatMap((source) => source.functions.flatMap(wrongShape))).toEqual([]);
  });

  it.each([
    ['a function of 62 lines', `function f() {${'\n'.repeat(61)}}`, ['src/x.ts:1 f has 62 lines, at most 60']],
    ['a function of 5 parameters', 'const f = (a, b, c, d, e) => a;', ['src/x.ts:1 f has 5 parameters, at most 4']],
    [
      'a method that is 4 deep',
      'class A { m() { if (a) { for (;;) { while (b) { try {} catch {} } } } } }',
      ['src/x.ts:1 m is 4 deep, at most 3'],
    ],
    [
      'a chain of else if',
      'function f() { if (a) {} else if (b) {} else if (c) {} else if (d) {} else if (e) {} }',
      [],
    ],
    ['a function in a function', 'function f() { if (a) { for (;;) { g(() => { if (c) { while (b) {} } }); } } }', []],
  ])('the size of %s is measured', (_name, text, wrong) => {
    expect(readSource('src/x.ts', text).functions.flatMap(wrongShape)).toEqual(wrong);
  });
});

describe('names', () => {
  it('no file or folder of the sources has a name that says nothing of its content', () => {
    const unclear = sources.filter((source) =>
      source.file.split('/').some((part) => FORBIDDEN_NAMES.test(part.replace(/\.ts$/, ''))),
    );

    expect(unclear.map((source) => source.file)).toEqual([]);
  });
});

function wrongImport(one: Import): string[] {
  const from = layerOf(one.file);
  const layer = LAYERS[from];
  const at = `${one.file}:${one.line}`;
  if (layer === undefined) return [`${at} ${from} is in no row of the table of layers`];
  if (one.specifier.startsWith('node:')) {
    const allowed = layer.builtins?.includes(one.specifier) ?? true;
    return allowed ? [] : [`${at} ${from} may not import ${one.specifier}`];
  }
  if (!one.specifier.startsWith('.')) {
    return layer.packages.includes(one.specifier.startsWith(APISERVER) ? one.specifier : packageOf(one.specifier))
      ? []
      : [`${at} ${from} may not import the package ${one.specifier}`];
  }
  const to = layerOf(targetOf(one));
  if (to === from || layer.imports.includes(to)) return [];
  if (layer.types?.includes(to) !== true) return [`${at} ${from} may not import ${to} (${one.specifier})`];
  return one.kind === 'type' ? [] : [`${at} ${from} may import only types from ${to} (${one.specifier})`];
}

function layerOf(file: string): string {
  if (file.startsWith(`${APISERVER_SOURCE}/`)) return 'kube-apiserver';
  return file.split('/')[1]?.replace(/\.ts$/, '') ?? '';
}

function targetOf(one: Import): string {
  return path.posix.join(path.posix.dirname(one.file), one.specifier).replace(/\.js$/, '.ts');
}

/** -1 for a file on no floor. */
function floorOf(file: string): number {
  return file.startsWith(`${PLACEMENT}/`) ? FLOORS.indexOf(file.split('/')[3] ?? '') : 0;
}

function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}

/** File or folder → what it imports. */
type Graph = ReadonlyMap<string, Iterable<string>>;

function importsOf(all: readonly Source[]): Graph {
  return new Map(
    all.map((source) => [source.file, source.imports.filter((one) => one.specifier.startsWith('.')).map(targetOf)]),
  );
}

/** The imports between files as imports between what lies in one folder: files, and folders with all that is below them. */
function siblingImports(all: readonly Source[]): Graph {
  const graph = new Map<string, Set<string>>();
  for (const [file, targets] of importsOf(all)) {
    for (const target of targets) {
      const [from, to] = [file.split('/'), target.split('/')];
      const depth = from.findIndex((part, index) => part !== to[index]) + 1;
      const one = from.slice(0, depth).join('/');
      graph.set(one, (graph.get(one) ?? new Set<string>()).add(to.slice(0, depth).join('/')));
    }
  }
  return graph;
}

/** Each cycle once, beginning at its first member. */
function cycles(edges: Graph): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const follow = (name: string, trail: readonly string[]): void => {
    const begin = trail.indexOf(name);
    if (begin >= 0) found.push([...trail.slice(begin), name].join(' -> '));
    if (begin >= 0 || done.has(name)) return;
    for (const next of edges.get(name) ?? []) follow(next, [...trail, name]);
    done.add(name);
  };
  for (const name of [...edges.keys()].sort()) follow(name, []);
  return found;
}

function wrongLength(source: Pick<Source, 'file' | 'lines'>): string[] {
  const most = /^(packages\/[^/]+\/)?src\//.test(source.file) ? 300 : 800;
  return source.lines > most ? [`${source.file}:${source.lines} has ${source.lines} lines, at most ${most}`] : [];
}

function wrongShape(one: FunctionShape): string[] {
  const at = `${one.file}:${one.line} ${one.name}`;
  const wrong: string[] = [];
  if (one.lines > 60) wrong.push(`${at} has ${one.lines} lines, at most 60`);
  if (one.parameters > 4) wrong.push(`${at} has ${one.parameters} parameters, at most 4`);
  if (one.depth > 3) wrong.push(`${at} is ${one.depth} deep, at most 3`);
  return wrong;
}
