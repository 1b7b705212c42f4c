import { ManagedClusterSetBindings, ManagedClusterSets, Placements, OcmManagedClusters } from '../../api/resources.js';
import { apiVersionOf } from '../../runtime/vocabulary/kinds.js';
import type { KubeObject, ResourceType } from '../../runtime/vocabulary/meta.js';
import { parse, quote, readObject, reject, type Problem } from '../selectors.js';
import { isDisabled, labelSelector, metadataOf, placementSpec, rejectFields, type Note } from './ocmplacement.js';

/** The objects of Open Cluster Management (OCM) by which clusters are selected, as objects of this project. */

/** What an object means here that it does not mean there, or what is left out. */
export interface Difference {
  /** The field of the object of OCM, such as `spec.prioritizerPolicy.configurations[0]`; empty for the object itself. */
  readonly field: string;
  readonly text: string;
}

export interface CarriedOver {
  /** Undefined for an object that is left out: the differences say why. */
  readonly object: (KubeObject & { readonly spec: unknown }) | undefined;
  readonly differences: readonly Difference[];
}

type Carrying =
  | { readonly ok: true; readonly value: CarriedOver }
  | { readonly ok: false; readonly problems: readonly Problem[] };

interface Carried {
  readonly versions: readonly string[];
  readonly type: ResourceType;
  readonly specOf: (spec: unknown, note: Note) => unknown;
}

const KINDS: Readonly<Record<string, Carried>> = {
  Placement: { versions: ['v1beta1'], type: Placements, specOf: placementSpec },
  ManagedClusterSet: { versions: ['v1beta2'], type: ManagedClusterSets, specOf: setSpec },
  ManagedClusterSetBinding: { versions: ['v1beta1', 'v1beta2'], type: ManagedClusterSetBindings, specOf: bindingSpec },
};
const ELSEWHERE: Readonly<Record<string, string>> = {
  ManagedCluster: 'kubectl mce cluster add lets it join here, or the adapter reads it where it is',
  AddOnPlacementScore: 'the adapter imports its scores as claims',
  PlacementDecision: 'the operator writes decisions',
};

/**
 * The object of this project that selects as the one of OCM does, and every difference. Undefined for an object of another
 * group; a problem for each field that OCM does not have, or that has no meaning here.
 */
export function carriedOver(object: KubeObject & { readonly spec?: unknown }): Carrying | undefined {
  const { apiVersion = '', kind = '' } = object;
  const [group, version = ''] = apiVersion.split('/');
  if (group !== OcmManagedClusters.group) return undefined;
  const problems: Problem[] = [];
  const result = parse((): CarriedOver => {
    const differences: Difference[] = [];
    const note: Note = (field, text, isFault) =>
      isFault ? problems.push({ field, message: text }) : differences.push({ field, text });
    const found = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
    if (found === undefined) {
      note('', `is left out: ${ELSEWHERE[kind] ?? 'it has no counterpart'}`);
      return { object: undefined, differences };
    }
    if (!found.versions.includes(version))
      reject('apiVersion', `${quote(apiVersion)} is not read: convert it to ${found.versions.join(' or ')} first`);
    const own = found.specOf(object.spec, note);
    const metadata = metadataOf(object.metadata, note);
    const spec =
      kind === 'Placement' && isDisabled(object.metadata) ? { ...readObject(own, 'spec'), paused: true } : own;
    return { object: { apiVersion: apiVersionOf(found.type), kind, metadata, spec }, differences };
  });
  if (!result.ok) problems.push(result.problem);
  return result.ok && problems.length === 0 ? result : { ok: false, problems };
}

function setSpec(spec: unknown, note: Note): unknown {
  const { clusterSelector, ...others } = readObject(spec, 'spec');
  rejectFields(others, 'spec', 'a ManagedClusterSet of OCM');
  if (clusterSelector === undefined) return {};
  const path = 'spec.clusterSelector';
  labelSelector(readObject(clusterSelector, path)['labelSelector'], `${path}.labelSelector`, note);
  return { clusterSelector };
}

function bindingSpec(spec: unknown): unknown {
  const { clusterSet, ...others } = readObject(spec, 'spec');
  rejectFields(others, 'spec', 'a ManagedClusterSetBinding of OCM');
  return { clusterSet };
}
