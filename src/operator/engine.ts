import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ENGINE_LEASE } from '../api/names.js';
import { ENGINE_GROUP, MultiClusterEngines } from '../api/resources.js';
import type { ManagerConfig } from './flags.js';
import { packageRoot } from '../runtime/process/build.js';
import { createEngineController } from './controllers/engine/controller.js';
import { engineRights } from './controllers/engine/rights.js';
import type { HubApi, IssueKeyPair } from './controllers/engine/scope.js';
import { nodeFacts, type NodeFacts } from '../domain/agent/report/nodes.js';
import { CATALOGUE, targetTypes, type Templates } from '../domain/engine/catalogue.js';
import type { EngineSettings } from '../domain/engine/manifest/desired.js';
import { specErrorsBy } from '../domain/engine/validation.js';
import { pagesOf } from '../runtime/client/list.js';
import type { Transport } from '../runtime/transport/transport.js';
import { Nodes } from '../runtime/vocabulary/kinds.js';
import type { KubeObject, ResourceType } from '../runtime/vocabulary/meta.js';
import { probeReadiness } from '../runtime/client/readyz.js';
import { serverVersion } from '../runtime/client/serverversion.js';
import { parseManifests, readManifests } from '../runtime/manifests.js';
import { issueServingCertificate } from '../runtime/tls/serving.js';
import { createLeaderClients, leaderGroup, type Group } from '../runtime/manager/manager.js';
import type { ControllerManager } from './manager.js';

const issueServingPair: IssueKeyPair = (names, now) => issueServingCertificate({ names, now });

/** The controller of MultiClusterEngines, with the caches, the client and the lease that it runs with. */
export function engineGroup(manager: ControllerManager, issueKeyPair: IssueKeyPair = issueServingPair): Group {
  const { config, clock, random, log, metrics, tracer, openCache, transport } = manager;
  const templates = readTemplates();
  const settings = settingsOf(config);
  const rights = engineRights(targetTypes(templates), settings.onlyNamespace);
  const leader = createLeaderClients(manager, { lease: ENGINE_LEASE, controller: `${ENGINE_GROUP}/engine`, rights });
  const { controller, sources, onStartedLeading } = createEngineController({
    client: leader.client,
    openCache,
    templates,
    specErrors: specErrorsBy(definitionOf(MultiClusterEngines)),
    settings,
    hub: hubApi(transport),
    issueKeyPair,
    recorder: leader.recorder,
    clock,
    random,
    log,
    metrics: metrics.controller('multiclusterengine'),
    tracer,
    engineMetrics: metrics.engines,
    workers: config.workers,
    settleWindowMs: config.settleWindowMs,
  });
  return leaderGroup(manager, leader, {
    name: 'engine',
    sources,
    controllers: [controller],
    onStartedLeading,
  });
}

/** Keeps a few fields of each Node only: a page of 500 is a few megabytes. */
export function hubApi(transport: Transport): HubApi {
  return {
    version: (signal) => serverVersion(transport, signal),
    probe: (signal) => probeReadiness(transport, signal),
    nodes: async (signal) => {
      const nodes: NodeFacts[] = [];
      for await (const page of pagesOf(transport, { type: Nodes }, { signal }))
        nodes.push(...page.items.map(nodeFacts));
      return nodes;
    },
  };
}

/** The flags that shape what the controller installs. The operator runs in the namespace of its Leases. */
function settingsOf(config: ManagerConfig): EngineSettings {
  const { version, componentImage, componentReplicas, leaderElectionNamespace, namespace, without } = config;
  return {
    version,
    image: componentImage,
    replicas: componentReplicas,
    omitUserIds: config.omitUserIds,
    operatorNamespace: leaderElectionNamespace,
    without,
    componentEnvironment: {
      ...(config.metricsSecure && { MULTICLUSTER_ENGINE_METRICS_SECURE: 'true' }),
      ...(config.sigDecisions && { MULTICLUSTER_ENGINE_SIG_DECISIONS: 'true' }),
      ...(config.multikueue && { MULTICLUSTER_ENGINE_MULTIKUEUE: 'true' }),
      ...(config.publishProfiles !== undefined && { MULTICLUSTER_ENGINE_PUBLISH_PROFILES: config.publishProfiles }),
      ...config.tracing?.shared,
    },
    ...(namespace === undefined ? {} : { onlyNamespace: namespace }),
  };
}

/** The definition of a kind, from the package. */
function definitionOf({ kind }: ResourceType): KubeObject {
  const file = path.join(packageRoot(), 'crds', `${kind.toLowerCase()}.yaml`);
  const [definition] = parseManifests(readFileSync(file, 'utf8'), file);
  if (definition === undefined) throw new Error(`${file}: has no object`);
  return definition;
}

/** Reads the manifests of all components from the package. A fault in them ends the process at its start. */
function readTemplates(): Templates {
  const folder = path.join(packageRoot(), 'deploy', 'components');
  return Object.fromEntries(CATALOGUE.map((row) => [row.folder, readManifests(path.join(folder, row.folder))]));
}
