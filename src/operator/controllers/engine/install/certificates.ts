import type { KubeObject, ResourceType } from '../../../../runtime/vocabulary/meta.js';
import { ConfigMaps, Secrets } from '../../../../runtime/vocabulary/kinds.js';
import type { ServingCertificateRow } from '../../../../domain/engine/catalogue.js';
import { componentsOn } from '../../../../domain/engine/components.js';
import { idOf, titleOf } from '../../../../domain/engine/manifest/manifest.js';
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
  type StepInput,
  type Step,
} from '../../../../domain/engine/steps/steps.js';
import type { ObjectState } from '../../../../domain/engine/status/input.js';
import type { Input } from '../gather.js';
import { applySteps, merge, NOTHING_APPLIED, type Applied } from '../objects/applysteps.js';
import { stateAfterFailure } from '../objects/failure.js';
import type { Scope } from '../scope.js';
import type { TargetContents } from '../targetcaches.js';
import { givenSecretState, readGivenSecret } from './givensecrets.js';

/** The longest time to the next pass, ms: timers cannot wait for as long as a certificate is valid. */
const LONGEST_REQUEUE_MS = 12 * 3600 * 1000;
/** In the place of the revision of a Secret that could not be read or created. */
const NO_REVISION = 'none';

interface CertificateState {
  readonly input: Input;
  readonly contents: TargetContents;
}

/**
 * Issues and renews the serving certificate of each component that has one: the ConfigMap first, so that clients trust
 * the next certificate before it is served, then the Secret.
 *
 * Guarantees: the content of our Secret is written once and never read; that of a Secret that somebody else made is read once
 * for each of its versions. A key pair that was published and not stored before the process ended is replaced. Throws
 * Fenced and Aborted only.
 */
export async function applyCertificates(state: CertificateState, scope: Scope): Promise<Applied> {
  let applied = NOTHING_APPLIED;
  for (const [certificate, stored] of certificatesOf(state, scope)) {
    const work = new CertificateWork(certificate, state.input, scope);
    const decision = decideCertificate(certificate, stored);
    const done = await (isReplacement(decision) ? work.readAndReplace(stored) : work.finish(decision, stored));
    applied = merge(applied, done);
  }
  return applied;
}

/** Reads the Secrets that somebody else made. Returns in how many ms the state of one changes. */
export async function readGivenSecrets(state: CertificateState, scope: Scope): Promise<number | undefined> {
  const due: number[] = [];
  for (const [certificate, stored] of certificatesOf(state, scope)) {
    const decision = decideCertificate(certificate, stored);
    if (decision.kind !== 'given') continue;
    const { name } = stepOf(certificate, Secrets, undefined);
    await readGivenSecret(name, decision.resourceVersion, scope);
    due.push(Math.min(givenSecretState(name, scope).dueInMs ?? Infinity, LONGEST_REQUEUE_MS));
  }
  return due.length === 0 ? undefined : Math.min(...due);
}

/** The states of the certificates' objects without a write. */
export function observeCertificates(state: CertificateState, scope: Scope): readonly ObjectState[] {
  return certificatesOf(state, scope).flatMap(([certificate, stored]) => {
    const decision = decideCertificate(certificate, stored);
    if (decision.kind === 'given') return [givenState(certificate, stored, scope)];
    if (decision.kind === 'keep')
      return [
        ...observeSteps(desiredSteps(bundleInput(certificate, stored, decision.bundle))),
        secretState(certificate, stored, 'applied', ''),
      ];
    const configMap = stepOf(certificate, ConfigMaps, stored.configMap);
    return [
      stored.configMap === undefined
        ? objectState(configMap, 'missing', 'does not exist')
        : objectState(configMap, 'applied', ''),
      secretState(certificate, stored, stored.secret === undefined ? 'missing' : 'drifted', decision.cause),
    ];
  });
}

type Replacement = CertificateDecision & { readonly kind: 'issue' | 'renew' };

class CertificateWork {
  readonly #certificate: ServingCertificate;
  readonly #input: Input;
  readonly #scope: Scope;

  constructor(certificate: ServingCertificate, input: Input, scope: Scope) {
    this.#certificate = certificate;
    this.#input = input;
    this.#scope = scope;
  }

