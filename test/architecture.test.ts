import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { root } from './support/repository/root.js';
import {
  readSource,
  readSourcesApart,
  sourceFiles,
  type FunctionShape,
  type Import,
  type Source,
} from './support/repository/source.js';

interface Layer {
  /** Layers that it may import, besides itself. */
  readonly imports: readonly string[];
  /** Folders of these layers that it may import types from, and no values. */
  readonly types?: readonly string[];
  readonly packages: readonly string[];
  /** Modules of Node that it may import; all of them when left out. */
  readonly builtins?: readonly string[];
}

/** The packages of this repository; others import their public interface. */
const SCOPE = '@multicluster-engine/';
const VALUES = `${SCOPE}values`;
/** Has the types of the built-in kinds. */
const CLIENT = '@kubernetes/client-node';
/** The one file that loads it. */
const LOADS_CLIENT = 'src/runtime/kubeconfig/clientnode.ts';
const CEL = `${SCOPE}cel`;
const APISERVER = `${SCOPE}kube-apiserver`;
const PACKAGE_SOURCES = ['packages/values/src', 'packages/cel/src', 'packages/kube-apiserver/src'];

const VOCABULARY = ['runtime/vocabulary', 'api', 'api/verdicts'];
/** What a program that is started imports, besides packages. No program imports another one; `standalone` composes them. */
const PROGRAM = [...VOCABULARY, 'domain', 'runtime'];
/** What a program imports that answers questions about a fleet. */
const ASKED = [...PROGRAM, 'answers'];

/** Each folder or file of src, the parts of a folder that may import less, and the packages. */
const LAYERS: Readonly<Record<string, Layer>> = {
  'runtime/vocabulary': { imports: [], packages: [], builtins: ['node:crypto', 'node:tls'] },
  runtime: {
    imports: ['runtime/vocabulary'],
    packages: [
      CLIENT,
      '@opentelemetry/api',
      '@opentelemetry/core',
      '@opentelemetry/exporter-trace-otlp-proto',
      '@opentelemetry/resources',
      '@opentelemetry/sdk-trace-base',
      'js-yaml',
      'p-queue',
      'pino',
      'prom-client',
      'socks',
      'undici',
      `${VALUES}/*`,
    ],
  },
  api: { imports: ['runtime/vocabulary'], packages: [], builtins: [] },
  // How each verdict is marked: data that the page of the console has, too.
  'api/verdicts': { imports: [], packages: [], builtins: [] },
  domain: {
    imports: VOCABULARY,
    packages: [CLIENT, CEL, `${CEL}/rules`, `${VALUES}/*`],
    builtins: ['node:crypto', 'node:tls'],
  },
  'operator/index': { imports: [...VOCABULARY, 'domain'], packages: [], builtins: [] },
  'operator/controllers': {
    imports: [...PROGRAM, 'operator/index'],
    types: [
      'runtime/cache',
      'runtime/client',
      'runtime/events',
      'runtime/leaderelection',
      'runtime/manager',
      'runtime/transport',
    ],
    packages: [CLIENT],
  },
  operator: { imports: [...PROGRAM, 'operator/index', 'operator/controllers'], packages: ['prom-client'] },
  gateway: { imports: PROGRAM, packages: ['prom-client', 'undici', `${VALUES}/*`] },
  agent: { imports: PROGRAM, packages: ['prom-client'] },
  // What the commands and the console answer, computed once for both.
  answers: {
    imports: PROGRAM,
    packages: ['js-yaml', `${CEL}/rules`, `${VALUES}/*`],
  },
  cli: {
    imports: ASKED,
    packages: [`${VALUES}/*`, '@modelcontextprotocol/sdk'],
  },
  // The JSON types of the API: what the server answers and the page reads.
  'console/wire': { imports: ['answers'], types: ['answers'], packages: [], builtins: [] },
  'console/server': { imports: [...ASKED, 'console/wire'], packages: ['js-yaml'] },
  'console/web': {
    imports: ['console/wire', 'answers', 'api/verdicts'],
    types: ['answers'],
    packages: ['preact', '@preact/signals'],
    builtins: [],
  },
  // The component of a hub: persons with tokens in front of the same server.
  'console/hub': { imports: [...ASKED, 'console/wire', 'console/server'], packages: [] },
  console: { imports: [...ASKED, 'console/server', 'console/hub'], packages: [] },
  standalone: {
    imports: [...ASKED, 'operator', 'gateway', 'agent', 'cli', 'console'],
    packages: [APISERVER, '@kubernetes/client-node'],
  },
  main: { imports: ['runtime', 'operator', 'gateway', 'agent', 'cli', 'console', 'standalone'], packages: [] },
  'kube-apiserver': { imports: [], packages: [CEL, `${CEL}/*`, `${VALUES}/*`, 'js-yaml'] },
  cel: { imports: [], packages: [`${VALUES}/*`] },
  values: { imports: [], packages: ['@peculiar/x509', 'js-yaml', 'reflect-metadata'] },
};

