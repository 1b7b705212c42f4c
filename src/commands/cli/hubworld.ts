import { DEFAULT_NAMESPACE } from '../../api/names.js';
import { readPlacementWorld } from '../../cli/sources.js';
import type { ExplainConfig, ObjectSource } from '../../config/explain.js';
import type { World } from '../../domain/fleet/world.js';
import { createClient } from '../../kube/client/rest.js';
import { loadKubeconfig } from '../../kube/transport/kubeconfig.js';
import { createTransport } from '../../kube/transport/transport.js';
import { createLogger } from '../../observability/logger.js';
import { systemClock, systemRandom } from '../../runtime/clock.js';

/** A world, and the namespace that a command works in. */
export interface NamespacedWorld {
  readonly world: World;
  readonly namespace: string;
}

/** Reads what one Placement depends on, with the caller's kubeconfig. @throws KubeconfigError, ApiError. */
export async function readHub(
  config: ExplainConfig,
  source: Extract<ObjectSource, { kind: 'api' }>,
): Promise<NamespacedWorld> {
  const kubeconfig = loadKubeconfig({
    ...(source.kubeconfig === undefined ? {} : { path: source.kubeconfig }),
    ...(source.context === undefined ? {} : { context: source.context }),
    ...(source.impersonate === undefined ? {} : { impersonate: source.impersonate }),
  });
  const namespace = config.namespace ?? kubeconfig.namespace ?? DEFAULT_NAMESPACE;
  const transport = createTransport(kubeconfig, {
    clock: systemClock,
    random: systemRandom,
    log: createLogger({ level: 'fatal', clock: systemClock }),
    userAgent: `multicluster-engine/${config.version} (explain)`,
  });
  try {
    const world = await readPlacementWorld(createClient(transport), { namespace, name: config.placement });
    return { world, namespace };
  } finally {
    await transport.close();
  }
}
