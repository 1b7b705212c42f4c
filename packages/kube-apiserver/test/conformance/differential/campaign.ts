import { allowed } from '../../../testing/controlplane/rights.js';
import { waitFor } from '../../../testing/wait.js';
import type { ConformanceTarget } from '../target.js';
import { THING_CRD } from './kinds.js';
import { GRANTS, grantPath } from './unusualforms.js';
import { differencesBetween } from './differences.js';
import { playSequence, type Difference } from './sequence.js';
import { agentOf } from './serverclient.js';

export interface CampaignResult {
  readonly sequences: number;
  readonly requests: number;
  /** At most one difference per sequence, known differences excluded. */
  readonly differences: readonly Difference[];
  /** Number of occurrences of each known difference, by its reason. */
  readonly known: Readonly<Record<string, number>>;
}

const CONCURRENCY = 8;
/** The campaign stops after this many differences. */
const MAX_DIFFERENCES = 50;

const REPORT_EVERY = 250;

export interface ServerPair {
  readonly embedded: ConformanceTarget;
  readonly real: ConformanceTarget;
}

/**
 * Runs the sequences `first` … `first + count - 1` on both servers, several concurrently, each in a namespace of its own.
 * @param report receives each difference when it is found, and the progress
 */
export async function runCampaign(
  servers: ServerPair,
  first: number,
  count: number,
  report: (text: string) => void = () => undefined,
): Promise<CampaignResult> {
  const players = {
    embedded: { target: servers.embedded, agent: agentOf(servers.embedded) },
    real: { target: servers.real, agent: agentOf(servers.real) },
  };
  await Promise.all([servers.embedded, servers.real].map(install));
  const differences: Difference[] = [];
  const known: Record<string, number> = {};
  let next = first;
  let requests = 0;
  let sequences = 0;
  const worker = async (): Promise<void> => {
    while (next < first + count && differences.length < MAX_DIFFERENCES) {
      const played = await playSequence(next++, players);
      sequences += 1;
      requests += played.requests;
      for (const reason of played.known) known[reason] = (known[reason] ?? 0) + 1;
      if (sequences % REPORT_EVERY === 0)
        report(`${sequences} of ${count} sequences done, ${differences.length} differ`);
      if (played.difference === undefined) continue;
      differences.push(played.difference);
      report(`${describeDifference(played.difference)}\n`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  for (const { agent } of Object.values(players)) agent.destroy();
  return { sequences, requests, differences, known };
}

async function install(target: ConformanceTarget): Promise<void> {
  for (const grant of GRANTS) await target.call({ method: 'POST', path: grantPath(grant), body: grant });
  const made = await target.call({
    method: 'POST',
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    body: THING_CRD,
  });
  if (made.status !== 201 && made.status !== 409) throw new Error(`${target.name}: ${made.status} ${made.text}`);
  await waitFor(
    `${target.name} to serve things`,
    async () => (await target.call({ path: '/apis/differential.example.com/v1/things' })).status === 200,
  );
  for (const [group, verb] of [
    ['readers', 'list'],
    ['writers', 'create'],
  ] as const) {
    const spec = {
      user: 'someone',
      groups: [`differential:${group}`],
      resourceAttributes: { verb, resource: 'configmaps', namespace: 'default' },
    };
    await allowed(`${target.name} to apply the RBAC rules of ${group}`, (request) => target.call(request), spec);
  }
}

/** Describes a difference: the last requests and both responses. */
export function describeDifference({ seed, step, moves, embedded, real, missing }: Difference): string {
  const last = moves
    .slice(-8)
    .map(
      (move) =>
        `  ${move.method} ${move.path} ${move.contentType ?? ''} ${move.accept ?? ''} ${JSON.stringify(move.headers ?? {})} ${JSON.stringify(move.text ?? move.body ?? null)}`,
    );
  const lacks = missing === undefined ? [] : [`  ${missing} is missing`];
  return [
    `seed ${seed}, step ${step} (embedded | real):`,
    ...last,
    ...differencesBetween(embedded, real),
    ...lacks,
  ].join('\n');
}
