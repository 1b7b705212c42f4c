import {
  firstUsers,
  NO_USERS,
  bindingStatus,
  clusterSetStatus,
  type BindingStatusInput,
  type SetStatusInput,
} from '../../src/domain/clusters/status.js';
import { readClusterSelector } from '../../src/domain/clusters/selector.js';
import { CLUSTER_SET_LABEL } from '../../src/api/names.js';
import { conditionsToWrite } from '../../src/domain/clusters/complaints.js';
import { NOW } from '../support/builders/engine.js';
import { describeRecorded, type Case } from './recorded.js';

function setCase(sentence: string, over: Partial<SetStatusInput>): Case {
  return [
    `a ManagedClusterSet ${sentence}`,
    () =>
      clusterSetStatus(
        {
          name: 'fleet',
          generation: 3,
          selector: { kind: 'exclusive' },
          members: 0,
          leaving: 0,
          namespaces: NO_USERS,
          ...over,
        },
        undefined,
        NOW,
      ),
  ];
}

function bindingCase(sentence: string, over: Partial<BindingStatusInput>): Case {
  return [
    `a ManagedClusterSetBinding ${sentence}`,
    () =>
      bindingStatus(
        {
          name: 'fleet',
          clusterSet: 'fleet',
          generation: 1,
          deleting: false,
          set: 'exists',
          placements: NO_USERS,
          ...over,
        },
        undefined,
        NOW,
      ),
  ];
}

/** A ManagedCluster with this label, on a hub with set `fleet`. */
function clusterCase(sentence: string, set: string, conditions: readonly unknown[] = []): Case {
  const cluster = { metadata: { name: 'a', labels: { [CLUSTER_SET_LABEL]: set } }, status: { conditions } };
  return [
    `a ManagedCluster ${sentence}`,
    () => ({
      conditions: conditionsToWrite(
        cluster,
        (name) => name === 'fleet',
        () => NOW,
      ),
    }),
  ];
}

const RESERVED = ['nodes/ready', 'cluster-name', 'platform', 'capacity/'];
const unreadable = (clusterSelector: unknown): Partial<SetStatusInput> => ({
  selector: readClusterSelector({ clusterSelector }),
});

describeRecorded('clusters', [
  setCase('with clusters', { members: 2 }),
  setCase('with clusters that its label selector matches', {
    members: 2,
    selector: { kind: 'labels', requirements: [] },
  }),
  setCase('that Placements may select from', { members: 2, namespaces: firstUsers(['team', 'shop']) }),
  setCase('that Placements of many namespaces may select from', { members: 2, namespaces: firstUsers('gfedcba') }),
  setCase('whose label nobody carries', {}),
  setCase('whose clusters are all being deleted', { leaving: 2 }),
  setCase('whose label selector nobody matches', { selector: { kind: 'labels', requirements: [] } }),
  setCase('without a label selector', { selector: { kind: 'none' } }),
  setCase('of an unknown selector type', unreadable({ selectorType: 'Sorting' })),
  setCase('of the exclusive type with a label selector', unreadable({ labelSelector: {} })),
  setCase('whose selector is a number', unreadable(7)),
  setCase(
    'whose label selector has an unknown operator',
    unreadable({
      selectorType: 'LabelSelector',
      labelSelector: { matchExpressions: [{ key: 'a', operator: 'Near' }] },
    }),
  ),
  clusterCase('whose label names no set', 'flete'),
  clusterCase('whose label names another set that does not exist', 'elsewhere', [
    {
      type: 'ClusterSetMissing',
      status: 'True',
      reason: 'NoSuchClusterSet',
      message: 'label cluster.fleetmgmt.io/clusterset=flete: there is no ManagedClusterSet flete',
      lastTransitionTime: '2025-12-31T00:00:00Z',
      lastUpdateTime: '2025-12-31T00:00:00Z',
    },
  ]),
  [
    'a ManagedCluster that publishes claims whose names are reserved',
    () => ({
      conditions: conditionsToWrite(
        { metadata: { name: 'a' }, status: { clusterClaims: RESERVED.map((name) => ({ name, value: '1' })) } },
        () => true,
        () => NOW,
      ),
    }),
  ],
  bindingCase('of a set that exists', {}),
  bindingCase('that a Placement may select by', { placements: firstUsers(['web']) }),
  bindingCase('that many Placements may select by', { placements: firstUsers('gfedcba') }),
  bindingCase('of a set that does not exist', { set: 'missing' }),
  bindingCase('of a set that is being deleted', { set: 'deleting' }),
  bindingCase('that is being deleted', { deleting: true }),
  bindingCase('that is being deleted, of a set that does not exist', { deleting: true, set: 'missing' }),
  bindingCase('of another name than its set', { name: 'other' }),
]);
