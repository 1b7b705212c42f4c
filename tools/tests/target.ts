import path from 'node:path';

import type { ImportGraph } from './importgraph.js';

/** Test files that start servers or take long. */
const SLOW = /\.(slow|nightly)\.test\.js$|^dist\/test\/(e2e|integration)\/|\/dist\/test\/(conformance|testing)\//;
const PACKAGE = /^packages\/[^/]+\//;

/** What `make check T=...` names: a file, and perhaps tests of it by their name. */
export interface Target {
  readonly kind: 'test' | 'source';
  /** The compiled file, from the root. */
  readonly file: string;
  readonly name?: string;
}

export interface InvalidTarget {
  readonly kind: 'invalid';
  readonly problem: string;
}

export interface Selection {
  /** Compiled test files. */
  readonly files: readonly string[];
  /** How many test files reach the source over more imports, and are left out. */
  readonly further: number;
}

/** Reads `path[:name]`; the path is that of a TypeScript file, from the root. */
export function targetOf(argument: string, exists: (file: string) => boolean): Target | InvalidTarget {
  const colon = argument.indexOf(':');
  const source = path.posix.normalize(colon < 0 ? argument : argument.slice(0, colon));
  const name = colon < 0 ? {} : { name: argument.slice(colon + 1) };
  if (argument === '') return { kind: 'invalid', problem: 'T is not set' };
  if (!source.endsWith('.ts')) return { kind: 'invalid', problem: `${source} is no TypeScript file` };
  if (!exists(source)) return { kind: 'invalid', problem: `${source} does not exist` };
  return { kind: source.endsWith('.test.ts') ? 'test' : 'source', file: compiled(source), ...name };
}

function compiled(source: string): string {
  const [folder = ''] = PACKAGE.exec(source) ?? [];
  return `${folder}dist/${source.slice(folder.length).replace(/\.ts$/, '.js')}`;
}

/** Whether a compiled test file needs no server and is fast. */
export function isFast(file: string): boolean {
  return !SLOW.test(file);
}

/** The test itself, or for a source file the fast tests that are nearest to it by imports; slow ones where there are no others. */
export function selectTests(target: Target, graph: ImportGraph): Selection {
  if (target.kind === 'test') return { files: [target.file], further: 0 };
  const all = graph.testsOf(target.file);
  const fast = all.filter(({ file }) => isFast(file));
  const candidates = fast.length > 0 ? fast : all;
  const nearest = candidates.filter(({ distance }) => distance === candidates[0]?.distance);
  return { files: nearest.map(({ file }) => file), further: all.length - nearest.length };
}
