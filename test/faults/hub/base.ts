import { readFileSync } from 'node:fs';
import path from 'node:path';

import { startMemoryServer, type MemoryServer } from '@multicluster-engine/kube-apiserver/testing/memoryserver';
import { parseManifests, readManifests } from '../../../src/runtime/manifests.js';
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
  const folders = [readFolder('crds'), readFolder('deploy/base/agents')];
  for (const object of [...folders.flat(), ...limitingPolicies()]) await hands.create(object);
  await simulation.pass(10_000);
  return { simulation, server };
}

/** The objects in the files of a folder of the repository. */
function readFolder(folder: string): JsonRecord[] {
  return readManifests(path.join(root, folder)) as unknown as JsonRecord[];
}

/** The objects in a file of the repository. */
export function readObjects(file: string): JsonRecord[] {
  return parseManifests(readFileSync(path.join(root, file), 'utf8'), file) as unknown as JsonRecord[];
}

/** Those that judge the programs. The others warn and hold up people. */
function limitingPolicies(): JsonRecord[] {
  return LIMITING_POLICIES.flatMap(({ file }) => readObjects(file));
}
