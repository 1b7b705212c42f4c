import type { KubeObject, ResourceType } from '../../../../runtime/vocabulary/meta.js';
import { ConfigMaps, Secrets } from '../../../../runtime/vocabulary/kinds.js';
import { idOf, titleOf } from '../../../../domain/engine/manifest/manifest.js';
import { componentsOn } from '../../../../domain/engine/spec.js';
import type { ObjectState } from '../../../../domain/engine/status/input.js';
import {
  bundleConfigMap,
  bundleOf,
  certificateNames,
  decideCertificate,
  keyPairSecret,
  RENEW_BEFORE_MS,
  type CertificateDecision,
  type KeyPair,
  type ServingCertificate,
  type StoredCertificate,
} from '../../../../domain/engine/steps/certificate.js';
import { ownershipOf } from '../../../../domain/engine/steps/ownership.js';
import {
  desiredSteps,
  objectState,
  observeSteps,
  pruneSteps,
  storedObject,
  type StepInput,
  type Step,
} from '../../../../domain/engine/steps/steps.js';
import { applySteps, merge, onlyStates, type Applied } from '../applysteps.js';
import { stateAfterFailure } from '../failure.js';
import type { Input } from '../gather.js';
import type { Scope } from '../scope.js';
import type { TargetContents } from '../caches.js';
import { givenSecretState, readGivenSecret } from './givenobjects.js';

/** The longest time to the next pass, ms: timers cannot wait for as long as a certificate is valid. */
const LONGEST_REQUEUE_MS = 12 * 3600 * 1000;
/** In the place of the revision of a Secret that could not be read or created. */
const NO_REVISION = 'none';

type Replacement = CertificateDecision & { readonly kind: 'issue' | 'renew' };

/** The serving certificates of the components that run, each with its stored objects. */
export function certificatesOf(
  { input, contents }: { readonly input: Input; readonly contents: TargetContents },
  scope: Scope,
): readonly Certificate[] {
  const { identity: engine, namespace, namespaceObject, spec } = input;
  const { settings, clock } = scope;
  const find = (type: ResourceType, name: string) => storedObject(contents.named, type, { namespace, name });
  return componentsOn(spec.components).flatMap(({ name: component, servingCertificate: row }) => {
    if (row === undefined) return [];
    const [secret, configMap] = [find(Secrets, row.secret), find(ConfigMaps, row.configMap)];
    const stored = { secret, configMap, namespaceObject, now: clock.now() };
    return [new Certificate({ component, row, namespace, engine, settings }, stored, { input, scope })];
  });
}

/**
 * One serving certificate in one pass: it is issued and renewed, the ConfigMap first, so that clients trust the next
 * certificate before it is served, then the Secret.
 *
 * Guarantees: the content of our Secret is written once and never read; that of a Secret that somebody else made is read once
 * for each of its versions. A key pair that was published and not stored before the process ended is replaced. Its methods
 * throw Fenced and Aborted only.
 */
export class Certificate {
  readonly #certificate: ServingCertificate;
  readonly #input: Input;
  readonly #scope: Scope;
  /** As they were read last. */
  #stored: StoredCertificate;

  constructor(
    certificate: ServingCertificate,
    stored: StoredCertificate,
    { input, scope }: { readonly input: Input; readonly scope: Scope },
  ) {
    this.#certificate = certificate;
    this.#stored = stored;
    this.#input = input;
    this.#scope = scope;
  }

