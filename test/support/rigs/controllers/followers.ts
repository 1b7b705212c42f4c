import { FOLLOWS_PLACEMENT_ANNOTATION } from '../../../../src/api/names.js';
import { ClusterProfiles, MultiKueueConfigs, SigPlacementDecisions } from '../../../../src/api/resources.js';
import type { ClusterProfile } from '../../../../src/domain/inventories/clusterprofile.js';
import type { SigDecision } from '../../../../src/domain/placement/publish/sigdecision.js';
import {
  clusterProfileCacheOptions,
  createClusterProfileControllers,
} from '../../../../src/operator/controllers/followers/clusterprofile.js';
import {
  createMultiKueueControllers,
  multiKueueCacheOptions,
  type MultiKueueConfig,
} from '../../../../src/operator/controllers/followers/multikueue.js';
import {
  clusterProfileRights,
  multiKueueRights,
  sigDecisionRights,
} from '../../../../src/operator/controllers/followers/rights.js';
import {
  createSigDecisionControllers,
  sigDecisionCacheOptions,
} from '../../../../src/operator/controllers/followers/sigdecision.js';
import { guardClient } from '../../../../src/runtime/client/guard.js';
import type { EventNote } from '../../../../src/runtime/events/recorder.js';
import type { ResourceType } from '../../../../src/runtime/vocabulary/meta.js';
import type { FakeCache } from '../../fakes/cache.js';
import { PlacementRig } from './placement.js';

const CONFIG = { name: 'gpus' };

/** A process with the placement controllers, and beside them those that repeat decisions for other consumers. */
export class Followers {
  readonly hub: PlacementRig;
  readonly configs: FakeCache<MultiKueueConfig>;
  readonly published: FakeCache<SigDecision>;
  readonly profiles: FakeCache<ClusterProfile>;
  /** Of the events about the config, as `reason: note`. */
  readonly notes: string[] = [];
  /** Whether the process holds the Lease. */
  leads = true;
  readonly #namespace: string | undefined;

  /** `namespace`: where clusters are published as ClusterProfiles; absent: they are not. `hub`: one whose API server is shared. */
  constructor(namespace?: string, hub?: PlacementRig) {
    this.#namespace = namespace;
    this.hub = new PlacementRig(hub);
    this.configs = this.hub.api.cache(multiKueueCacheOptions);
    this.published = this.hub.api.cache(sigDecisionCacheOptions);
    this.profiles = this.hub.api.cache(clusterProfileCacheOptions(namespace ?? ''));
  }

  async start(): Promise<this> {
    const { hub, configs, published, profiles } = this;
    const namespace = this.#namespace;
    const record = ({ reason, note }: EventNote): number => this.notes.push(`${reason}: ${note}`);
    const leadership = { held: () => this.leads, identity: 'test' };
    const { caches, clock, log } = hub;
    const shared = { caches, clock, log, random: () => 0, settleWindowMs: 50 };
    const kueue = createMultiKueueControllers({
      ...shared,
      client: guardClient(hub.api, multiKueueRights, { leadership, log }),
      configs,
      recorder: { record, flush: () => Promise.resolve() },
    });
    const sig = createSigDecisionControllers({
      ...shared,
      client: guardClient(hub.api, sigDecisionRights, { leadership, log }),
      published,
      workers: 4,
      namespace,
    });
    const inventory =
      namespace === undefined
        ? []
        : [
            createClusterProfileControllers({
              ...shared,
              client: guardClient(hub.api, clusterProfileRights(namespace), { leadership, log }),
              profiles,
              namespace,
            }),
          ];
    await hub.start();
    for (const one of [kueue, sig, ...inventory]) {
      one.source.start();
      one.onStartedLeading();
      for (const controller of one.controllers) controller.start();
    }
    await hub.untilIdle();
    return this;
  }

  /** Makes the config, with the annotation. */
  follow(value: string, clusters: string[] = ['first']): void {
    const annotations = { [FOLLOWS_PLACEMENT_ANNOTATION]: value };
    const config = { metadata: { ...CONFIG, annotations }, spec: { clusters } };
    this.hub.api.put<MultiKueueConfig>(MultiKueueConfigs, config);
  }

  /** What the config lists. */
  listed(): readonly string[] | undefined {
    return this.hub.api.peek<MultiKueueConfig>(MultiKueueConfigs, CONFIG)?.spec?.clusters;
  }

  /** The clusters of each PlacementDecision of SIG Multicluster. */
  sigDecisions(): Record<string, readonly string[]> {
    const found = this.hub.api.all<SigDecision>(SigPlacementDecisions);
    return Object.fromEntries(
      found.map(({ metadata, decisions }) => [metadata.name, decisions.map(({ clusterProfileRef: { name } }) => name)]),
    );
  }

  /** The ClusterProfile of this name, where they are published. */
  profile(name: string): ClusterProfile | undefined {
    return this.hub.api.peek<ClusterProfile>(ClusterProfiles, { namespace: this.#namespace ?? '', name });
  }

  /** The writes of objects of one type, as `verb name`. */
  writesOf(of: ResourceType): readonly string[] {
    return this.hub.api.calls.flatMap(({ verb, type, name }) =>
      type === of && verb !== 'get' ? [`${verb} ${name.name}`] : [],
    );
  }
}
