import type { KubeObject, ResourceType } from '../../../api/meta.js';
import { ConfigMaps, Secrets } from '../../../api/resources.js';
import { CATALOGUE, type ServingCertificateRow } from '../../../domain/engine/catalogue.js';
import {
  bundleOf,
  certificateNames,
  decideCertificate,
  keyPairSecret,
  RENEW_BEFORE_MS,
  bundleConfigMap,
  type ServingCertificate,
  type StoredCertificate,
  type CertificateDecision,
  type KeyPair,
} from '../../../domain/engine/plan/certificate.js';
import type { EngineSettings } from '../../../domain/engine/manifest/desired.js';
import { idOf, titleOf } from '../../../domain/engine/manifest/manifest.js';
import { ownershipOf } from '../../../domain/engine/plan/ownership.js';
import { plan, type Step, type StoredObject } from '../../../domain/engine/plan/plan.js';
import type { ObjectState } from '../../../domain/engine/status/input.js';
import type { Clock } from '../../../runtime/clock.js';
import {
  applySteps,
  finding,
  observeSteps,
  refused,
  merge,
  type Applied,
  type ReconcileScope,
} from '../objects/applysteps.js';
import type { Input } from '../gather.js';

/** Makes a key and a self-signed certificate for these DNS names. `now`: ms since the epoch. Given by whoever constructs everything. */
export type IssueKeyPair = (names: readonly string[], now: number) => Promise<KeyPair>;

/** What a certificate is made with. */
export interface CertificateSite {
  readonly settings: EngineSettings;
  readonly issueKeyPair: IssueKeyPair;
}

/** Looked at again at least as often, ms: timers do not reach as far as a certificate lives. */
const LONGEST_SLEEP_MS = 12 * 3600 * 1000;
/** Stands for the wanted revision of a Secret that could not even be looked at. */
const UNREAD = 'unread';

/**
 * Keeps the serving certificate of each component that asks for one: the ConfigMap first, so that clients trust what
 * is served next before it is served, then the Secret.
 *
 * Guarantees: what the Secret holds is written once and never asked for. A pair that was published and not stored, its
 * maker having died, is replaced. Throws Fenced and Aborted only.
 */
export async function bringCertificates(
  snapshot: Input,
  named: readonly StoredObject[],
  hand: ReconcileScope,
  site: CertificateSite,
): Promise<Applied> {
  let all: Applied = { objects: [], notes: [] };
  for (const one of casesOf(snapshot, site)) {
    const work = new CertificateWork(one, snapshot, hand, site);
    all = merge(all, await work.bring(sightOf(one, snapshot, { named, now: hand.clock.now() })));
  }
  return all;
}

/** What a pass may say of certificates without writing. */
export function observeCertificates(
  snapshot: Input,
  named: readonly StoredObject[],
  { clock, site }: { readonly clock: Pick<Clock, 'now'>; readonly site: CertificateSite },
): readonly ObjectState[] {
  return casesOf(snapshot, site).flatMap((one) => {
    const sight = sightOf(one, snapshot, { named, now: clock.now() });
    const verdict = decideCertificate(one, sight);
    if (verdict.kind === 'given') return [givenFinding(one, sight, verdict.cause)];
    if (verdict.kind === 'keep')
      return [
        ...observeSteps(trustSteps(one, snapshot, { sight, bundle: verdict.bundle })),
        secretFinding(one, sight, 'applied', ''),
      ];
    const trust = stepOf(one, ConfigMaps, sight.trust);
    return [
      sight.trust === undefined ? finding(trust, 'missing', 'does not exist') : finding(trust, 'applied', ''),
      secretFinding(one, sight, sight.secret === undefined ? 'missing' : 'drifted', verdict.cause),
    ];
  });
}

class CertificateWork {
  readonly #one: ServingCertificate;
  readonly #snapshot: Input;
  readonly #hand: ReconcileScope;
  readonly #site: CertificateSite;

  constructor(one: ServingCertificate, snapshot: Input, hand: ReconcileScope, site: CertificateSite) {
    this.#one = one;
    this.#snapshot = snapshot;
    this.#hand = hand;
    this.#site = site;
  }

