import { FOLLOWS_PLACEMENT_ANNOTATION } from '../../../../src/api/names.js';
import { MultiKueueConfigs, SigPlacementDecisions } from '../../../../src/api/resources.js';
import type { SigDecision } from '../../../../src/domain/placement/publish/sigdecision.js';
import {
  createMultiKueueControllers,
  multiKueueCacheOptions,
  type MultiKueueConfig,
} from '../../../../src/operator/controllers/followers/multikueue.js';
import { multiKueueRights, sigDecisionRights } from '../../../../src/operator/controllers/followers/rights.js';
import {
  createSigDecisionControllers,
  sigDecisionCacheOptions,
} from '../../../../src/operator/controllers/followers/sigdecision.js';
import { guardClient } from '../../../../src/runtime/client/guard.js';
import type { EventNote } from '../../../../src/runtime/events/event.js';
import type { ResourceType } from '../../../../src/runtime/vocabulary/meta.js';
import type { FakeCache } from '../../fakes/cache.js';
import { PlacementRig } from './placement.js';

const CONFIG = { name: 'gpus' };

/** A process with the placement controllers, and beside them those that repeat decisions for other consumers. */
export class Followers {
  readonly hub = new PlacementRig();
  readonly configs: FakeCache<MultiKueueConfig> = this.hub.api.cache(multiKueueCacheOptions);
  readonly published: FakeCache<SigDecision> = this.hub.api.cache(sigDecisionCacheOptions);
  /** Of the events about the config, as `reason: note`. */
  readonly notes: string[] = [];

  async start(): Promise<this> {
    const { hub, configs, published } = this;
    const record = ({ reason, note }: EventNote): number => this.notes.push(`${reason}: ${note}`);
    const leadership = { held: () => true, identity: 'test' };
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
    });
    await hub.start();
    for (const one of [kueue, sig]) {
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

  /** The writes of objects of one type, as `verb name`. */
  writesOf(of: ResourceType): readonly string[] {
    return this.hub.api.calls.flatMap(({ verb, type, name }) =>
      type === of && verb !== 'get' ? [`${verb} ${name.name}`] : [],
    );
  }
}
