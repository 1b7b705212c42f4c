import { byText } from '../../../runtime/vocabulary/names.js';
import type { V1ConfigMap } from '@kubernetes/client-node';
import { characters } from '../../../runtime/vocabulary/json.js';
import type { BuiltIn } from '../../../runtime/vocabulary/meta.js';
import type { ClusterClaim } from '../../../api/generated/managedcluster.js';
import { FLEET_GROUP } from '../../../api/resources.js';
import { isFactName } from '../../clusters/facts.js';
import type { NodeFacts } from './nodes.js';

/** ConfigMaps with this label, in the agent's namespace, hold claims that people write. */
export const CLAIMS_LABEL = `${FLEET_GROUP}/claims`;

/** What the claims are read from. */
export interface ClaimSources {
  /** The uid of the namespace kube-system. */
  readonly clusterId: string;
  /** `gitVersion` of /version: `v1.36.3`, `v1.31.2+k3s1`. */
  readonly version: string;
  readonly nodes: readonly NodeFacts[];
  readonly configMaps: readonly ClaimConfigMap[];
}

export type ClaimConfigMap = BuiltIn<V1ConfigMap>;

/** The claims of a cluster, sorted by name. */
export interface Claims {
  readonly claims: readonly ClusterClaim[];
  /** Custom claims that are not published, each with the reason. */
  readonly rejected: readonly string[];
}

export const ID_CLAIM = 'id.k8s.io';
const OWN_SUFFIX = `.${FLEET_GROUP}`;
const MAX_CUSTOM_CLAIMS = 64;
/** The limit of the API for a value. */
const MAX_VALUE_LENGTH = 1024;

/** What the version of a distribution contains, and its name. */
const PRODUCTS: readonly (readonly [RegExp, string])[] = [
  [/-eks-/, 'EKS'],
  [/-gke\./, 'GKE'],
  [/-aliyun\./, 'ACK'],
  [/\+IKS$/, 'IKS'],
  [/\+k3s/, 'K3s'],
  [/\+rke2/, 'RKE2'],
  [/\+k0s/, 'k0s'],
  [/\+vmware/, 'TKG'],
];

/** The scheme of a providerID, and the name of the platform; other schemes are published as they are. */
const PLATFORMS: Readonly<Record<string, string>> = {
  aws: 'AWS',
  azure: 'Azure',
  gce: 'GCP',
  ibm: 'IBM',
  openstack: 'OpenStack',
  vsphere: 'VSphere',
};

/**
 * The claims of a cluster. One without a value is absent: no Node has a providerID, or the version is that of no known
 * product. Several values (zones) are sorted and joined by commas.
 */
export function claimsOf({ clusterId, version, nodes, configMaps }: ClaimSources): Claims {
  const own: Readonly<Record<string, string>> = {
    [ID_CLAIM]: clusterId,
    [`kubeversion${OWN_SUFFIX}`]: version,
    [`product${OWN_SUFFIX}`]: PRODUCTS.find(([pattern]) => pattern.test(version))?.[1] ?? '',
    [`platform${OWN_SUFFIX}`]: joined(nodes.map(platformOf)),
    [`region${OWN_SUFFIX}`]: joined(nodes.map((node) => node.region)),
    [`zones${OWN_SUFFIX}`]: joined(nodes.map((node) => node.zone)),
  };
  const { accepted, rejected } = customClaims(configMaps);
  const claims = [...Object.entries(own), ...accepted]
    .filter(([, value]) => value !== '')
    .map(([name, value]) => ({ name, value }));
  return { claims: claims.sort((a, b) => byText(a.name, b.name)), rejected };
}

/** Whether a claim of this name is one that is found out, and not a custom one. */
export function isOwnClaim(name: string): boolean {
  return name === ID_CLAIM || name.endsWith(OWN_SUFFIX);
}

function platformOf({ providerId }: NodeFacts): string {
  const scheme = /^([A-Za-z0-9+.-]+):\/\//.exec(providerId)?.[1] ?? '';
  return Object.hasOwn(PLATFORMS, scheme) ? (PLATFORMS[scheme] ?? '') : scheme;
}

/** The distinct values that are not empty, sorted and joined; those that do not fit into a claim are left out. */
function joined(values: readonly string[]): string {
  let text = '';
  for (const value of [...new Set(values)].filter((one) => one !== '').sort()) {
    const longer = text === '' ? value : `${text},${value}`;
    if (characters(longer) <= MAX_VALUE_LENGTH) text = longer;
  }
  return text;
}

interface CustomClaims {
  readonly accepted: readonly (readonly [name: string, value: string])[];
  readonly rejected: readonly string[];
}

/** The entries of the ConfigMaps in the order of their names; of several claims with one name the first counts. */
function customClaims(configMaps: readonly ClaimConfigMap[]): CustomClaims {
  const accepted = new Map<string, string>();
  const rejected: string[] = [];
  const sorted = [...configMaps].sort((a, b) => byText(a.metadata.name, b.metadata.name));
  for (const { metadata, data = {} } of sorted) {
    for (const [name, value] of Object.entries(data).sort(([a], [b]) => byText(a, b))) {
      const reason = accepted.has(name)
        ? 'an earlier ConfigMap has a claim of this name'
        : rejection(name, value, accepted.size);
      if (reason === undefined) accepted.set(name, value);
      else rejected.push(`ConfigMap ${metadata.name}: claim ${name}: ${reason}`);
    }
  }
  return { accepted: [...accepted], rejected };
}

/** Why a claim is not published, after `before` accepted ones; undefined: it is. */
function rejection(name: string, value: string, before: number): string | undefined {
  if (isOwnClaim(name)) return 'this name is reserved for what the agent finds out itself';
  if (isFactName(name)) return 'this name stands for what the status of the cluster says';
  if (value === '') return 'its value is empty';
  if (characters(value) > MAX_VALUE_LENGTH) return `its value is longer than ${MAX_VALUE_LENGTH} characters`;
  return before >= MAX_CUSTOM_CLAIMS ? `there are ${MAX_CUSTOM_CLAIMS} claims before it` : undefined;
}
