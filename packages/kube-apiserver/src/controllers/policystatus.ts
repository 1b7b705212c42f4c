import { optionalStructAt } from '@multicluster-engine/values/fields';
import { expressionWarnings } from '../admission/policy/typecheck.js';
import { Client, targetOf, ignoreCodes } from './client.js';
import type { ControllerOptions } from './options.js';
import { WorkQueue } from './workqueue.js';

const GROUP = 'admissionregistration.k8s.io';
const PLURAL = 'validatingadmissionpolicies';
const MANAGER = 'validatingadmissionpolicy-status';

/** Type-checks the expressions of each policy and reports the warnings in its status. */
export function startPolicyStatus(options: ControllerOptions): { end(): Promise<void> } {
  const { clock, reader, registry, verbs, onError } = options;
  const client = new Client(verbs, `${MANAGER}-controller`);
  const reconcile = async (name: string): Promise<void> => {
    const policy = reader.get(`${PLURAL}.${GROUP}`, '', name);
    if (policy === undefined) return;
    const { generation = 0 } = policy.metadata;
    const observed = optionalStructAt(policy, 'status')?.['observedGeneration'];
    if (typeof observed === 'number' && generation <= observed) return;
    const warnings = expressionWarnings(optionalStructAt(policy, 'spec') ?? {}, registry).map((warning) => ({
      ...warning,
    }));
    const typeChecking = warnings.length === 0 ? {} : { expressionWarnings: warnings };
    const target = targetOf(registry, { group: GROUP, plural: PLURAL, namespace: '', name, subresource: 'status' });
    const applied = {
      apiVersion: `${GROUP}/v1`,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name },
      status: { observedGeneration: generation, typeChecking },
    };
    await ignoreCodes([404], client.apply(target, MANAGER, applied));
  };
  const queue = new WorkQueue({ clock, workers: 1, reconcile, onError });
  const policies = reader.watch(`${PLURAL}.${GROUP}`, ({ metadata: { name = '' } }, type) => {
    if (type === 'put') queue.add(name);
  });
  return {
    end() {
      policies.end();
      return queue.end();
    },
  };
}
