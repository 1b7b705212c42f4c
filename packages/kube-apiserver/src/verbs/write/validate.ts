import type { KubeObject } from '@multicluster-engine/values/object';
import type { Resource } from '../../resource.js';
import type { FieldError, ValidationResult } from '@multicluster-engine/values/schema/fielderror';
import { pathSegment, pathSegmentPart } from '@multicluster-engine/values/formats';
import {
  unqualifiedFinalizers,
  validateMeta,
  validateMetaUpdate,
} from '@multicluster-engine/values/schema/metadata/validate';
import { invalid, qualified } from '../../status.js';
import type { Target } from '../verbs.js';
import { strategyOf } from '../view.js';

/** Validates a new object, metadata first. Throws 422 with all causes; sends the kind's warnings. */
export function checkCreate(resource: Resource, object: KubeObject, warn: Warn): void {
  const own = checksOwnMetadata(resource) ? checkMeta(resource, object) : [];
  const result = resource.strategy.validateCreate(object);
  sendWarnings(resource, object, { errors: [...own, ...result.errors], warnings: result.warnings }, warn);
  refuse(resource, object, checkCommon(resource, object));
}

type Warn = (text: string) => void;

/** The warnings of custom resources are sent even with errors, those of built-in kinds are not. */
function sendWarnings(
  resource: Resource,
  object: KubeObject,
  { errors, warnings }: ValidationResult,
  warn: Warn,
): void {
  if (!resource.custom) refuse(resource, object, errors);
  for (const warning of warnings) warn(warning);
  refuse(resource, object, errors);
}

/** Validates a change: first the rules of all objects, then those of the kind, which repeat most of them. */
export function checkUpdate(target: Target, next: KubeObject, old: KubeObject, warn: Warn): void {
  const { resource } = target;
  const subresource = strategyOf(target);
  const update = validateMetaUpdate(next.metadata, old.metadata);
  const common = [...checkCommon(resource, next), ...update];
  const finalizers = QUALIFIED_FINALIZERS.includes(resource.group)
    ? unqualifiedFinalizers(next.metadata.finalizers ?? [], 'metadata.finalizers')
    : [];
  const metadata: Readonly<Record<Repeat, () => readonly FieldError[]>> = {
    update: () => [...update, ...finalizers],
    all: () => checkMeta(resource, next),
  };
  const { errors, warnings, metadata: within } = resource.strategy.validateUpdate(next, old, subresource);
  const again = (isWithin: boolean): readonly FieldError[] =>
    repeats(resource, subresource)
      .filter((what) => (what === within?.repeated) === isWithin)
      .flatMap((what) => metadata[what]());
  const at = within?.at ?? 0;
  sendWarnings(
    resource,
    next,
    { errors: [...common, ...again(false), ...errors.slice(0, at), ...again(true), ...errors.slice(at)], warnings },
    warn,
  );
}

type Repeat = 'update' | 'all';

/**
 * The metadata checks that a kind repeats in its own validation of a change, in order, as in its source. Clients see
 * them, because each error is a cause of its own. Kinds that are not listed repeat `update`.
 */
const REPEATS: Readonly<Record<string, readonly Repeat[]>> = {
  namespaces: ['all', 'update'],
  nodes: ['all', 'update'],
  configmaps: ['update', 'all'],
  secrets: ['update', 'all'],
  serviceaccounts: ['update', 'all'],
  'roles.rbac.authorization.k8s.io': ['all', 'update'],
  'clusterroles.rbac.authorization.k8s.io': ['all', 'update'],
  'rolebindings.rbac.authorization.k8s.io': ['all', 'update'],
  'clusterrolebindings.rbac.authorization.k8s.io': ['all', 'update'],
  'poddisruptionbudgets.policy': [],
  'validatingadmissionpolicies.admissionregistration.k8s.io': ['all'],
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': ['all'],
  events: [],
  'events.events.k8s.io': ['update'],
};

/** Kinds whose own validation has no metadata checks. */
const WITHOUT_OWN: readonly string[] = ['events', 'poddisruptionbudgets.policy'];

/** Kinds whose validation of the status has no metadata checks. */
const WITHOUT_STATUS: readonly string[] = ['validatingadmissionpolicies.admissionregistration.k8s.io'];

/** Groups in which a finalizer must be a standard one or `domain/name`. */
const QUALIFIED_FINALIZERS: readonly string[] = [
  '',
  'apps',
  'events.k8s.io',
  'networking.k8s.io',
  'rbac.authorization.k8s.io',
];

function repeats(resource: Resource, subresource: string | undefined): readonly Repeat[] {
  if (resource.strategy.checksMetadata === true) return [];
  const name = qualified(resource);
  if (subresource !== undefined) return WITHOUT_OWN.includes(name) || WITHOUT_STATUS.includes(name) ? [] : ['update'];
  return Object.hasOwn(REPEATS, name) ? (REPEATS[name] ?? []) : ['update'];
}

function checksOwnMetadata(resource: Resource): boolean {
  return resource.strategy.checksMetadata !== true && !WITHOUT_OWN.includes(qualified(resource));
}

function checkMeta({ namespaced, group, strategy }: Resource, { metadata }: KubeObject): FieldError[] {
  return validateMeta(metadata, {
    namespaced,
    validateName: strategy.validateName,
    qualifiedFinalizers: QUALIFIED_FINALIZERS.includes(group),
  });
}

function checkCommon({ namespaced }: Resource, { metadata }: KubeObject): FieldError[] {
  return validateMeta(metadata, { namespaced, validateName: pathSegment, validatePrefix: pathSegmentPart });
}

/** The kind as the object names it, which may differ for a custom resource; an Event belongs to the core group. */
function refuse(
  { group, custom }: Resource,
  { kind, apiVersion, metadata: { name = '' } }: KubeObject,
  errors: readonly FieldError[],
): void {
  if (errors.length === 0) return;
  const ownGroup = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
  throw invalid({ group: custom ? ownGroup : group === 'events.k8s.io' ? '' : group, kind }, name, errors);
}
