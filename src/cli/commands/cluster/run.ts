import type { RawObject } from '../../../runtime/vocabulary/meta.js';
import { ManagedClusters } from '../../../api/resources.js';
import { changeHub, done, type ChangeConfig, type Hub } from '../../hub.js';
import { isColored, type Answer } from '../../terminal/answer.js';
import { addCluster, type ClusterAddConfig } from './add.js';
import type { CliConfig } from '../../flags.js';
import { listClusters } from './list.js';
import { removeCluster } from './remove.js';

type ClusterConfig =
  | ClusterAddConfig
  | (ChangeConfig & Parameters<typeof removeCluster>[1] & { readonly command: 'cluster remove' })
  | (ChangeConfig & Pick<CliConfig, 'output' | 'color'> & { readonly command: 'cluster list' });

/** Lets a cluster join or leave, or lists all; returns the exit code. */
export function runCluster(config: ClusterConfig): Promise<number> {
  return changeHub(config, (hub) => run(config, hub));
}

async function run(config: ClusterConfig, hub: Hub): Promise<Answer> {
  switch (config.command) {
    case 'cluster add':
      return addCluster(config, hub);
    case 'cluster remove':
      return done(await removeCluster(hub.client, config));
    case 'cluster list': {
      const clusters = await hub.client.list<RawObject>(ManagedClusters, undefined);
      return { text: listClusters(clusters, { output: config.output, colored: isColored(config) }), exitCode: 0 };
    }
  }
}
