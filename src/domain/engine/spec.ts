import type { MultiClusterEngineSpec, Toleration, ComponentSpec } from '../../api/generated/multiclusterengine.js';
import { DEFAULT_LOCAL_CLUSTER, DEFAULT_TARGET_NAMESPACE } from '../../api/names.js';
import { CATALOGUE, certificateObjectsOf, type ComponentRow, type NamedObject } from './catalogue.js';

/** Whether an existing object of a desired name is taken over: never, or where nobody owns it. */
export type Adoption = NonNullable<MultiClusterEngineSpec['adoption']>;

/** A spec with its defaults. Defaults are never written into a user's spec. */
export interface EffectiveSpec {
  readonly targetNamespace: string;
  readonly adoption: Adoption;
  /** Undefined: as the operator's flags say. */
  readonly availability: MultiClusterEngineSpec['availability'] | undefined;
  readonly components: ComponentSpecs;
  /** Takes the place of the registry of each image; undefined: as the image has it. */
  readonly imageRegistry: string | undefined;
  readonly imagePullPolicy: NonNullable<MultiClusterEngineSpec['imagePullPolicy']> | undefined;
  /** Name of a Secret in the target namespace; undefined for none. */
  readonly imagePullSecret: string | undefined;
  /** The name of the ManagedCluster that stands for the hub; undefined: there is to be none. */
  readonly localCluster: string | undefined;
  readonly networkPolicies: NetworkPolicySettings;
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** The tolerations of pods, without empty fields, and with `tolerationSeconds` only where Kubernetes accepts it. */
  readonly tolerations: readonly Toleration[];
  readonly trustBundle: TrustBundle | undefined;
}

/** A key of a ConfigMap in the target namespace, which holds certificates of authorities in PEM. */
export interface TrustBundle {
  readonly configMapName: string;
  readonly key: string;
}

/** What `spec.networkPolicies` says, with its defaults. */
export interface NetworkPolicySettings {
  readonly enabled: boolean;
  /** The ports at which the components reach the API server, in ascending order; undefined: {@link API_SERVER_PORTS}. */
  readonly apiServerPorts: readonly number[] | undefined;
}

/** The ports that the policies allow where a spec names none, as the templates have them. */
export const API_SERVER_PORTS: readonly number[] = Object.freeze([443, 6443]);
export const MOST_API_SERVER_PORTS = 8;

/** What it means for a hub that the policies are off, for people. */
export const POLICIES_OFF = 'whatever reaches their pods may connect to the components, and they to any address';

const DEFAULT_TRUST_KEY = 'ca.crt';

/** The spec with defaults. `spec`: one for which {@link validateSpec} returns no errors. */
export function effectiveSpec(spec: MultiClusterEngineSpec | undefined): EffectiveSpec {
  return {
    targetNamespace: targetNamespaceOf(spec),
    adoption: spec?.adoption ?? 'Refuse',
    availability: spec?.availability ?? undefined,
    components: Object.fromEntries((spec?.components ?? []).map((one) => [one.name, one])),
    imageRegistry: blank(spec?.imageRegistry) ? undefined : spec?.imageRegistry,
    imagePullPolicy: spec?.imagePullPolicy ?? undefined,
    imagePullSecret: blank(spec?.imagePullSecret) ? undefined : spec?.imagePullSecret,
    localCluster: localClusterOf(spec?.localCluster),
    networkPolicies: networkPolicySettings(spec?.networkPolicies),
    nodeSelector: spec?.nodeSelector ?? {},
    tolerations: (spec?.tolerations ?? []).map(podToleration),
    trustBundle: trustBundleOf(spec?.trustBundle),
  };
}

function localClusterOf(given: MultiClusterEngineSpec['localCluster']): string | undefined {
  if (given?.enabled !== true) return undefined;
  return blank(given.name) ? DEFAULT_LOCAL_CLUSTER : given.name;
}

function trustBundleOf(given: MultiClusterEngineSpec['trustBundle']): TrustBundle | undefined {
  if (given === undefined || given === null) return undefined;
  return { configMapName: given.configMapName, key: blank(given.key) ? DEFAULT_TRUST_KEY : given.key };
}