const PLACEMENT = 'src/domain/placement';
/** What the user wrote, what is stored, the selection, its publication, why, and what is said of it. */
const FLOORS = ['spec', 'stored', 'select', 'publish', 'explain', 'report'];

/** Why a folder of fewer than three files is one. */
const SMALL_FOLDERS: Readonly<Record<string, string>> = {
  'src/runtime/events': 'client-go has it',
  'src/runtime/manager': 'controller-runtime has it',
};

const GENERATED = /^(src\/api\/generated|packages\/(values|kube-apiserver)\/src\/data)\//;
/** Of a function. */
const MOST_LINES = 60;
const FORBIDDEN_NAMES = /^(utils?|helpers?|common|types?|misc)$/;

const sources = handWritten(['src', ...PACKAGE_SOURCES]);
const isSource = new Set(sources.map(({ file }) => file));

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

  it('no command for users imports another one, nor does what they share but their rows', () => {
    const ofCli = sources.filter(({ file }) => /^src\/cli\/(?!rows\/)/.test(file));
    const commandOf = (file: string): string | undefined => /^src\/cli\/commands\/([^/.]+)/.exec(file)?.[1];
    const wrong = ofCli.flatMap(({ file, imports }) => {
      const targets = imports.filter((one) => one.specifier.startsWith('.')).map(targetOf);
      return targets
        .filter((target) => ![undefined, commandOf(file)].includes(commandOf(target)))
        .map((target) => `${file} -> ${target}`);
    });
    expect(ofCli.map(({ file }) => commandOf(file))).toContain('explain');
    expect(wrong).toEqual([]);
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
      `import { x } from '../runtime/client/client.js';`,
      ['src/domain/a.ts:1 domain may not import runtime (../runtime/client/client.js)'],
    ],
    ['src/domain/a.ts', `import { x } from '../runtime/vocabulary/json.js';`, []],
    [
      'src/operator/controllers/x/a.ts',
      `\nimport { x } from '../../../runtime/client/client.js';`,
      [
        'src/operator/controllers/x/a.ts:2 operator/controllers may import only types from runtime/client (../../../runtime/client/client.js)',
      ],
    ],
    [
      'src/operator/controllers/x/a.ts',
      `import type { X } from '../../../runtime/client/client.js';\nimport { type Y } from '../../../runtime/client/y.js';`,
      [],
    ],
    [
      'src/operator/controllers/x/a.ts',
      `export { x } from '../../../runtime/client/client.js';`,
      [
        'src/operator/controllers/x/a.ts:1 operator/controllers may import only types from runtime/client (../../../runtime/client/client.js)',
      ],
    ],
    [
      'src/operator/controllers/x/a.ts',
      `const x = await import('../../../runtime/client/client.js');`,
      [
        'src/operator/controllers/x/a.ts:1 operator/controllers may import only types from runtime/client (../../../runtime/client/client.js)',
      ],
    ],
    [
      'src/runtime/a.ts',
      `import { x } from '../api/names.js';`,
      ['src/runtime/a.ts:1 runtime may not import api (../api/names.js)'],
    ],
    [
      'src/agent/a.ts',
      `import { x } from '../gateway/gateway.js';`,
      ['src/agent/a.ts:1 agent may not import gateway (../gateway/gateway.js)'],
    ],
    ['src/domain/a.ts', `import { x } from 'undici';`, ['src/domain/a.ts:1 domain may not import the package undici']],
    [
      'src/runtime/a.ts',
      `import PQueue from 'p-queue';\nimport { b } from './b.js';\nimport path from 'node:path';`,
      [],
    ],
    ['src/runtime/a.ts', `import type { V1Lease } from '@kubernetes/client-node';`, []],
    [
      'src/runtime/a.ts',
      `import { KubeConfig } from '@kubernetes/client-node';`,
      ['src/runtime/a.ts:1 src/runtime/a.ts may import only types from @kubernetes/client-node'],
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
    ['src/standalone/a.ts', `import { x } from '@multicluster-engine/kube-apiserver';`, []],
    [
      'src/runtime/a.ts',
      `import { x } from '@multicluster-engine/kube-apiserver';`,
      ['src/runtime/a.ts:1 runtime may not import the package @multicluster-engine/kube-apiserver'],
    ],
    ['src/runtime/a.ts', `import { x } from '@multicluster-engine/values/yaml';`, []],
    [
      'src/standalone/a.ts',
      `import { x } from '@multicluster-engine/kube-apiserver/testing/wait';`,
      ['src/standalone/a.ts:1 standalone may not import the package @multicluster-engine/kube-apiserver/testing/wait'],
    ],
    ['src/odd/a.ts', `import { b } from './b.js';`, ['src/odd/a.ts:1 odd is in no row of the table of layers']],
    [
      'src/runtime/a.ts',
      `let x: import('../domain/x.js').X;`,
      ['src/runtime/a.ts:1 runtime may not import domain (../domain/x.js)'],
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
  const tests = handWritten([
    'test',
    'packages/values/test',
    'packages/cel/test',
    'packages/kube-apiserver/test',
    'packages/kube-apiserver/testing',
  ]);

  it('source files have at most 300 lines, tests 800', () => {
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

  it('a folder of src with fewer than three files and folders has a reason', () => {
    const members = new Map<string, Set<string>>();
    for (const file of sourceFiles(root, 'src')) {
      const parts = file.split('/');
      for (let depth = 2; depth < parts.length; depth++) {
        const folder = parts.slice(0, depth).join('/');
        members.set(folder, (members.get(folder) ?? new Set<string>()).add(parts[depth] ?? ''));
      }
    }
    const small = [...members].flatMap(([folder, names]) => (names.size < 3 ? folder : []));
    expect(small.sort()).toEqual(Object.keys(SMALL_FOLDERS));
  });

  it('functions have at most 60 lines, 4 parameters and a depth of 3', () => {
    expect(sources.flatMap((source) => source.functions.flatMap(wrongShape))).toEqual([]);
  });

  it('functions of tests have at most 60 lines, what is passed to describe left out', () => {
    const functions = tests.flatMap((source) => source.functions).filter(({ name }) => !name.startsWith('describe'));
    expect(functions.filter(({ lines }) => lines > MOST_LINES).flatMap(wrongShape)).toEqual([]);
  });

  it('a function that is passed to another one has its name', () => {
    const { functions } = readSource('test/a.test.ts', `describe.each([1])('a', () => { it('b', () => {}); });`);
    expect(functions.map(({ name }) => name)).toEqual(['describe', 'it']);
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

describe('state', () => {
  it('no file of domain keeps anything from one call to the next', () => {
    const found = sources.filter(({ file }) => file.startsWith('src/domain/'));
    expect(found.flatMap(({ file, state }) => state.map((line) => `${file}:${line}`))).toEqual([]);
  });

  it.each([
    ['let last;', [1]],
    ['\nexport const known = new Map<string, number>();', [2]],
    ['const known: Set<string> = new Set();', [1]],
    ['const known: Known = new WeakMap();', [1]],
    ['class A { static readonly known = new Map(); }', [1]],
    ['const NONE: ReadonlySet<string> = new Set();\nconst NO_TIMES: Since = new Map();', []],
    ['function f() { let a = new Map(); }\nclass A { readonly #a = new Map(); }', []],
  ])('of %j the lines %j are state', (text, lines) => {
    expect(readSource('src/domain/a.ts', text).state).toEqual(lines);
  });
});

describe('passes', () => {
  const reconcilers = sources.filter(({ implemented }) => implemented.includes('Reconciler'));
  const PASS = ['gather', 'decide', 'apply', 'report'];
  /** Of a table of contents. */
  const MOST = 30;

  /** What the file declares, and the files of its own folder that it imports. */
  function namesAround({ file, imports, declared }: Source): readonly string[] {
    const near = imports.filter(({ specifier }) => /^\.\/[^/]+$/.test(specifier)).map(targetOf);
    return [...declared, ...sources.filter((one) => near.includes(one.file)).flatMap((one) => one.declared), file];
  }

  it('each controller has the parts of a pass by their names', () => {
    const missing = reconcilers.flatMap((source) =>
      ['Scope', ...PASS].filter((name) => !namesAround(source).includes(name)).map((name) => `${source.file} ${name}`),
    );
    expect(reconcilers.map(({ file }) => file)).toContain('src/operator/controllers/clusters/health/reconcile.ts');
    expect(missing).toEqual([]);
  });

  it('reconcile is a table of contents: it calls each part of the pass, and is short', () => {
    const wrong = reconcilers.flatMap(({ file, functions }) => {
      const lines = readFileSync(path.join(root, file), 'utf8').split('\n');
      return functions
        .filter(({ name }) => name === 'reconcile')
        .flatMap((one) => {
          const body = lines.slice(one.line - 1, one.line - 1 + one.lines).join('\n');
          const absent = PASS.filter((name) => !new RegExp(`\\b${name}\\(`).test(body));
          return [...absent, ...(one.lines > MOST ? [`${one.lines} lines`] : [])].map((what) => `${file} ${what}`);
        });
    });
    expect(wrong).toEqual([]);
  });
});

describe('names', () => {
  it('the glossary has at most 25 terms', () => {
    const rows = readFileSync(path.join(root, 'docs/glossary.md'), 'utf8').match(/^\| (?!term |---).*/gm) ?? [];
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.length).toBeLessThanOrEqual(25);
  });

  it('no file or folder of the sources has a name that says nothing of its content', () => {
    const unclear = sources.filter((source) =>
      source.file.split('/').some((part) => FORBIDDEN_NAMES.test(part.replace(/\.tsx?$/, ''))),
    );

    expect(unclear.map((source) => source.file)).toEqual([]);
  });
});

/** The sources below the folders, without the generated ones. */
function handWritten(folders: readonly string[]): Source[] {
  return readSourcesApart(folders).filter((source) => !GENERATED.test(source.file));
}

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
    if (one.specifier === CLIENT && one.kind !== 'type' && one.file !== LOADS_CLIENT)
      return [`${at} ${one.file} may import only types from ${CLIENT}`];
    const named = one.specifier.startsWith(SCOPE) ? one.specifier : packageOf(one.specifier);
    return layer.packages.some((allowed) => isMatch(allowed, named))
      ? []
      : [`${at} ${from} may not import the package ${one.specifier}`];
  }
  const target = targetOf(one);
  const to = layerOf(target);
  if (to !== from && !layer.imports.includes(to)) return [`${at} ${from} may not import ${to} (${one.specifier})`];
  const typesOnly = layer.types?.find((folder) => target.startsWith(`src/${folder}/`));
  if (typesOnly === undefined || one.kind === 'type') return [];
  return [`${at} ${from} may import only types from ${typesOnly} (${one.specifier})`];
}

/** Whether a package is the allowed one; `a/*` allows all entries of `a`. */
function isMatch(allowed: string, named: string): boolean {
  return allowed === named || (allowed.endsWith('/*') && named.startsWith(allowed.slice(0, -1)));
}

/** The longest row of the table that the file is in; else the folder or file below `src`. */
function layerOf(file: string): string {
  const [top, first = '', second = ''] = file.replace(/\.tsx?$/, '').split('/');
  if (top === 'packages') return first;
  const both = `${first}/${second}`;
  return Object.hasOwn(LAYERS, both) ? both : first;
}

function targetOf(one: Import): string {
  const target = path.posix.join(path.posix.dirname(one.file), one.specifier);
  return [target.replace(/\.js$/, '.tsx')].find((file) => isSource.has(file)) ?? target.replace(/\.js$/, '.ts');
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
  if (one.lines > MOST_LINES) wrong.push(`${at} has ${one.lines} lines, at most ${MOST_LINES}`);
  if (one.parameters > 4) wrong.push(`${at} has ${one.parameters} parameters, at most 4`);
  if (one.depth > 3) wrong.push(`${at} is ${one.depth} deep, at most 3`);
  return wrong;
}
