import type { Registry } from 'prom-client';
import type { EngineInfo, EngineMetrics, PlacementInfo, PlacementMetrics } from '../runtime/metrics.js';
import { Collectors } from './collectors.js';

const HELP = {
  multicluster_engine_info:
    'The engines of this hub, always 1; kept after a lost lease: only the values of the holder are current',
  multicluster_placement_info:
    'The placements of this hub, always 1; kept after a lost lease: only the values of the holder are current',
  multicluster_placement_selected_clusters:
    'Clusters in the decision of a placement; only the values of the holder of the lease are current',
  multicluster_placement_held_clusters:
    'Clusters that fail a rule and that spec.disruptionBudget keeps; only the values of the holder of the lease are current',
  multicluster_decision_latency_seconds:
    'Time from an observed change to the publication of the decision that follows from it',
};
const LATENCY_BUCKETS = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Metrics of engines. */
export function engineMetrics(registry: Registry): EngineMetrics {
  const known = new Map<string, EngineInfo>();
  const labels = ['name', 'version', 'phase', 'target_namespace'] as const;
  new Collectors(registry, HELP).collectedGauge('multicluster_engine_info', labels, (gauge) => {
    for (const { name, version, phase, targetNamespace } of known.values())
      gauge.set({ name, version, phase, target_namespace: targetNamespace }, 1);
  });
  return { engine: (info) => void known.set(info.name, info), engineGone: (name) => void known.delete(name) };
}

/** Metrics of placements and their decisions. */
export function placementMetrics(registry: Registry): PlacementMetrics {
  const known = new Map<string, PlacementInfo>();
  const collectors = new Collectors(registry, HELP);
  collectors.collectedGauge('multicluster_placement_info', ['namespace', 'name', 'phase'], (gauge) => {
    for (const { namespace, name, phase } of known.values()) gauge.set({ namespace, name, phase }, 1);
  });
  collectors.collectedGauge('multicluster_placement_selected_clusters', ['namespace', 'name'], (gauge) => {
    for (const { namespace, name, clusters } of known.values()) gauge.set({ namespace, name }, clusters);
  });
  collectors.collectedGauge('multicluster_placement_held_clusters', ['namespace', 'name'], (gauge) => {
    for (const { namespace, name, held } of known.values()) gauge.set({ namespace, name }, held);
  });
  const latency = collectors.histogram('multicluster_decision_latency_seconds', [], LATENCY_BUCKETS);
  return {
    placement: (info) => void known.set(`${info.namespace}/${info.name}`, info),
    placementGone: (namespace, name) => void known.delete(`${namespace}/${name}`),
    decided: (seconds) => latency.observe(seconds),
  };
}
