import { apiVersionOf, Nodes } from '../../../../src/runtime/vocabulary/kinds.js';
import { slowly, step, scenarios, type Step } from '../../scenario.js';
import { place } from '../fleet.js';
import { byClaims } from '../placement/words.js';
import { customClaims, hubWith, machines } from './machines.js';

/** What agents report of their clusters. */

/** A cluster is read at least this often, s. */
const SAMPLE_SECONDS = 310;

/** A Node of four CPUs in a zone of its own, which is ready or not. */
const node = (name: string, status: 'True' | 'False', isSchedulable = true): Step =>
  step(
    `Node ${name} is ${status === 'True' ? '' : 'not '}ready${isSchedulable ? '' : ' and cordoned'}`,
    async (hands) => {
      const labels = { 'topology.kubernetes.io/region': 'eu', 'topology.kubernetes.io/zone': `eu-${name}` };
      const spec = { providerID: `aws:///eu-${name}/i-${name}`, ...(!isSchedulable && { unschedulable: true }) };
      await hands.put({ apiVersion: apiVersionOf(Nodes), kind: Nodes.kind, metadata: { name, labels }, spec });
      const conditions = [{ type: 'Ready', status, reason: 'Told', message: '' }];
      const resources = { capacity: { cpu: '4', memory: '16Gi' }, allocatable: { cpu: '3800m', memory: '15Gi' } };
      await hands.patch(Nodes, { name }, { status: { conditions, ...resources } }, 'status');
    },
  );

export const REPORTS = scenarios('agents', {
  nodes: {
    selects: '- a - a - -',
    ...hubWith('a'),
    given: async (hands) => {
      await machines(hands, 'a', 'a');
      await node('one', 'True').act({ hands } as never);
    },
    steps: [
      place('web', { predicates: [byClaims({ key: 'allocatable/cpu', operator: 'Gt', values: ['4'] })] }),
      slowly(SAMPLE_SECONDS, node('two', 'True')),
      slowly(SAMPLE_SECONDS, node('two', 'False')),
      slowly(SAMPLE_SECONDS, node('two', 'True')),
      slowly(SAMPLE_SECONDS, node('one', 'True', false)),
      // Others are accepted, and the condition says which are not.
      slowly(
        5,
        customClaims('a', { 'kubernetes-version': 'v9.9', 'id.k8s.io': '', 'region.open-cluster-management.io': 'us' }),
      ),
    ],
  },
});
