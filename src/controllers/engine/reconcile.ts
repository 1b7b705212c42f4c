import type { MultiClusterEngine } from '../../api/generated/multiclusterengine.js';
import { CLEANUP_FINALIZER } from '../../api/names.js';
import { RoleBindings } from '../../api/resources.js';
import { desiredId, desiredObjects, targetTypes } from '../../domain/engine/manifest/desired.js';
import { idOf } from '../../domain/engine/manifest/manifest.js';
import { plan } from '../../domain/engine/plan/plan.js';
import type { ObjectState, StatusInput } from '../../domain/engine/status/input.js';
import { effectiveSpec } from '../../domain/engine/spec.js';
import type { KubeClient } from '../../kube/client/client.js';
import type { EventRecorder } from '../../kube/events/recorder.js';
import type { Clock } from '../../runtime/clock.js';
import type { EngineMetrics } from '../../runtime/metrics.js';
import type { Pass, Reconciler, Result } from '../../runtime/result.js';
import { applySteps, type ReconcileScope } from './objects/applysteps.js';
import { allCaches } from './caches.js';
import { gather, type Input } from './gather.js';
import { install, type Site } from './install/install.js';
import { EngineMemory } from './memory.js';
import { release, report } from './report.js';
import { uninstall } from './uninstall/uninstall.js';

export interface ReconcilerOptions extends Site {
  readonly client: KubeClient;
  readonly recorder: EventRecorder;
  readonly clock: Clock;
  readonly metrics?: EngineMetrics | undefined;
}

const LOOK_AGAIN = Object.freeze({ caches: 5_000, removal: 2_000, right: 30_000 });
const DONE: Result = { ending: 'done' };

/**
 * One engine, one pass: gather, decide, apply, report. Deletion first, finalizer second, work third.
 *
 * Guarantees: a pass that finds everything as wanted asks and writes nothing. Every write is repeatable: a pass that
 * died between any two of them is completed by the next one. While a cache that gates the start is not current, nothing
 * is decided.
 */
export class EngineReconciler implements Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #memories = new Map<string, EngineMemory>();

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  async reconcile(key: string, pass: Pass): Promise<Result> {
    const { caches, settings, recorder } = this.#options;
    const blind = allCaches(caches).find((cache) => !cache.current());
    if (blind !== undefined)
      return { ending: 'wait', reason: `${blind.type.plural} cannot be read`, afterMs: LOOK_AGAIN.caches };
    const cached = caches.engines.store.get(key);
    if (cached === undefined) return this.#forget(key);
    const hand = this.#handFor(cached, pass);
    const snapshot = gather(hand.engine, caches, settings);
    if (snapshot.deleting) return this.#remove(snapshot, hand);
    const outcome = await install(snapshot, hand, this.#options);
    this.#count(await report(outcome, recorder));
    return outcome.result;
  }

  #forget(key: string): Result {
    this.#memories.delete(key);
    this.#options.targets.close(key);
    this.#options.metrics?.engineGone(key);
    return DONE;
  }

  #count({ metadata, status }: MultiClusterEngine): void {
    const { phase = '', currentVersion = '', targetNamespace = '' } = status ?? {};
    this.#options.metrics?.engine({ name: metadata.name, version: currentVersion, phase, targetNamespace });
  }

  #handFor(cached: MultiClusterEngine, pass: Pass): ReconcileScope {
    const { client, clock } = this.#options;
    const { name, uid = '', resourceVersion } = cached.metadata;
    let memory = this.#memories.get(name);
    // An engine made anew under the same name is another engine.
    if (memory === undefined || memory.uid !== uid) memory = new EngineMemory(uid);
    this.#memories.set(name, memory);
    return {
      client,
      clock,
      pass,
      memory,
      engine: memory.newest(cached),
      cachedVersion: resourceVersion,
      identity: { name, uid },
    };
  }

  async #remove(snapshot: Input, hand: ReconcileScope): Promise<Result> {
    const { recorder, settings } = this.#options;
    const { engine, paused, namespace } = snapshot;
    if (engine.metadata.finalizers?.includes(CLEANUP_FINALIZER) !== true) return DONE;
    const situation: StatusInput = { engine, version: settings.version, targetNamespace: namespace, paused };
    if (paused) {
      const message = `what was made in namespace ${namespace} stays until the pause ends`;
      this.#count(await report({ situation: { ...situation, uninstall: { message } }, hand, result: DONE }, recorder));
      return DONE;
    }
    const removal = await uninstall(this.#groundOf(snapshot, hand), hand);
    if (removal.kind === 'going') {
      const { progress } = removal;
      this.#count(await report({ situation: { ...situation, uninstall: progress }, hand, result: DONE }, recorder));
      if (progress.denied !== undefined)
        return { ending: 'stalled', reason: 'PermissionDenied', afterMs: LOOK_AGAIN.right };
      return { ending: 'wait', reason: 'uninstalling', afterMs: LOOK_AGAIN.removal };
    }
    const { message } = removal;
    const last = { situation: { ...situation, uninstall: { remaining: [], message } }, hand, result: DONE };
    await release(removal.stays ? await report(last, recorder) : engine, message, hand, recorder);
    return DONE;
  }

  #groundOf(snapshot: Input, hand: ReconcileScope): Parameters<typeof uninstall>[0] {
    const { settings, templates } = this.#options;
    const neverInstalled = snapshot.fieldErrors.length > 0 && (snapshot.engine.status?.targetNamespace ?? '') === '';
    return {
      namespace: neverInstalled ? undefined : snapshot.namespace,
      types: targetTypes(templates),
      givenBindings: settings.onlyNamespace !== undefined,
      bind: () => this.#bind(snapshot, hand),
    };
  }

  /**
   * Makes sure of the installer binding, and opens the target's caches where it is there: they tell when what is removed
   * is gone. Gives the binding where it is not as wanted.
   */
  async #bind(snapshot: Input, hand: ReconcileScope): Promise<ObjectState | undefined> {
    const { settings, targets } = this.#options;
    const { identity, namespace } = snapshot;
    const spec = { ...effectiveSpec(undefined), targetNamespace: namespace };
    const desired = desiredObjects(identity, spec, {}, settings).filter((one) => one.type === RoleBindings);
    const ids = new Set(desired.map(desiredId));
    const stored = snapshot.bindings.filter(({ type, object }) => ids.has(idOf(type, object.metadata)));
    const { objects } = await applySteps(
      plan({ engine: identity, desired, stored, namespace: snapshot.namespaceObject }),
      hand,
    );
    const fault = objects.find((one) => one.state !== 'applied');
    if (fault === undefined || fault.object !== undefined) targets.open(identity, namespace);
    return fault;
  }
}
