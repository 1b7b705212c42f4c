import { Gauge, Histogram, type Registry } from 'prom-client';
import type { EngineInfo, EngineMetrics, PlacementInfo, PlacementMetrics } from '../runtime/metrics.js';

const LATENCY_BUCKETS = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Metrics of engines. */
export function engineMetrics(registry: Registry): EngineMetrics {
  const known = new Map<string, EngineInfo>();
  new Gauge({
    name: 'multicluster_engine_info',
    help: 'The engines of this hub, always 1',
    labelNames: ['name', 'version', 'phase', 'target_namespace'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { name, version, phase, targetNamespace } of known.values()) {
        this.set({ name, version, phase, target_namespace: targetNamespace }, 1);
      }
    },
  });
  return { engine: (info) => void known.set(info.name, info), engineGone: (name) => void known.delete(name) };
}

/** Metrics of placements and their decisions. */
export function placementMetrics(registry: Registry): PlacementMetrics {
  const known = new Map<string, PlacementInfo>();
  const registers = [registry];
  new Gauge({
    name: 'multicluster_placement_info',
    help: 'The placements of this hub, always 1',
    labelNames: ['namespace', 'name', 'phase'],
    registers,
    collect() {
      this.reset();
      for (const { namespace, name, phase } of known.values()) this.set({ namespace, name, phase }, 1);
    },
  });
  new Gauge({
    name: 'multicluster_placement_selected_clusters',
    help: 'Clusters in the decision of a placement',
    labelNames: ['namespace', 'name'],
    registers,
    collect() {
      this.reset();
      for (const { namespace, name, clusters } of known.values()) this.set({ namespace, name }, clusters);
    },
  });
  const latency = new Histogram({
    name: 'multicluster_decision_latency_seconds',
    help: 'Time from an observed change to the publication of the decision that follows from it',
    registers,
    buckets: LATENCY_BUCKETS,
  });
  return {
    placement: (info) => void known.set(`${info.namespace}/${info.name}`, info),
    placementGone: (namespace, name) => void known.delete(`${namespace}/${name}`),
    decided: (seconds) => latency.observe(seconds),
  };
}
