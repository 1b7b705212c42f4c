import type { KubeObject } from '@multicluster-engine/values/object';
import type { Resource } from '../../resource.js';
import { CONFIG_MAP } from './core/configmap.js';
import { definitionKind, type DefinitionRules } from './customresourcedefinition.js';
import { DEPLOYMENT } from './apps/deployment.js';
import { EVENT_KINDS } from './event/kind.js';
import { resourceOf } from './kind.js';
import { LEASE } from './lease.js';
import { NAMESPACE } from './core/namespace.js';
import { NETWORK_POLICY } from './networkpolicy.js';
import { NODE } from './core/node.js';
import { POD } from './pod/kind.js';
import { POD_DISRUPTION_BUDGET } from './poddisruptionbudget.js';
import { policyKinds, type PolicyRules } from './validatingadmissionpolicy.js';
import { RBAC_KINDS } from './rbac.js';
import { REPLICA_SET } from './apps/replicaset.js';
import { reviewKinds, type Reviews } from './review.js';
import { SECRET } from './core/secret.js';
import { createServiceAllocator } from './service/allocator.js';
import { serviceKind } from './service/kind.js';
import { SERVICE_ACCOUNT } from './core/serviceaccount.js';
import { POD_TEMPLATE } from './core/podtemplate.js';

/** What the built-in kinds need of other modules. */
export interface BuiltinDependencies {
  readonly definitions: DefinitionRules;
  readonly policies: PolicyRules;
  readonly reviews: Reviews;
  /** All stored Services, for the allocation of addresses and ports; none by default. */
  readonly services?: () => readonly KubeObject[];
}

/** The resources of all built-in kinds, in the order of discovery: groups as kube-apiserver lists them, then by plural. */
export function builtinResources(parts: BuiltinDependencies): readonly Resource[] {
  const [coreEvent, newEvent] = EVENT_KINDS;
  return [
    CONFIG_MAP,
    ...(coreEvent === undefined ? [] : [coreEvent]),
    NAMESPACE,
    NODE,
    POD,
    POD_TEMPLATE,
    SECRET,
    SERVICE_ACCOUNT,
    serviceKind(createServiceAllocator(parts.services ?? (() => []))),
    DEPLOYMENT,
    REPLICA_SET,
    ...(newEvent === undefined ? [] : [newEvent]),
    ...reviewKinds(parts.reviews),
    NETWORK_POLICY,
    POD_DISRUPTION_BUDGET,
    ...RBAC_KINDS,
    ...policyKinds(parts.policies),
    definitionKind(parts.definitions),
    LEASE,
  ].map(resourceOf);
}
