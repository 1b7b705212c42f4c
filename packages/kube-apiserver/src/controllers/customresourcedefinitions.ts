import { conditionOf, withCondition } from '../conditions.js';
import type { Condition } from '../conditions.js';
import { equal } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { Subscription } from '../store/store.js';
import { approvalOf, needsApproval } from '../schema/crd/approval.js';
import { StatusError } from '../status.js';
import type { Context } from '../verbs/context.js';
import { deleteWith } from '../verbs/delete.js';
import { deleteOptions } from '../verbs/options.js';
import { CLEANUP } from '../verbs/write/terminating.js';
import { update } from '../verbs/update.js';
import type { Caller, Target } from '../verbs/verbs.js';
import { structAt } from '@multicluster-engine/values/fields';
import { readDefinition, readNames } from '@multicluster-engine/values/schema/custom/definition';
import { acceptNames } from '../registry/custom/names.js';
import type { ObjectReader } from '../registry/reader.js';
import { DEFINITIONS } from '../registry/registry.js';

const RETRY_MS = 1000;

/**
 * The controllers of kube-apiserver for CustomResourceDefinitions: accepts names, establishes definitions, and deletes
 * the instances of a deleted definition. Writes are made as `system:apiserver` and skip admission.
 */
export function startDefinitionController(context: Context, reader: ObjectReader): Subscription {
  const controller = new DefinitionController(context, reader);
  return { end: () => controller.end() };
}

class DefinitionController {
  readonly #context: Context;
  readonly #reader: ObjectReader;
  readonly #caller: Caller;
  readonly #abort = new AbortController();
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #due = new Set<string>();
  #running = false;