  async apply(): Promise<Applied> {
    const decision = this.#decide();
    const { client, pass, clock, memory } = this.#scope;
    const { secret: cached } = this.#stored;
    if (!isReplacement(decision) && memory.writes.newest(this.#id, cached) === cached) return this.#finish(decision);
    // The API server is read before a key pair is made: a cache that lags must not replace one that was just stored.
    const backedOff = memory.backedOff(this.#id, NO_REVISION, clock.monotonic());
    if (backedOff !== undefined) return onlyStates([backedOff]);
    try {
      const { signal } = pass;
      const secret = await client.get<KubeObject>(Secrets, this.#secret.name, { signal, metadataOnly: true });
      const configMap = await client.get<KubeObject>(ConfigMaps, this.#configMap.name, { signal });
      this.#stored = { ...this.#stored, secret, configMap };
    } catch (error) {
      return this.#failed(error, ['get']);
    }
    const fresh = this.#decide();
    return isReplacement(fresh) ? this.#replace(fresh) : this.#finish(fresh);
  }

  /** The states of its objects without a write. */
  observe(): readonly ObjectState[] {
    const decision = this.#decide();
    if (decision.kind === 'given') return [this.#givenState()];
    const { secret, configMap } = this.#stored;
    if (decision.kind === 'keep')
      return [
        ...observeSteps(desiredSteps(this.#bundleInput(decision.bundle))),
        objectState(this.#secret, 'applied', ''),
      ];
    return [
      configMap === undefined
        ? objectState(this.#configMap, 'missing', 'does not exist')
        : objectState(this.#configMap, 'applied', ''),
      objectState(this.#secret, secret === undefined ? 'missing' : 'drifted', decision.cause),
    ];
  }

  /** Reads a Secret that somebody else made. Returns in how many ms its state changes; undefined for a Secret of ours. */
  async readGiven(): Promise<number | undefined> {
    const decision = this.#decide();
    if (decision.kind !== 'given') return undefined;
    const dueInMs = await readGivenSecret(this.#secret.name, decision.resourceVersion, this.#scope);
    return Math.min(dueInMs ?? Infinity, LONGEST_REQUEUE_MS);
  }

  #decide(): CertificateDecision {
    return decideCertificate(this.#certificate, this.#stored);
  }

  /** Publishes a new certificate, then stores its key pair. Repeated changes by somebody else are repaired ever more slowly. */
  async #replace(decision: Replacement): Promise<Applied> {
    const { memory, clock } = this.#scope;
    const repairInMs = isDrift(decision) ? memory.repairDelayMs(this.#id, clock.monotonic()) : 0;
    if (repairInMs > 0) {
      const message = `${decision.cause}, repeatedly; the repair is delayed`;
      return { ...onlyStates([objectState(this.#secret, 'waiting', message)]), repairInMs };
    }
    let pair: KeyPair;
    try {
      pair = await this.#keyPair();
    } catch (error) {
      return this.#failed(error, []);
    }
    const bundle = bundleOf(pair, decision.served);
    const published = await this.#publish(bundle);
    if (published.objects.some((one) => one.state !== 'applied')) {
      const message = `waits for ${titleOf(ConfigMaps, this.#configMap.name)}, which has to publish it first`;
      return merge(published, onlyStates([objectState(this.#secret, 'waiting', message)]));
    }
    const desired = keyPairSecret(this.#certificate, pair, bundle);
    const action = this.#stored.secret === undefined ? 'create' : 'patch';
    const step: Step = { ...this.#secret, action, cause: decision.cause, desired };
    const applied = merge(published, await applySteps([step], this.#input, this.#scope));
    if (applied.objects.some((one) => one.state !== 'applied')) return applied;
    // The event of a renewal replaces that of the write.
    return this.#issued(decision, pair, decision.kind === 'issue' ? applied : { ...applied, events: published.events });
  }

  /** `applied` with the event and the log line of a key pair that is stored. */
  #issued(decision: Replacement, pair: KeyPair, applied: Applied): Applied {
    const { memory, clock, pass } = this.#scope;
    const object = titleOf(Secrets, this.#secret.name);
    memory.unstoredKeyPairs.delete(this.#id);
    if (isDrift(decision)) memory.repaired(this.#id, clock.monotonic());
    const notAfter = new Date(pair.notAfter).toISOString();
    pass.log.info({ object, cause: decision.cause, notAfter }, 'serving certificate issued');
    const requeueAfterMs = LONGEST_REQUEUE_MS;
    if (decision.kind === 'issue') return { ...applied, requeueAfterMs };
    const reason = isDrift(decision) ? 'DriftRepaired' : 'CertificateRenewed';
    const note = `${object} ${decision.cause}; a new certificate was issued`;
    return { ...applied, events: [...applied.events, { reason, note }], requeueAfterMs };
  }

  /** The key pair of a write that failed, while it is valid for long enough; else a new one. */
  async #keyPair(): Promise<KeyPair> {
    const { memory, clock, issueKeyPair } = this.#scope;
    const unstored = memory.unstoredKeyPairs.get(this.#id);
    if (unstored !== undefined && unstored.notAfter - clock.now() > RENEW_BEFORE_MS) return unstored;
    const pair = await issueKeyPair(certificateNames(this.#certificate), clock.now());
    memory.unstoredKeyPairs.set(this.#id, pair);
    return pair;
  }

  /** No new key pair is needed, or none can be made now. */
  async #finish(decision: Exclude<CertificateDecision, Replacement>): Promise<Applied> {
    const { memory, clock } = this.#scope;
    memory.succeeded(this.#id);
    memory.unstoredKeyPairs.delete(this.#id);
    if (decision.kind === 'wait')
      return onlyStates([this.#configMap, this.#secret].map((step) => objectState(step, 'waiting', decision.cause)));
    if (decision.kind === 'given') return this.#use();
    const published = await this.#publish(decision.bundle);
    const requeueAfterMs = Math.min(Math.max(decision.renewAt - clock.now(), 0), LONGEST_REQUEUE_MS);
    return { ...merge(published, onlyStates([objectState(this.#secret, 'applied', '')])), requeueAfterMs };
  }

  /** Our ConfigMap is wrong about a certificate that is not ours, once that is served. */
  async #use(): Promise<Applied> {
    const requeueAfterMs = await this.readGiven();
    const state = this.#givenState();
    const { configMap } = this.#stored;
    const isPublished = configMap !== undefined && ownershipOf(configMap, this.#certificate.engine) === 'ours';
    const isPruned = isPublished && state.state !== 'unusable';
    const steps = isPruned ? pruneSteps({ ...this.#bundleInput(''), desired: [] }) : [];
    const pruned = await applySteps(steps, this.#input, this.#scope);
    return { ...merge(pruned, onlyStates([state])), ...(requeueAfterMs !== undefined && { requeueAfterMs }) };
  }

  #publish(bundle: string): Promise<Applied> {
    return applySteps(desiredSteps(this.#bundleInput(bundle)), this.#input, this.#scope);
  }

  async #failed(error: unknown, verbs: readonly string[]): Promise<Applied> {
    const call = { error, verbs, revision: NO_REVISION };
    return onlyStates([await stateAfterFailure(this.#secret, call, this.#input, this.#scope)]);
  }

  #givenState(): ObjectState {
    const { kind, message } = givenSecretState(this.#secret.name, this.#scope);
    if (kind === 'unusable') return objectState(this.#secret, 'unusable', message);
    return { ...objectState(this.#secret, 'applied', message), given: kind };
  }

  #bundleInput(bundle: string): StepInput {
    const { configMap, namespaceObject } = this.#stored;
    return {
      engine: this.#certificate.engine,
      desired: [bundleConfigMap(this.#certificate, bundle)],
      stored: configMap === undefined ? [] : [{ type: ConfigMaps, object: configMap }],
      namespace: namespaceObject,
    };
  }

  /** A step that writes nothing: the base of object states and of other steps. */
  get #secret(): Step {
    return this.#stepOf(Secrets, this.#certificate.row.secret, this.#stored.secret);
  }

  get #configMap(): Step {
    return this.#stepOf(ConfigMaps, this.#certificate.row.configMap, this.#stored.configMap);
  }

  get #id(): string {
    return idOf(Secrets, this.#secret.name);
  }

  #stepOf(type: ResourceType, name: string, stored: KubeObject | undefined): Step {
    const { namespace } = this.#certificate;
    return { action: 'wait', type, name: { namespace, name }, cause: '', ...(stored === undefined ? {} : { stored }) };
  }
}

function isReplacement(decision: CertificateDecision): decision is Replacement {
  return decision.kind === 'issue' || decision.kind === 'renew';
}

function isDrift(decision: Replacement): boolean {
  return decision.kind === 'renew' && decision.drift;
}
