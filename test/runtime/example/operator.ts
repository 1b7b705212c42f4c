import { randomUUID } from 'node:crypto';

import { systemClock, systemRandom } from '../../../src/runtime/clock.js';
import { createController } from '../../../src/runtime/controller/controller.js';
import { MutationCache } from '../../../src/runtime/controller/mutationcache.js';
import { DONE, type Result } from '../../../src/runtime/controller/result.js';
import { runWithEndpoints } from '../../../src/runtime/endpoints/endpoints.js';
import type { GuardRow } from '../../../src/runtime/client/guard.js';
import { loadKubeconfig } from '../../../src/runtime/kubeconfig/kubeconfig.js';
import { createLogger } from '../../../src/runtime/log/pinologger.js';
import {
  createLeaderClients,
  createManager,
  leaderGroup,
  type Manager,
  type Group,
} from '../../../src/runtime/manager/manager.js';
import { managerMetrics } from '../../../src/runtime/metrics/managermetrics.js';
import { createProcessRegistry, expositionOf } from '../../../src/runtime/metrics/registry.js';
import { createTransport } from '../../../src/runtime/transport/transport.js';
import { ConfigMaps, controllerReference } from '../../../src/runtime/vocabulary/kinds.js';
import type { KubeObject } from '../../../src/runtime/vocabulary/meta.js';
import { Greetings, readyCondition, type ConfigMap, type Greeting, type ReadyCondition } from './greeting.js';

const PROGRAM = 'greeter';

/** All that this operator may write. The guard refuses other writes, and all of them while another process has the Lease. */
const RIGHTS: readonly GuardRow[] = [
  { verbs: ['create', 'apply'], type: ConfigMaps, namespace: () => true, owner: Greetings },
  { verbs: ['applyStatus'], type: Greetings, namespace: () => true },
];

/** Gives each Greeting a ConfigMap of its name with its text. The garbage collector deletes it with the Greeting. */
function greetingGroup(manager: Manager): Group {
  const leader = createLeaderClients(manager, { lease: PROGRAM, controller: 'example.com/greeter', rights: RIGHTS });
  const greetings = manager.openCache<Greeting>({ type: Greetings });
  const configMaps = manager.openCache<ConfigMap>({ type: ConfigMaps });
  // What this process has written and its watches have not delivered yet.
  const ownGreetings = new MutationCache<Greeting>(systemClock);
  const ownConfigMaps = new MutationCache<ConfigMap>(systemClock);

  async function reconcile(key: string): Promise<Result> {
    const greeting = ownGreetings.newest(key, greetings.store.get(key));
    if (greeting === undefined || greeting.metadata.deletionTimestamp !== undefined) return DONE;
    const stored = ownConfigMaps.newest(key, configMaps.store.get(key));
    const isTaken = stored !== undefined && !isControlledBy(stored, greeting);
    if (!isTaken && stored?.data?.['text'] !== greeting.spec.text) {
      ownConfigMaps.mutated(key, await write(greeting, stored));
      const note = { type: 'Normal', reason: 'Written', action: 'Write', note: 'the ConfigMap has the text' } as const;
      leader.recorder.record({ ...note, regarding: greeting });
    }
    const condition = readyCondition(greeting, isTaken, manager.serverClock.now());
    if (condition !== undefined) ownGreetings.mutated(key, await report(greeting, condition));
    return isTaken ? { ending: 'stalled', reason: 'NameTaken' } : DONE;
  }

  function write(greeting: Greeting, stored: ConfigMap | undefined): Promise<ConfigMap> {
    const { namespace = '', name } = greeting.metadata;
    const metadata = { namespace, name, ownerReferences: [controllerReference(greeting, Greetings)] };
    const wanted = { metadata, data: { text: greeting.spec.text } };
    if (stored === undefined) return leader.client.create<ConfigMap>(ConfigMaps, wanted, { fieldManager: PROGRAM });
    // Takes over the fields that somebody has changed, of this very object.
    const known = { ...wanted, metadata: { ...metadata, uid: stored.metadata.uid ?? '' } };
    return leader.client.apply<ConfigMap>(ConfigMaps, known, { fieldManager: PROGRAM, force: true });
  }

  function report({ metadata, spec }: Greeting, condition: ReadyCondition): Promise<Greeting> {
    const { namespace = '', name, uid = '' } = metadata;
    const status = { metadata: { namespace, name, uid }, spec, status: { conditions: [condition] } };
    return leader.client.applyStatus(Greetings, status, { fieldManager: PROGRAM, force: true });
  }

  const own = { clock: systemClock, random: systemRandom, log: manager.log };
  const controller = createController({
    ...own,
    metrics: manager.metrics.controller('greeting'),
    name: 'greeting',
    kind: Greetings.kind,
    reconciler: { reconcile },
    keys: () => greetings.store.keys(),
  });
  greetings.onChange((change) => {
    if (ownGreetings.observe(change)) controller.add(change.key);
  });
  configMaps.onChange((change) => {
    if (ownConfigMaps.observe(change)) controller.add(change.key);
  });
  return leaderGroup(manager, leader, {
    name: 'greeting',
    sources: [greetings, configMaps],
    controllers: [controller],
  });
}

/** Whether `owner` controls `object`, as metav1.IsControlledBy. */
function isControlledBy({ metadata }: KubeObject, owner: KubeObject): boolean {
  return metadata.ownerReferences?.some((one) => one.controller === true && one.uid === owner.metadata.uid) === true;
}

/** Runs until SIGTERM or SIGINT; returns the exit code. */
async function main(): Promise<number> {
  const log = createLogger({ level: 'info', clock: systemClock });
  const kubeconfig = loadKubeconfig({ caller: 'component' });
  const registry = createProcessRegistry('greeter_');
  const identity = `${PROGRAM}_${randomUUID()}`;
  const metrics = managerMetrics(registry);
  const manager = createManager(
    { program: PROGRAM, version: '1.0.0', identity, leaderElectionNamespace: 'default', metrics, log },
    (options) => createTransport(kubeconfig, options),
  );
  const group = greetingGroup(manager);
  const anyPort = { host: '127.0.0.1', port: 0 };
  const code = await runWithEndpoints([group], {
    config: { metricsListen: anyPort, healthListen: anyPort },
    metrics: expositionOf(registry),
    livez: [group.liveness()],
    readyz: [group.readiness()],
    log,
  });
  await manager.transport.close();
  return code;
}

process.exitCode = await main();
