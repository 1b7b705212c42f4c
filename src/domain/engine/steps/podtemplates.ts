import { SERVICE_ACCOUNT_UID_ANNOTATION, TRUST_BUNDLE_ANNOTATION } from '../../../api/names.js';
import { Deployments, ServiceAccounts } from '../../../runtime/vocabulary/kinds.js';
import { certificatesProblem } from '../../../runtime/vocabulary/keypair.js';
import { hash64, hex64 } from '../../hash.js';
import { desiredId, withPods, withRevision, type DesiredObject, type EngineIdentity } from '../manifest/desired.js';
import { at, idOf, isTerminating, itemsAt, textAt, titleOf, type Manifest } from '../manifest/manifest.js';
import type { TrustBundle } from '../spec.js';
import type { ObjectState } from '../status/input.js';
import { ownershipOf } from './ownership.js';
import { storedObject, type StoredObject } from './steps.js';

/** What the pod templates of Deployments carry so that something else, when it changes, starts a rollout. */

/**
 * A token is bound to the uid of its ServiceAccount: after the account was deleted and created again, the tokens of
 * running pods are refused. So the pod template of a Deployment carries the uid of its account, and a new uid starts a
 * rollout.
 *
 * `desired` with the uid of the account in the pod template of each Deployment whose account is in `desired`. An account
 * that is being deleted or foreign has no uid here. While the uid is not known, that of the stored Deployment stays; a
 * Deployment without one waits for the account. `objects`: as this pass read or applied them.
 */
export function withAccountUids(
  desired: readonly DesiredObject[],
  {
    engine,
    objects,
    stored,
  }: {
    readonly engine: EngineIdentity;
    readonly objects: readonly ObjectState[];
    readonly stored: readonly StoredObject[];
  },
): readonly DesiredObject[] {
  const accounts = new Set(desired.filter(({ type }) => type === ServiceAccounts).map(desiredId));
  const uids = new Map<string, string>();
  for (const { type, name, object } of objects) {
    if (type !== ServiceAccounts || object?.metadata.uid === undefined) continue;
    if (ownershipOf(object, engine) === 'ours' && !isTerminating(object))
      uids.set(idOf(type, name), object.metadata.uid);
  }
  return desired.map((one) => {
    const { namespace = '' } = one.object.metadata;
    const name = { namespace, name: textAt(one.object, 'spec', 'template', 'spec', 'serviceAccountName') };
    const id = idOf(ServiceAccounts, name);
    if (one.type !== Deployments || !accounts.has(id)) return one;
    const uid = uids.get(id) ?? textAt(carried(one, stored), 'metadata', 'annotations', SERVICE_ACCOUNT_UID_ANNOTATION);
    if (uid === '') return { ...one, waitsFor: titleOf(ServiceAccounts, name) };
    const annotations = { [SERVICE_ACCOUNT_UID_ANNOTATION]: uid };
    return withRevision(one.type, one.component, withPods(one.object, { annotations }));
  });
}

/** The pod template that is stored. */
function carried({ type, object }: DesiredObject, stored: readonly StoredObject[]): unknown {
  return at(storedObject(stored, type, object.metadata), 'spec', 'template');
}

/**
 * Certificates of authorities that the components trust beside those that they have anyway. A process reads them at its
 * start, so the pod template carries a hash of the content, and other content starts a rollout. While the ConfigMap cannot
 * be used, a Deployment keeps what its last rollout had.
 */

export type TrustBundleFinding =
  | { readonly kind: 'usable'; readonly hash: string }
  /** `problem`: what is wrong with the ConfigMap, for people; it begins with a verb. */
  | { readonly kind: 'unusable'; readonly problem: string };

const VOLUME = 'trust-bundle';
const FOLDER = '/etc/multicluster-engine/trust';
const FILE = 'ca.crt';
/** Node trusts the certificates of this file for every connection that names no others; the clients of the API add it to theirs. */
const VARIABLE = 'NODE_EXTRA_CA_CERTS';

/** `configMap`: as read; undefined where it does not exist. */
export function inspectTrustBundle({ key }: TrustBundle, configMap: unknown): TrustBundleFinding {
  if (configMap === undefined) return { kind: 'unusable', problem: 'does not exist' };
  const text = at(configMap, 'data', key);
  if (typeof text !== 'string') return { kind: 'unusable', problem: `has no ${key} in its data` };
  const problem = certificatesProblem(text, `its ${key}`);
  if (problem !== undefined) return { kind: 'unusable', problem: `cannot be used: ${problem}` };
  return { kind: 'usable', hash: hex64(hash64(text)) };
}

/** `desired` with the bundle in the pods of each Deployment. `finding`: undefined where the bundle was not read. */
export function withTrustBundle(
  desired: readonly DesiredObject[],
  bundle: TrustBundle | undefined,
  found: { readonly finding: TrustBundleFinding | undefined; readonly stored: readonly StoredObject[] },
): readonly DesiredObject[] {
  if (bundle === undefined) return desired;
  const { finding, stored } = found;
  return desired.map((one) => {
    if (one.type !== Deployments) return one;
    const mount = finding?.kind === 'usable' ? { ...bundle, hash: finding.hash } : mountIn(carried(one, stored));
    return mount === undefined ? one : withRevision(one.type, one.component, withMount(one.object, mount));
  });
}

type Mount = TrustBundle & { readonly hash: string };

function mountIn(template: unknown): Mount | undefined {
  const volume = itemsAt(template, 'spec', 'volumes').find((one) => one['name'] === VOLUME);
  const configMapName = textAt(volume, 'configMap', 'name');
  const key = textAt(itemsAt(volume, 'configMap', 'items')[0], 'key');
  if (configMapName === '' || key === '') return undefined;
  return { configMapName, key, hash: textAt(template, 'metadata', 'annotations', TRUST_BUNDLE_ANNOTATION) };
}

function withMount(deployment: Manifest, { configMapName, key, hash }: Mount): Manifest {
  // Optional: a pod that starts while the ConfigMap is away runs without it.
  const configMap = { name: configMapName, items: [{ key, path: FILE }], optional: true, defaultMode: 0o444 };
  return withPods(deployment, {
    annotations: { [TRUST_BUNDLE_ANNOTATION]: hash },
    pod: (pod) => ({ ...pod, volumes: [...itemsAt(pod, 'volumes'), { name: VOLUME, configMap }] }),
    container: (one) => ({
      ...one,
      env: [...itemsAt(one, 'env'), { name: VARIABLE, value: `${FOLDER}/${FILE}` }],
      volumeMounts: [...itemsAt(one, 'volumeMounts'), { name: VOLUME, mountPath: FOLDER, readOnly: true }],
    }),
  });
}
