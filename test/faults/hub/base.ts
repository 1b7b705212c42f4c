import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { loadAll } from 'js-yaml';

import { startMemoryServer, type MemoryServer } from '@multicluster-engine/kube-apiserver/testing/memoryserver';
import { readManifests } from '../../../src/runtime/manifests.js';
import type { JsonRecord } from '../../../src/runtime/vocabulary/json.js';
import { AGENTS_NAMESPACE, DEFAULT_TARGET_NAMESPACE } from '../../../src/api/names.js';
import { LIMITING_POLICIES } from '../../../src/domain/engine/policies.js';
import { root } from '../../support/repository/root.js';
import { Hands } from './hands.js';
import { Simulation } from './time.js';

/** Where the operator keeps its Leases. */
export const LEADER_NAMESPACE = DEFAULT_TARGET_NAMESPACE;

/** Of the team whose Placements the scenarios have. */
export const TEAM = 'team';

/** A Sunday. */
const START = Date.parse('2026-11-22T10:00:00Z');

/** A hub in memory with the definitions, policies, namespaces and rights of agents that the product has, in which nothing runs yet. */
export interface BaseHub {
  readonly simulation: Simulation;
  readonly server: MemoryServer;
}

/** Starts the server, once for all runs of a process. */
export async function startBaseHub(): Promise<BaseHub> {
  const simulation = new Simulation(START);
  const server = await startMemoryServer({ clock: simulation });
  const hands = new Hands(server);
  await simulation.pass(0);
  for (const name of [LEADER_NAMESPACE, AGENTS_NAMESPACE, TEAM])
    await hands.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const policies = manifests('deploy/base/policies', isLimiting);
  for (const object of [...manifests('crds'), ...agentRights(), ...policies]) await hands.create(object);
  await simulation.pass(10_000);
  return { simulation, server };
}

/** What agents may do on the hub. */
function agentRights(): JsonRecord[] {
  return readManifests(path.join(root, 'deploy', 'base', 'agents')) as unknown as JsonRecord[];
}

/** Those that judge the programs. The others warn and hold up people. */
function isLimiting(file: string): boolean {
  return LIMITING_POLICIES.some((policy) => policy.file.endsWith(`/${file}`));
}

function manifests(folder: string, isMeant: (file: string) => boolean = () => true): JsonRecord[] {
  const at = path.join(root, folder);
  return readdirSync(at)
    .filter((file) => file.endsWith('.yaml') && isMeant(file))
    .flatMap((file) => loadAll(readFileSync(path.join(at, file), 'utf8')) as JsonRecord[]);
}
