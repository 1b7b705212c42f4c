import type { RawObject } from '../../src/runtime/vocabulary/meta.js';
import { PLACEMENT_LABEL } from '../../src/api/names.js';
import type { World } from '../../src/answers/world/world.js';
import { predicate, rawDecision, rawPlacement, rawSet } from '../../test/support/builders/world.js';
import { consoleWorld } from '../../test/support/rigs/console/worlds.js';

/** The fleets of the bench. */

export interface BenchSize {
  readonly clusters: number;
  readonly placements: number;
}

const TEAMS = 50;
const SELECTED = 4;
const REGIONS = ['eu-west', 'us-east', 'ap-south', 'eu-north'];

/** The world of the pictures, with so many clusters and Placements: each selects four clusters of one region. */
export function benchWorld({ clusters, placements }: BenchSize): World {
  const world = consoleWorld(clusters);
  const { objects } = world;
  const more = Array.from({ length: Math.max(placements - objects.placements.length, 0) }, (_, index) => index);
  const bindings = Array.from({ length: TEAMS }, (_, team) =>
    objects.managedclustersetbindings.map((one) => inTeam(one, team)),
  );
  return {
    ...world,
    objects: {
      ...objects,
      managedclustersets: [...objects.managedclustersets, rawSet('bench')],
      managedclustersetbindings: [...objects.managedclustersetbindings, ...bindings.flat()],
      placements: [...objects.placements, ...more.map((index) => placementOf(index))],
      placementdecisions: [...objects.placementdecisions, ...more.map((index) => decisionOf(index, clusters))],
    },
  };
}

function inTeam(object: RawObject, team: number): RawObject {
  return {
    ...object,
    metadata: { ...object.metadata, namespace: `team-${team}`, uid: `${object.metadata.name}-${team}` },
  };
}

function placementOf(index: number): RawObject {
  const region = REGIONS[index % REGIONS.length] ?? '';
  const raw = rawPlacement(
    { numberOfClusters: SELECTED, predicates: [predicate({ tier: 'gold', region })] },
    nameOf(index),
  );
  const condition = {
    type: 'PlacementSatisfied',
    status: 'True',
    reason: 'Satisfied',
    message: 'all 4 wanted clusters are selected',
    lastTransitionTime: '2026-11-20T08:00:00Z',
  };
  const status = { phase: 'Satisfied', numberOfSelectedClusters: SELECTED, conditions: [condition] };
  const placement = { apiVersion: 'cluster.fleetmgmt.io/v1alpha1', kind: 'Placement', ...raw, status };
  return { ...inTeam(placement, index % TEAMS), metadata: metadataOf(raw, index) };
}

function decisionOf(index: number, clusters: number): RawObject {
  const names = Array.from(
    { length: SELECTED },
    (_, place) => `cluster-${((index * SELECTED + place) % clusters) + 1}`,
  );
  const raw = rawDecision(1, names);
  const owner = raw.metadata.ownerReferences?.map((one) => ({
    ...one,
    name: nameOf(index),
    uid: `placement-${index}`,
  }));
  const metadata = {
    ...metadataOf(raw, index),
    name: `${nameOf(index)}-decision-1`,
    labels: { [PLACEMENT_LABEL]: nameOf(index) },
    ...(owner === undefined ? {} : { ownerReferences: owner }),
  };
  return { ...raw, metadata };
}

function nameOf(index: number): string {
  return `bench-${index}`;
}

function metadataOf({ metadata }: RawObject, index: number): RawObject['metadata'] {
  return { ...metadata, namespace: `team-${index % TEAMS}`, uid: `placement-${index}`, resourceVersion: '1' };
}

/** The cluster with the label that the queries of the bench count. */
export function labelled(cluster: RawObject, version: number): RawObject {
  const labels = { ...cluster.metadata.labels, bench: 'yes' };
  return { ...cluster, metadata: { ...cluster.metadata, labels, resourceVersion: `bench-${version}` } };
}
