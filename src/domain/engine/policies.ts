import type { KubeObject, RawObject } from '../../runtime/vocabulary/meta.js';
import { asRecord, field, textField } from '../../runtime/vocabulary/json.js';
import { nameList } from '../conditions.js';
import { isList } from '../selectors.js';

/** An admission policy of the product: the same name has its binding. */
export interface OwnPolicy {
  readonly name: string;
  /** What its binding does with a request that it rejects. */
  readonly action: 'Deny' | 'Warn';
  /** The manifest of it and its binding. */
  readonly file: string;
}

/** The own policies that are not in force. */
export interface MissingPolicies {
  readonly limiting: readonly OwnPolicy[];
  readonly protecting: readonly OwnPolicy[];
}

const FOLDER = 'deploy/base/policies/';
const TARGET = 'multicluster-engine-target';

/** The policies that limit an identity to what it is for. An operator with a fixed namespace has none of the target namespace. */
export const LIMITING_POLICIES: readonly OwnPolicy[] = [
  'adoption',
  'agents',
  'argo-cd',
  'bindings',
  'engines',
  'health',
  'local-cluster',
  'namespaces',
  'objects',
  'set-binding',
  'target',
].map((name) => ({ name: `multicluster-engine-${name}`, action: 'Deny', file: `${FOLDER}${name}.yaml` }));

/** The policies that refuse or warn of what takes a fleet's data or decisions away. A hub works without them. */
export const PROTECTING_POLICIES: readonly OwnPolicy[] = [
  { name: 'multicluster-engine-definitions', action: 'Deny', file: 'deploy/definitions/policies/definitions.yaml' },
  { name: 'multicluster-engine-operator', action: 'Deny', file: 'deploy/definitions/policies/operator.yaml' },
  { name: 'multicluster-engine-in-use', action: 'Deny', file: `${FOLDER}in-use.yaml` },
  ...['', 'fleet-', 'agent-', 'namespace-', 'engine-'].map((what): OwnPolicy => ({
    name: `multicluster-engine-${what}warnings`,
    action: 'Warn',
    file: `${FOLDER}warnings.yaml`,
  })),
];

/** `hasTarget`: the operator chooses the target namespace, so that the policy which limits it to that is needed. */
export function limitingPolicies(hasTarget: boolean): readonly OwnPolicy[] {
  return hasTarget ? LIMITING_POLICIES : LIMITING_POLICIES.filter(({ name }) => name !== TARGET);
}

/** A policy is in force that exists and has a binding with its action, for all that the policy matches. */
export function missingPolicies(
  { policies, bindings }: { readonly policies: readonly KubeObject[]; readonly bindings: readonly RawObject[] },
  hasTarget: boolean,
): MissingPolicies {
  const present = new Set(policies.map(({ metadata }) => metadata.name));
  const isMissing = ({ name, action }: OwnPolicy): boolean =>
    !present.has(name) ||
    !bindings.some(
      (one) => textField(one.spec, 'policyName') === name && hasAction(one, action) && !isNarrowed(one.spec),
    );
  return {
    limiting: limitingPolicies(hasTarget).filter(isMissing),
    protecting: PROTECTING_POLICIES.filter(isMissing),
  };
}

/** What is wrong while these policies, which limit an identity, are not in force. */
export function limitingText(missing: readonly OwnPolicy[]): string {
  return `admission policies that are not in force: ${namesOf(missing)}: without them the roles allow more than intended`;
}

/** What is wrong while these policies, which protect from mistakes, are not in force. */
export function protectingText(missing: readonly OwnPolicy[]): string {
  return `policies against accidental deletions that are not in force: ${namesOf(missing)}`;
}

/** The command that brings the policies back, in a checkout of the source; a folder of which all are missing is named once. */
export function policiesCommand(missing: readonly OwnPolicy[]): string {
  const isWhole = LIMITING_POLICIES.every((one) => missing.includes(one));
  const names = missing.map(({ file }) => (isWhole && file.startsWith(FOLDER) ? FOLDER : file));
  return `kubectl apply --server-side ${[...new Set(names)].map((one) => `-f ${one}`).join(' ')}`;
}

function namesOf(policies: readonly OwnPolicy[]): string {
  return nameList(policies.map(({ name }) => name));
}

function hasAction({ spec }: RawObject, action: string): boolean {
  const actions = field(spec, 'validationActions');
  return isList(actions) && actions.includes(action);
}

/** An own binding selects no requests: one that does exempts the others. The API server completes empty selectors. */
function isNarrowed(spec: unknown): boolean {
  const { matchPolicy: _, ...selectors } = asRecord(field(spec, 'matchResources'));
  return Object.values(selectors).some((one) => Object.keys(one ?? {}).length > 0);
}