/** `given`: that of a valid spec. */
function networkPolicySettings(given: MultiClusterEngineSpec['networkPolicies']): NetworkPolicySettings {
  const ports = given?.apiServerPorts ?? undefined;
  return { enabled: given?.enabled ?? true, apiServerPorts: ports && [...ports].sort((a, b) => a - b) };
}

/** The effective target namespace of any stored spec, also of an invalid one. */
export function targetNamespaceOf(spec: MultiClusterEngineSpec | undefined): string {
  const set: unknown = spec?.targetNamespace;
  return typeof set === 'string' && set !== '' ? set : DEFAULT_TARGET_NAMESPACE;
}

/**
 * Kubernetes refuses `tolerationSeconds` with every effect other than NoExecute, the empty one included. The API of the
 * engine says that it is ignored there, so it is dropped.
 */
function podToleration(wanted: Toleration): Toleration {
  const seconds = wanted.effect === 'NoExecute' ? wanted.tolerationSeconds : undefined;
  return {
    ...(blank(wanted.key) ? {} : { key: wanted.key }),
    operator: wanted.operator ?? 'Equal',
    ...(blank(wanted.value) ? {} : { value: wanted.value }),
    ...(blank(wanted.effect) ? {} : { effect: wanted.effect }),
    ...(seconds === undefined || seconds === null ? {} : { tolerationSeconds: seconds }),
  };
}

function blank(value: unknown): value is '' | null | undefined {
  return value === undefined || value === null || value === '';
}

/** What `spec.components` says of each component that it names, and what the operator's flag `--without` has made of it. */
type ComponentSpecs = Readonly<Record<string, ComponentSpec & { readonly isRefused?: true }>>;

/** Whether the component runs: as `spec.components` says, else as its row in the catalogue. */
function isOn(row: ComponentRow, specs: ComponentSpecs): boolean {
  return specs[row.name]?.enabled ?? row.optional !== true;
}

/** The components that run. */
export function componentsOn(specs: ComponentSpecs): readonly ComponentRow[] {
  return CATALOGUE.filter((row) => isOn(row, specs));
}

/** A component that does not run: who turns it off, and what it means, for people. */
export interface ComponentOff {
  readonly name: string;
  readonly cause: string;
  readonly meaning: string;
}

/** The components that `spec.components` names and that do not run. One that is off by default and not named is no news. */
export function componentsOff(specs: ComponentSpecs): readonly ComponentOff[] {
  return CATALOGUE.filter((row) => specs[row.name] !== undefined && !isOn(row, specs)).map(({ name, whileOff }) => {
    const cause = `the operator's flag --without=${name} turns it off`;
    const isRefused = specs[name]?.isRefused === true;
    return isRefused
      ? { name, cause, meaning: cause }
      : { name, cause: 'spec.components turns it off', meaning: whileOff };
  });
}

/** The components that run only where they are turned on. */
export const OPTIONAL_COMPONENTS: readonly string[] = CATALOGUE.filter((row) => row.optional === true).map(
  ({ name }) => name,
);

/** The same, without the components that this operator does not run, whatever a spec says. */
export function withoutComponents(specs: ComponentSpecs, without: readonly string[]): ComponentSpecs {
  const refused = Object.entries(specs).filter(([name, { enabled }]) => enabled === true && without.includes(name));
  const off = refused.map(([name, spec]) => [name, { ...spec, enabled: false, isRefused: true as const }]);
  return { ...specs, ...Object.fromEntries(off) };
}

/**
 * The objects of serving certificates that an engine may have, by name: of the components that run, and those that the
 * status has a row of, which are removed when their component is turned off. No other is watched.
 */
export function watchedCertificates(
  specs: ComponentSpecs,
  rows: readonly { readonly kind: string; readonly name: string }[],
): readonly NamedObject[] {
  const has = ({ type, name }: NamedObject): boolean => rows.some((row) => row.kind === type.kind && row.name === name);
  return certificateObjectsOf(CATALOGUE.filter((row) => isOn(row, specs) || certificateObjectsOf([row]).some(has)));
}
