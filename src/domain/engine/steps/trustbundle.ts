import { TRUST_BUNDLE_ANNOTATION } from '../../../api/names.js';
import { Deployments } from '../../../runtime/vocabulary/kinds.js';
import { certificatesProblem } from '../../../runtime/vocabulary/keypair.js';
import { hash64, hex64 } from '../../hash.js';
import { desiredId, withRevision, type DesiredObject } from '../manifest/desired.js';
import { at, idOf, itemsAt, textAt, treeAt, type Manifest, type Tree } from '../manifest/manifest.js';
import type { TrustBundle } from '../spec.js';
import type { StoredObject } from './steps.js';

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
    const mount = finding?.kind === 'usable' ? { ...bundle, hash: finding.hash } : carried(desiredId(one), stored);
    return mount === undefined ? one : withRevision(one.type, one.component, withMount(one.object, mount));
  });
}

type Mount = TrustBundle & { readonly hash: string };

/** What the stored Deployment mounts. */
function carried(deployment: string, stored: readonly StoredObject[]): Mount | undefined {
  const there = stored.find(({ type, object }) => idOf(type, object.metadata) === deployment)?.object;
  const template = treeAt(there, 'spec', 'template');
  const volume = itemsAt(template, 'spec', 'volumes').find((one) => one['name'] === VOLUME);
  const [configMapName, key] = [
    textAt(volume, 'configMap', 'name'),
    textAt(itemsAt(volume, 'configMap', 'items')[0], 'key'),
  ];
  if (configMapName === '' || key === '') return undefined;
  return { configMapName, key, hash: textAt(template, 'metadata', 'annotations', TRUST_BUNDLE_ANNOTATION) };
}

function withMount(deployment: Manifest, { configMapName, key, hash }: Mount): Manifest {
  const spec = treeAt(deployment, 'spec');
  const template = treeAt(spec, 'template');
  const metadata = treeAt(template, 'metadata');
  const pod = treeAt(template, 'spec');
  // Optional: a pod that starts while the ConfigMap is away runs without it.
  const configMap = { name: configMapName, items: [{ key, path: FILE }], optional: true, defaultMode: 0o444 };
  const annotations = { ...treeAt(metadata, 'annotations'), [TRUST_BUNDLE_ANNOTATION]: hash };
  const initContainers = itemsAt(pod, 'initContainers').map(trusting);
  const pods = {
    ...template,
    metadata: { ...metadata, annotations },
    spec: {
      ...pod,
      volumes: [...itemsAt(pod, 'volumes'), { name: VOLUME, configMap }],
      ...(initContainers.length === 0 ? {} : { initContainers }),
      containers: itemsAt(pod, 'containers').map(trusting),
    },
  };
  return { ...deployment, spec: { ...spec, template: pods } };
}

function trusting(container: Tree): Tree {
  return {
    ...container,
    env: [...itemsAt(container, 'env'), { name: VARIABLE, value: `${FOLDER}/${FILE}` }],
    volumeMounts: [...itemsAt(container, 'volumeMounts'), { name: VOLUME, mountPath: FOLDER, readOnly: true }],
  };
}
