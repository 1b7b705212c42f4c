import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import type { Figure } from '@multicluster-engine/kube-apiserver/testing/bench';
import { placementFigures } from './figures.js';

/** What the CPU time of the controller is spent on. */
export const PARTS = [
  'connection',
  'JSON',
  'cache',
  'client',
  'index, decision',
  'controllers, queue',
  'log, metrics',
  'collection',
  'Node',
] as const;
export type Part = (typeof PARTS)[number];

/** A CPU profile of V8, as far as it is read. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string };
  }[];
  /** The node of each sample. */
  readonly samples: readonly number[];
  /** µs before each sample. */
  readonly timeDeltas: readonly number[];
}

/** Profile → the row of the bench that it is of. */
const PROFILES: Readonly<Record<string, string>> = {
  start: 'start.cpu',
  restart: 'restart.cpu',
  miss: 'miss.cpu',
  'miss-burst': 'miss.burst',
  heartbeat: 'heartbeat.cpu',
  'heartbeat-paced': 'heartbeat.paced',
  flip: 'flip.cpu',
  'new-placement': 'new.cpu',
};
const SIZE = { clusters: 1_000, placements: 200 };
const IDLE = '(idle)';

/** The first that matches the URL of a function; functions of Node and of V8 without one are `Node`. */
const BY_URL: readonly (readonly [RegExp, Part])[] = [
  [/\/undici\/|^node:(net|tls|_tls_\w+|stream|internal\/(streams?|tls|stream_base_commons))\b/, 'connection'],
  [/\/src\/runtime\/cache\//, 'cache'],
  [/\/src\/(runtime\/(client|transport|vocabulary)|api)\//, 'client'],
  [/\/src\/(operator\/index|domain)\//, 'index, decision'],
  [/\/src\/runtime\/(log|metrics|tracing)\/|\/(pino|prom-client|sonic-boom)\/|^node:fs$/, 'log, metrics'],
  [/\/src\//, 'controllers, queue'],
];

/** The share of each part in the time of a profile that is not idle, percent. */
export function sharesOf({ nodes, samples, timeDeltas }: CpuProfile): Readonly<Record<Part, number>> {
  const partOf = new Map(nodes.map(({ id, callFrame }) => [id, partOfFrame(callFrame)]));
  const spent = new Map<Part, number>();
  let total = 0;
  for (const [index, node] of samples.entries()) {
    const part = partOf.get(node);
    if (part === undefined) continue;
    // A sample stands for the time until the next one.
    const micros = Math.max(timeDeltas[index + 1] ?? 0, 0);
    spent.set(part, (spent.get(part) ?? 0) + micros);
    total += micros;
  }
  const percent = (part: Part): number => (total === 0 ? 0 : (100 * (spent.get(part) ?? 0)) / total);
  return Object.fromEntries(PARTS.map((part) => [part, percent(part)])) as Record<Part, number>;
}

/** Undefined: nothing ran. */
function partOfFrame({ functionName, url }: { readonly functionName: string; readonly url: string }): Part | undefined {
  if (functionName === IDLE) return undefined;
  if (functionName === '(garbage collector)') return 'collection';
  if (url === '' && (functionName === 'parse' || functionName === 'stringify')) return 'JSON';
  if (functionName === 'parseJson') return 'JSON';
  return BY_URL.find(([pattern]) => pattern.test(url))?.[1] ?? 'Node';
}

/** What the CPU time of each row is spent on. `main`: a compiled program, whose files the profile names; default: this one. */
export async function sharesFigures(main?: string): Promise<readonly Figure[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'profiles-'));
  try {
    const rows = ['miss', 'heartbeat', 'flip', 'new'] as const;
    await placementFigures(SIZE, { server: 'embedded', runs: 1, rows, profiles: folder, ...(main && { main }) });
    return Object.entries(PROFILES).flatMap(([name, key]) => {
      const profile: CpuProfile = JSON.parse(readFileSync(path.join(folder, `${name}.cpuprofile`), 'utf8'));
      return Object.entries(sharesOf(profile)).map(([part, share]): Figure => {
        const rounded = Math.round(share);
        return { id: '', key: `${key}/${part}`, measure: `${key}: ${part}`, unit: '%', values: [rounded] };
      });
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