  async bring(cached: StoredCertificate): Promise<Applied> {
    const verdict = decideCertificate(this.#one, cached);
    return verdict.kind === 'issue' || verdict.kind === 'renew' ? this.#afresh(cached) : this.#settle(verdict, cached);
  }

  /** Asks the server before a pair is made: a cache that lags must not cost one that was stored a moment ago. */
  async #afresh(cached: StoredCertificate): Promise<Applied> {
    const { client, pass, clock, memory } = this.#hand;
    const step = stepOf(this.#one, Secrets, cached.secret);
    const held = memory.backedOff(idOf(Secrets, step.name), UNREAD, clock.monotonic());
    if (held !== undefined) return { objects: [held], notes: [] };
    const trustName = stepOf(this.#one, ConfigMaps, undefined).name;
    let sight: StoredCertificate;
    try {
      const secret = await client.get<KubeObject>(Secrets, step.name, { signal: pass.signal, metadataOnly: true });
      const trust = await client.get<KubeObject>(ConfigMaps, trustName, { signal: pass.signal });
      sight = { ...cached, secret, trust };
    } catch (error) {
      return { objects: [await refused(step, { error, verbs: ['get'], revision: UNREAD }, this.#hand)], notes: [] };
    }
    const verdict = decideCertificate(this.#one, sight);
    return verdict.kind === 'issue' || verdict.kind === 'renew'
      ? this.#replace(verdict, sight)
      : this.#settle(verdict, sight);
  }

  /** Publishes a new pair, then stores it. Somebody who keeps changing it is answered ever more slowly. */
  async #replace(
    verdict: CertificateDecision & { kind: 'issue' | 'renew' },
    sight: StoredCertificate,
  ): Promise<Applied> {
    const { memory, pass, clock } = this.#hand;
    const secret = stepOf(this.#one, Secrets, sight.secret);
    const id = idOf(Secrets, secret.name);
    const drift = verdict.kind === 'renew' && verdict.drift;
    const repairInMs = drift ? memory.repairDelayMs(id, clock.monotonic()) : 0;
    if (repairInMs > 0)
      return { objects: [finding(secret, 'waiting', `${verdict.cause}, again and again`)], notes: [], repairInMs };
    let pair: KeyPair;
    try {
      pair = await this.#pairFor(id);
    } catch (error) {
      return { objects: [await refused(secret, { error, verbs: [], revision: UNREAD }, this.#hand)], notes: [] };
    }
    const bundle = bundleOf(pair, verdict.served);
    const published = await applySteps(trustSteps(this.#one, this.#snapshot, { sight, bundle }), this.#hand);
    if (published.objects.some((one) => one.state !== 'applied')) {
      const waits = finding(
        secret,
        'waiting',
        `waits for ${titleOf(ConfigMaps, stepOf(this.#one, ConfigMaps, undefined).name)}, which has to publish it first`,
      );
      return { ...published, objects: [...published.objects, waits] };
    }
    const desired = keyPairSecret(this.#one, pair, bundle);
    const stored = await applySteps(
      [{ ...secret, action: sight.secret === undefined ? 'create' : 'patch', cause: verdict.cause, desired }],
      this.#hand,
    );
    const all = merge(published, stored);
    if (stored.objects.some((one) => one.state !== 'applied')) return all;
    memory.unstoredKeyPairs.delete(id);
    if (drift) memory.repaired(id, clock.monotonic());
    pass.log.info(
      { object: titleOf(Secrets, secret.name), cause: verdict.cause, notAfter: new Date(pair.notAfter).toISOString() },
      'serving certificate issued',
    );
    if (verdict.kind === 'issue') return { ...all, wakeInMs: LONGEST_SLEEP_MS };
    const note = `${titleOf(Secrets, secret.name)} ${verdict.cause}; a new certificate was issued`;
    return {
      ...all,
      notes: [...published.notes, { reason: drift ? 'DriftRepaired' : 'CertificateRenewed', note }],
      wakeInMs: LONGEST_SLEEP_MS,
    };
  }

  /** The pair of a write that did not come through, as long as it is young, or a new one. */
  async #pairFor(id: string): Promise<KeyPair> {
    const { memory, clock } = this.#hand;
    const unstored = memory.unstoredKeyPairs.get(id);
    if (unstored !== undefined && unstored.notAfter - clock.now() > RENEW_BEFORE_MS) return unstored;
    const pair = await this.#site.issueKeyPair(certificateNames(this.#one), clock.now());
    memory.unstoredKeyPairs.set(id, pair);
    return pair;
  }

  /** No new pair is needed, or none may be made now. */
  async #settle(
    verdict: CertificateDecision & { kind: 'given' | 'keep' | 'wait' },
    sight: StoredCertificate,
  ): Promise<Applied> {
    const { memory, clock } = this.#hand;
    const id = idOf(Secrets, stepOf(this.#one, Secrets, undefined).name);
    memory.succeeded(id);
    memory.unstoredKeyPairs.delete(id);
    if (verdict.kind === 'wait') {
      const objects = [
        finding(stepOf(this.#one, ConfigMaps, sight.trust), 'waiting', verdict.cause),
        secretFinding(this.#one, sight, 'waiting', verdict.cause),
      ];
      return { objects, notes: [] };
    }
    if (verdict.kind === 'given') {
      const given = givenFinding(this.#one, sight, verdict.cause);
      const pruned = await applySteps(this.#unwanted(sight), this.#hand);
      return { ...pruned, objects: [...pruned.objects, given] };
    }
    const published = await applySteps(
      trustSteps(this.#one, this.#snapshot, { sight, bundle: verdict.bundle }),
      this.#hand,
    );
    const objects = [...published.objects, secretFinding(this.#one, sight, 'applied', '')];
    return { ...published, objects, wakeInMs: Math.min(Math.max(verdict.renewAt - clock.now(), 0), LONGEST_SLEEP_MS) };
  }

  /** What our ConfigMap says is wrong of a certificate that is not ours. */
  #unwanted({ trust }: StoredCertificate): readonly Step[] {
    if (trust === undefined || ownershipOf(trust, this.#one.engine) !== 'ours') return [];
    return plan({
      engine: this.#one.engine,
      desired: [],
      stored: [{ type: ConfigMaps, object: trust }],
      namespace: this.#snapshot.namespaceObject,
    });
  }
}

function casesOf(snapshot: Input, { settings }: CertificateSite): readonly ServingCertificate[] {
  const { identity: engine, namespace } = snapshot;
  return CATALOGUE.flatMap(({ name: component, servingCertificate: row }) =>
    row === undefined ? [] : [{ component, row, namespace, engine, settings }],
  );
}

function sightOf(
  { row, namespace }: ServingCertificate,
  snapshot: Input,
  seen: { named: readonly StoredObject[]; now: number },
): StoredCertificate {
  const stored = (type: ResourceType): KubeObject | undefined => {
    const id = idOf(type, { namespace, name: nameIn(row, type) });
    return seen.named.find((one) => idOf(one.type, one.object.metadata) === id)?.object;
  };
  return {
    secret: stored(Secrets),
    trust: stored(ConfigMaps),
    namespaceObject: snapshot.namespaceObject,
    now: seen.now,
  };
}

function trustSteps(
  one: ServingCertificate,
  snapshot: Input,
  { sight, bundle }: { sight: StoredCertificate; bundle: string },
): readonly Step[] {
  const stored = sight.trust === undefined ? [] : [{ type: ConfigMaps, object: sight.trust }];
  return plan({
    engine: one.engine,
    desired: [bundleConfigMap(one, bundle)],
    stored,
    namespace: snapshot.namespaceObject,
  });
}

/** A step that does nothing yet: what objects are made of. */
function stepOf({ row, namespace }: ServingCertificate, type: ResourceType, stored: KubeObject | undefined): Step {
  const name = { namespace, name: nameIn(row, type) };
  return { action: 'wait', type, name, cause: '', ...(stored === undefined ? {} : { stored }) };
}

function nameIn(row: ServingCertificateRow, type: ResourceType): string {
  return type === Secrets ? row.secret : row.trust;
}

function secretFinding(
  one: ServingCertificate,
  sight: StoredCertificate,
  state: ObjectState['state'],
  message: string,
): ObjectState {
  return finding(stepOf(one, Secrets, sight.secret), state, message);
}

function givenFinding(one: ServingCertificate, sight: StoredCertificate, cause: string): ObjectState {
  return { ...secretFinding(one, sight, 'applied', cause), given: true };
}