  constructor(context: Context, reader: ObjectReader) {
    this.#context = { ...context, admission: { admit: ({ object }) => object, validate: () => undefined } };
    this.#reader = reader;
    this.#caller = {
      user: { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] },
      agent: 'kube-apiserver',
      warn: () => undefined,
      signal: this.#abort.signal,
    };
    this.#subscriptions.set(
      '',
      reader.watch(DEFINITIONS, (crd, type) => this.#observe(crd, type)),
    );
  }

  end(): void {
    this.#abort.abort();
    for (const subscription of this.#subscriptions.values()) subscription.end();
  }

  #observe(crd: KubeObject, type: 'put' | 'remove'): void {
    const name = crd.metadata.name ?? '';
    if (type === 'put') this.#enqueue(name);
    else {
      this.#subscriptions.get(name)?.end();
      this.#subscriptions.delete(name);
      this.#enqueueNotAccepted();
    }
  }

  /** Enqueues definitions with a naming conflict, since names may have become free. */
  #enqueueNotAccepted(): void {
    for (const other of this.#reader.list(DEFINITIONS))
      if (conditionOf(other, 'NamesAccepted') !== 'True') this.#enqueue(other.metadata.name ?? '');
  }

  #enqueue(name: string): void {
    if (this.#abort.signal.aborted) return;
    this.#due.add(name);
    if (this.#running) return;
    this.#running = true;
    queueMicrotask(() => void this.#run());
  }

  async #run(): Promise<void> {
    for (const name of this.#due) {
      this.#due.delete(name);
      if (this.#abort.signal.aborted) break;
      try {
        await this.#reconcile(name);
      } catch (error) {
        // A change that caused 404 or 409 enqueues the definition by itself. Other errors are retried.
        if (error instanceof StatusError && (error.code === 404 || error.code === 409)) continue;
        this.#context.clock.after(RETRY_MS, () => this.#enqueue(name));
      }
    }
    this.#running = false;
  }

  async #reconcile(name: string): Promise<void> {
    const crd = this.#reader.get(DEFINITIONS, '', name);
    if (crd === undefined) return;
    const named = withApproval(this.#withNames(crd), this.#context.clock.now());
    if (named !== crd) {
      await this.#write(named);
      this.#enqueueNotAccepted();
    } else if (crd.metadata.deletionTimestamp !== undefined && (crd.metadata.finalizers ?? []).includes(CLEANUP))
      await this.#deleteInstances(crd);
  }

  /** Sets acceptedNames and the conditions NamesAccepted and Established. */
  #withNames(crd: KubeObject): KubeObject {
    const now = this.#context.clock.now();
    const requested = readNames(structAt(structAt(crd, 'spec'), 'names'));
    const status = structAt(crd, 'status');
    const own = readNames(structAt(status, 'acceptedNames'));
    const { names, problem } = acceptNames(requested, {
      group: readDefinition(crd).group,
      own,
      all: this.#reader.list(DEFINITIONS),
    });
    const named: KubeObject = { ...crd, status: { ...status, acceptedNames: names } };
    if (problem === undefined) {
      // The conditions of names that are accepted already are not restored, as in kube-apiserver.
      const accepted = equal(status.acceptedNames, names) ? crd : withCondition(named, ACCEPTED, now);
      return conditionOf(accepted, 'NamesAccepted') !== 'True' || conditionOf(accepted, 'Established') === 'True'
        ? accepted
        : withCondition(accepted, ESTABLISHED, now);
    }
    const conflicting = withCondition(named, { type: 'NamesAccepted', status: 'False', ...problem }, now);
    const kept =
      conditionOf(conflicting, 'Established') === 'True' ? conflicting : withCondition(conflicting, NOT_ACCEPTED, now);
    return equal(kept, crd) ? crd : kept;
  }

  /** Removes the finalizer by a write to the status, which is not validated: a definition with an invalid status is deleted too. */
  async #deleteInstances(crd: KubeObject): Promise<void> {
    const { name } = readDefinition(crd);
    const now = this.#context.clock.now();
    const isEstablished = conditionOf(crd, 'Established') === 'True';
    const instances = isEstablished ? this.#reader.list(name) : [];
    const progressing = withCondition(crd, IN_PROGRESS, now);
    if (!equal(progressing, crd)) return this.#write(progressing);
    if (instances.length > 0) {
      if (!this.#subscriptions.has(name)) this.#subscriptions.set(name, this.#watchInstances(name));
      for (const instance of instances) await this.#deleteInstance(crd, instance);
      return;
    }
    const done = withCondition(crd, isEstablished ? COMPLETED : NEVER_ESTABLISHED, now);
    const finalizers = (crd.metadata.finalizers ?? []).filter((one) => one !== CLEANUP);
    await this.#write({ ...done, metadata: { ...done.metadata, finalizers } });
  }

  #watchInstances(name: string): Subscription {
    return this.#reader.watch(name, (_object, type) => {
      if (type === 'remove' && this.#context.store.count(name) === 0) this.#enqueue(name);
    });
  }

  /** Deletes an instance. Where finalizers hold it, its removal enqueues the definition again. */
  async #deleteInstance(crd: KubeObject, instance: KubeObject): Promise<void> {
    const { group, names, storage } = readDefinition(crd);
    const resource =
      this.#context.registry.find(group, storage, names.plural) ??
      this.#context.registry.all().find((one) => one.collection === crd.metadata.name);
    if (resource === undefined) return;
    const { namespace = '', name = '' } = instance.metadata;
    const target = { resource, namespace, name, subresource: '' };
    await deleteWith(this.#context, { target, options: deleteOptions(undefined, {}), caller: this.#caller }).catch(
      (error: unknown) => {
        if (!(error instanceof StatusError) || error.code !== 404) throw error;
      },
    );
  }

  async #write(crd: KubeObject): Promise<void> {
    const resource = this.#context.registry.find('apiextensions.k8s.io', 'v1', 'customresourcedefinitions');
    if (resource === undefined) return;
    const target: Target = { resource, namespace: '', name: crd.metadata.name ?? '', subresource: 'status' };
    await update(this.#context, target, { value: crd, duplicates: [] }, { query: {}, caller: this.#caller });
  }
}

const APPROVALS = {
  missing: { status: 'False', reason: 'MissingAnnotation' },
  invalid: { status: 'False', reason: 'InvalidAnnotation' },
  bypassed: { status: 'False', reason: 'UnapprovedAnnotation' },
  approved: { status: 'True', reason: 'ApprovedAnnotation' },
} as const;

/** Sets the condition about API approval of a definition in a group of Kubernetes; returns the same object where it is set. */
function withApproval(crd: KubeObject, now: number): KubeObject {
  if (!needsApproval(readDefinition(crd).group)) return crd;
  const { state, message } = approvalOf(crd);
  const next = withCondition(crd, { type: 'KubernetesAPIApprovalPolicyConformant', ...APPROVALS[state], message }, now);
  return equal(next, crd) ? crd : next;
}

const ACCEPTED: Condition = {
  type: 'NamesAccepted',
  status: 'True',
  reason: 'NoConflicts',
  message: 'no conflicts found',
};
const ESTABLISHED: Condition = {
  type: 'Established',
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
};
const NOT_ACCEPTED: Condition = {
  type: 'Established',
  status: 'False',
  reason: 'NotAccepted',
  message: 'not all names are accepted',
};
const IN_PROGRESS: Condition = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};
const COMPLETED: Condition = {
  type: 'Terminating',
  status: 'False',
  reason: 'InstanceDeletionCompleted',
  message: 'removed all instances',
};
const NEVER_ESTABLISHED: Condition = {
  type: 'Terminating',
  status: 'False',
  reason: 'NeverEstablished',
  message: 'resource was never established',
};