  /** Reads the API server before a key pair is made: a cache that lags must not replace one that was just stored. */
  async readAndReplace(cached: StoredCertificate): Promise<Applied> {
    const { client, pass, clock, memory } = this.#scope;
    const step = stepOf(this.#certificate, Secrets, cached.secret);
    const backedOff = memory.backedOff(idOf(Secrets, step.name), NO_REVISION, clock.monotonic());
    if (backedOff !== undefined) return { objects: [backedOff], events: [] };
    const configMapName = stepOf(this.#certificate, ConfigMaps, undefined).name;
    let stored: StoredCertificate;
    try {
      const secret = await client.get<KubeObject>(Secrets, step.name, { signal: pass.signal, metadataOnly: true });
      const configMap = await client.get<KubeObject>(ConfigMaps, configMapName, { signal: pass.signal });
      stored = { ...cached, secret, configMap };
    } catch (error) {
      return this.#failed(step, error, ['get']);
    }
    const decision = decideCertificate(this.#certificate, stored);
    return isReplacement(decision) ? this.#replace(decision, stored) : this.finish(decision, stored);
  }

  /** Publishes a new certificate, then stores its key pair. Repeated changes by somebody else are repaired ever more slowly. */
  async #replace(decision: Replacement, stored: StoredCertificate): Promise<Applied> {
    const { memory, clock } = this.#scope;
    const secret = stepOf(this.#certificate, Secrets, stored.secret);
    const id = idOf(Secrets, secret.name);
    const repairInMs = isDrift(decision) ? memory.repairDelayMs(id, clock.monotonic()) : 0;
    if (repairInMs > 0)
      return {
        objects: [objectState(secret, 'waiting', `${decision.cause}, repeatedly; the repair is delayed`)],
        events: [],
        repairInMs,
      };
    let pair: KeyPair;
    try {
      pair = await this.#keyPair(id);
    } catch (error) {
      return this.#failed(secret, error, []);
    }
    const bundle = bundleOf(pair, decision.served);
    const published = await this.#publish(stored, bundle);
    if (published.objects.some((one) => one.state !== 'applied')) {
      const { name } = stepOf(this.#certificate, ConfigMaps, undefined);
      const message = `waits for ${titleOf(ConfigMaps, name)}, which has to publish it first`;
      return { ...published, objects: [...published.objects, objectState(secret, 'waiting', message)] };
    }
    const desired = keyPairSecret(this.#certificate, pair, bundle);
    const action = stored.secret === undefined ? 'create' : 'patch';
    const step: Step = { ...secret, action, cause: decision.cause, desired };
    const applied = merge(published, await applySteps([step], this.#input, this.#scope));
    if (applied.objects.some((one) => one.state !== 'applied')) return applied;
    // The event of a renewal replaces that of the write.
    return this.#issued(decision, pair, decision.kind === 'issue' ? applied : { ...applied, events: published.events });
  }

  /** `applied` with the event and the log line of a key pair that is stored. */
  #issued(decision: Replacement, pair: KeyPair, applied: Applied): Applied {
    const { memory, clock, pass } = this.#scope;
    const { name } = stepOf(this.#certificate, Secrets, undefined);
    const id = idOf(Secrets, name);
    memory.unstoredKeyPairs.delete(id);
    if (isDrift(decision)) memory.repaired(id, clock.monotonic());
    const notAfter = new Date(pair.notAfter).toISOString();
    pass.log.info({ object: titleOf(Secrets, name), cause: decision.cause, notAfter }, 'serving certificate issued');
    const requeueAfterMs = LONGEST_REQUEUE_MS;
    if (decision.kind === 'issue') return { ...applied, requeueAfterMs };
    const reason = isDrift(decision) ? 'DriftRepaired' : 'CertificateRenewed';
    const note = `${titleOf(Secrets, name)} ${decision.cause}; a new certificate was issued`;
    return { ...applied, events: [...applied.events, { reason, note }], requeueAfterMs };
  }

  /** The key pair of a write that failed, while it is valid for long enough; else a new one. */
  async #keyPair(id: string): Promise<KeyPair> {
    const { memory, clock, issueKeyPair } = this.#scope;
    const unstored = memory.unstoredKeyPairs.get(id);
    if (unstored !== undefined && unstored.notAfter - clock.now() > RENEW_BEFORE_MS) return unstored;
    const pair = await issueKeyPair(certificateNames(this.#certificate), clock.now());
    memory.unstoredKeyPairs.set(id, pair);
    return pair;
  }

  /** No new key pair is needed, or none can be made now. */
  async finish(decision: Exclude<CertificateDecision, Replacement>, stored: StoredCertificate): Promise<Applied> {
    const { memory, clock } = this.#scope;
    const id = idOf(Secrets, stepOf(this.#certificate, Secrets, undefined).name);
    memory.succeeded(id);
    memory.unstoredKeyPairs.delete(id);
    if (decision.kind === 'wait') {
      const configMap = stepOf(this.#certificate, ConfigMaps, stored.configMap);
      const objects = [
        objectState(configMap, 'waiting', decision.cause),
        secretState(this.#certificate, stored, 'waiting', decision.cause),
      ];
      return { objects, events: [] };
    }
    if (decision.kind === 'given') return this.#use(decision.resourceVersion, stored);
    const published = await this.#publish(stored, decision.bundle);
    const objects = [...published.objects, secretState(this.#certificate, stored, 'applied', '')];
    const requeueAfterMs = Math.min(Math.max(decision.renewAt - clock.now(), 0), LONGEST_REQUEUE_MS);
    return { ...published, objects, requeueAfterMs };
  }

  /** Our ConfigMap is wrong about a certificate that is not ours, once that is served. */
  async #use(resourceVersion: string | undefined, stored: StoredCertificate): Promise<Applied> {
    const { name } = stepOf(this.#certificate, Secrets, undefined);
    await readGivenSecret(name, resourceVersion, this.#scope);
    const state = givenState(this.#certificate, stored, this.#scope);
    const steps = state.state === 'unusable' ? [] : this.#pruneConfigMap(stored);
    const pruned = await applySteps(steps, this.#input, this.#scope);
    const requeueAfterMs = Math.min(givenSecretState(name, this.#scope).dueInMs ?? Infinity, LONGEST_REQUEUE_MS);
    return { ...pruned, objects: [...pruned.objects, state], requeueAfterMs };
  }

  async #publish(stored: StoredCertificate, bundle: string): Promise<Applied> {
    return applySteps(desiredSteps(bundleInput(this.#certificate, stored, bundle)), this.#input, this.#scope);
  }

  #pruneConfigMap(stored: StoredCertificate): readonly Step[] {
    const { engine } = this.#certificate;
    if (stored.configMap === undefined || ownershipOf(stored.configMap, engine) !== 'ours') return [];
    return pruneSteps({ ...bundleInput(this.#certificate, stored, ''), desired: [] });
  }

  async #failed(step: Step, error: unknown, verbs: readonly string[]): Promise<Applied> {
    const call = { error, verbs, revision: NO_REVISION };
    return { objects: [await stateAfterFailure(step, call, this.#input, this.#scope)], events: [] };
  }
}

function isReplacement(decision: CertificateDecision): decision is Replacement {
  return decision.kind === 'issue' || decision.kind === 'renew';
}

function isDrift(decision: Replacement): boolean {
  return decision.kind === 'renew' && decision.drift;
}

/** The serving certificates of the components that run, each with its stored objects. */
function certificatesOf(
  { input, contents }: CertificateState,
  { settings, clock }: Pick<Scope, 'settings' | 'clock'>,
): readonly (readonly [ServingCertificate, StoredCertificate])[] {
  const { identity: engine, namespace, namespaceObject, spec } = input;
  const find = (type: ResourceType, name: string): KubeObject | undefined => {
    const id = idOf(type, { namespace, name });
    return contents.named.find((one) => idOf(one.type, one.object.metadata) === id)?.object;
  };
  return componentsOn(spec.components).flatMap(({ name: component, servingCertificate: row }) => {
    if (row === undefined) return [];
    const [secret, configMap] = [find(Secrets, row.secret), find(ConfigMaps, row.configMap)];
    const stored = { secret, configMap, namespaceObject, now: clock.now() };
    return [[{ component, row, namespace, engine, settings }, stored] as const];
  });
}

function bundleInput(certificate: ServingCertificate, stored: StoredCertificate, bundle: string): StepInput {
  const { configMap, namespaceObject } = stored;
  return {
    engine: certificate.engine,
    desired: [bundleConfigMap(certificate, bundle)],
    stored: configMap === undefined ? [] : [{ type: ConfigMaps, object: configMap }],
    namespace: namespaceObject,
  };
}

/** A step that writes nothing: the base of object states and of other steps. */
function stepOf({ row, namespace }: ServingCertificate, type: ResourceType, stored: KubeObject | undefined): Step {
  const name = { namespace, name: nameIn(row, type) };
  return { action: 'wait', type, name, cause: '', ...(stored === undefined ? {} : { stored }) };
}

function nameIn(row: ServingCertificateRow, type: ResourceType): string {
  return type === Secrets ? row.secret : row.configMap;
}

function secretState(
  certificate: ServingCertificate,
  stored: StoredCertificate,
  state: ObjectState['state'],
  message: string,
): ObjectState {
  return objectState(stepOf(certificate, Secrets, stored.secret), state, message);
}

function givenState(
  certificate: ServingCertificate,
  stored: StoredCertificate,
  scope: Pick<Scope, 'memory' | 'clock'>,
): ObjectState {
  const { kind, message } = givenSecretState(stepOf(certificate, Secrets, undefined).name, scope);
  if (kind === 'unusable') return secretState(certificate, stored, 'unusable', message);
  return { ...secretState(certificate, stored, 'applied', message), given: kind };
}
