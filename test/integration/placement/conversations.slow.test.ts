import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { kubectlOk } from '@multicluster-engine/kube-apiserver/testing/kubectl';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import type { LabelSelectorRequirement, PlacementSpec } from '../../../src/api/generated/placement.js';
import { ManagedClusterSets } from '../../../src/api/resources.js';
import { explainPlacement } from '../../../src/cli/explain/explain.js';
import { readPlacementWorld } from '../../../src/answers/world/worlds.js';
import { Fleet, PlacementServerRig } from '../../support/rigs/server/placement.js';

const LONG_MS = 120_000;

/** What a user does and is told about Placement `web` of one namespace, which has a set of its own. */
class Conversation {
  readonly namespace: string;
  /** The set that is bound to the namespace, and the prefix of the names of its clusters. */
  readonly set: string;
  readonly fleet: Fleet;
  readonly #kubeconfig: string;
  readonly #rig: PlacementServerRig;

  constructor(namespace: string, on: { fleet: Fleet; kubeconfig: string; rig: PlacementServerRig }) {
    this.namespace = namespace;
    this.set = `${namespace}-set`;
    this.fleet = on.fleet;
    this.#kubeconfig = on.kubeconfig;
    this.#rig = on.rig;
  }

  async begin(): Promise<void> {
    await this.fleet.set(this.set);
    await this.fleet.namespace(this.namespace, this.set);
    await this.cluster('gold', { tier: 'gold' });
    await this.fleet.claim(this.name('gold'), { platform: 'Azure' });
    await this.cluster('silver', { tier: 'silver' });
  }

  name(cluster: string): string {
    return `${this.namespace}-${cluster}`;
  }

  cluster(name: string, labels: Record<string, string>, set = this.set): Promise<void> {
    return this.fleet.cluster(this.name(name), set, labels);
  }

  async apply(spec: PlacementSpec): Promise<void> {
    await this.fleet.place(this.namespace, 'web', spec);
  }

  /** The columns of `kubectl get placement`. */
  async get(): Promise<string> {
    const { phase, conditions = [] } = (await this.fleet.placement(this.namespace, 'web'))?.status ?? {};
    return `${phase} ${conditions.find(({ type }) => type === 'PlacementSatisfied')?.reason}`;
  }

  async until(columns: string): Promise<void> {
    await waitFor(`${this.namespace} to be ${columns}`, async (seen) => {
      const found = await this.get();
      seen(found);
      return found === columns || undefined;
    });
  }

  /** The messages of the conditions with these types. */
  async describe(...types: readonly string[]): Promise<readonly (string | undefined)[]> {
    const { conditions = [] } = (await this.fleet.placement(this.namespace, 'web'))?.status ?? {};
    return types.map((type) => conditions.find((one) => one.type === type)?.message);
  }

  events(): readonly string[] {
    const own = this.#rig.events.filter(({ regarding }) => regarding.metadata.namespace === this.namespace);
    return own.map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
  }

  async explain(cluster?: string): Promise<string> {
    const world = await readPlacementWorld(this.fleet.client, { namespace: this.namespace, name: 'web' });
    return explainPlacement(world, {
      namespace: this.namespace,
      placement: 'web',
      cluster: cluster === undefined ? undefined : this.name(cluster),
      nearest: 1,
      output: 'text',
      colored: false,
    });
  }

  /** Runs the command that the explanation proposes. */
  async fix(explained: string): Promise<void> {
    const command = /: kubectl (label mcl .*)$/m.exec(explained)?.[1];
    if (command === undefined) throw new Error(`no command is proposed: ${explained}`);
    await kubectlOk(command.split(' '), { kubeconfig: this.#kubeconfig });
  }

  /** The word that the explanation suggests, as source, key and value. */
  suggestion(explained: string): { source: string; key: string; value: string } {
    const [, source = '', key = '', value = ''] =
      /did you mean (label|claim) ([^=\s]+)(?:=(\S+))? /.exec(explained) ?? [];
    return { source, key, value };
  }
}

interface Row {
  readonly what: string;
  readonly spec: (conversation: Conversation) => PlacementSpec;
  /** What happens after the Placement was satisfied. */
  readonly after?: (conversation: Conversation) => Promise<void>;
  readonly get: string;
  /** The message of PlacementSatisfied; NS stands for the namespace. */
  readonly says: string;
  /** The message of ClusterSetsMissing. */
  readonly missing?: string;
  readonly event?: string;
  /** The cluster to explain; undefined: all. */
  readonly of?: string;
  readonly explained: string;
  readonly mend: (conversation: Conversation, explained: string) => Promise<unknown>;
}

const onLabel = (
  key: string,
  value: string,
  ...matchExpressions: readonly LabelSelectorRequirement[]
): PlacementSpec => ({
  numberOfClusters: 1,
  predicates: [
    {
      requiredClusterSelector: {
        labelSelector: { matchLabels: { [key]: value }, matchExpressions: [...matchExpressions] },
      },
    },
  ],
});
const onClaim = (key: string, ...values: readonly string[]): PlacementSpec => ({
  numberOfClusters: 1,
  predicates: [
    {
      requiredClusterSelector: { claimSelector: { matchExpressions: [{ key, operator: 'In', values: [...values] }] } },
    },
  ],
});
const nobody = 'no cluster of cluster sets NS-set matches: ';
const rows: readonly Row[] = [
  {
    what: 'a typo in a key',
    spec: () => onLabel('teir', 'gold'),
    get: 'Unsatisfied NoManagedClusterMatched',
    says: `${nobody}predicate 0: no candidate has label teir`,
    event: `Warning PlacementUnsatisfied: ${nobody}predicate 0: no candidate has label teir; 0/2 clusters are selected: 2 didn't match label teir=gold; did you mean label tier (2 of 2 have it)?`,
    explained: 'did you mean label tier (2 of 2 have it)?',
    mend: (conversation, explained) => conversation.apply(onLabel(conversation.suggestion(explained).key, 'gold')),
  },
  {
    what: 'a typo in a value',
    spec: () => onLabel('tier', 'glod'),
    get: 'Unsatisfied NoManagedClusterMatched',
    says: `${nobody}predicate 0: no candidate matches label tier=glod`,
    explained: 'did you mean label tier=gold (1 of 2 have it)?',
    mend: (conversation, explained) => conversation.apply(onLabel('tier', conversation.suggestion(explained).value)),
  },
  {
    what: 'a value in another case',
    spec: () => onClaim('platform', 'azure'),
    get: 'Unsatisfied NoManagedClusterMatched',
    says: `${nobody}predicate 0: no candidate matches claim platform=azure`,
    explained: 'did you mean claim platform=Azure (1 of 2 have it)?',
    mend: (conversation, explained) =>
      conversation.apply(onClaim('platform', conversation.suggestion(explained).value)),
  },
  {
    what: 'a label in place of a claim',
    spec: () => onLabel('platform', 'Azure'),
    get: 'Unsatisfied NoManagedClusterMatched',
    says: `${nobody}predicate 0: no candidate has label platform, but some have a claim of that name`,
    explained: 'did you mean claim platform (1 of 2 have it)?',
    mend: (conversation, explained) => conversation.apply(onClaim(conversation.suggestion(explained).key, 'Azure')),
  },
  {
    what: 'a claim in place of a label',
    spec: () => onClaim('tier', 'gold'),
    get: 'Unsatisfied NoManagedClusterMatched',
    says: `${nobody}predicate 0: no candidate has claim tier, but some have a label of that name`,
    explained: 'did you mean label tier (2 of 2 have it)?',
    mend: (conversation, explained) => conversation.apply(onLabel(conversation.suggestion(explained).key, 'gold')),
  },
  {
    what: 'a value that nobody has',
    spec: () => onLabel('tier', 'platinum'),
    get: 'Unsatisfied NoManagedClusterMatched',
    says: `${nobody}predicate 0: no candidate matches label tier=platinum`,
    explained: 'there are label tier=gold (1), tier=silver (1)',
    mend: (conversation) => conversation.apply(onLabel('tier', 'gold')),
  },
  {
    what: 'a contradiction',
    spec: () => onLabel('tier', 'gold', { key: 'tier', operator: 'NotIn', values: ['gold'] }),
    get: 'Unsatisfied NoManagedClusterMatched',
    says: `${nobody}predicate 0 can match no cluster: label tier=gold contradicts label tier!=gold`,
    explained: 'label tier=gold contradicts label tier!=gold',
    mend: (conversation) => conversation.apply(onLabel('tier', 'gold')),
  },
  {
    what: 'a set that does not exist',
    spec: (conversation) => ({
      numberOfClusters: 3,
      ClusterSets: [conversation.set, `${conversation.namespace}-nope`],
    }),
    after: (conversation) => conversation.fleet.bind(conversation.namespace, `${conversation.namespace}-nope`),
    get: 'PartiallySatisfied NotAllDecisionsScheduled',
    says: '1 of 3 wanted clusters is missing: every cluster that matches is selected; nothing comes from NS-nope (there is no ManagedClusterSet NS-nope)',
    missing: 'nothing comes from NS-nope (there is no ManagedClusterSet NS-nope)',
    explained: 'nothing comes from NS-nope (there is no ManagedClusterSet NS-nope)',
    mend: async (conversation) => {
      await conversation.fleet.set(`${conversation.namespace}-nope`);
      await conversation.cluster('third', {}, `${conversation.namespace}-nope`);
    },
  },
  {
    what: 'a set that is not bound',
    spec: (conversation) => ({ ClusterSets: [`${conversation.namespace}-free`] }),
    get: 'Unsatisfied NoIntersection',
    says: 'nothing can be selected from spec.ClusterSets: NS-free (no ManagedClusterSetBinding NS-free in namespace NS); bound: NS-set',
    missing: 'nothing comes from NS-free (no ManagedClusterSetBinding NS-free in namespace NS)',
    explained: 'no ManagedClusterSetBinding NS-free in namespace NS',
    mend: async (conversation) => {
      await conversation.fleet.set(`${conversation.namespace}-free`);
      await conversation.cluster('third', {}, `${conversation.namespace}-free`);
      await conversation.fleet.bind(conversation.namespace, `${conversation.namespace}-free`);
    },
  },
  {
    what: 'a cluster with a misspelt set',
    spec: () => ({ numberOfClusters: 3 }),
    after: (conversation) => conversation.cluster('third', {}, `${conversation.namespace}-ste`),
    get: 'PartiallySatisfied NotAllDecisionsScheduled',
    says: '1 of 3 wanted clusters is missing: every cluster that matches is selected',
    of: 'third',
    explained: 'no ManagedClusterSetBinding NS-ste in namespace NS',
    mend: (conversation, explained) => conversation.fix(explained),
  },
  {
    what: 'the deletion of a set in use',
    spec: () => onLabel('tier', 'gold'),
    after: async (conversation) => {
      await conversation.until('Satisfied AllDecisionsScheduled');
      await conversation.fleet.remove(ManagedClusterSets, { name: conversation.set });
    },
    get: 'Unsatisfied NoManagedClusterSetBindings',
    says: 'no cluster set is bound to namespace NS: create a ManagedClusterSetBinding there, with the name of a ManagedClusterSet as metadata.name and as spec.clusterSet; ignored: binding NS-set (there is no ManagedClusterSet NS-set)',
    missing: 'nothing comes from NS-set (there is no ManagedClusterSet NS-set)',
    event: 'Warning DecisionChanged: removed 1 cluster: NS-gold (there is no ManagedClusterSet NS-set)',
    explained: 'ignored: binding NS-set (there is no ManagedClusterSet NS-set)',
    mend: (conversation) => conversation.fleet.set(conversation.set),
  },
  {
    what: 'a shortage with a near miss',
    spec: () => ({ ...onLabel('tier', 'gold'), numberOfClusters: 2 }),
    get: 'PartiallySatisfied NotAllDecisionsScheduled',
    says: '1 of 2 wanted clusters is missing: every cluster that matches is selected',
    event: 'Normal DecisionPublished: selected 1 cluster: NS-gold',
    explained: 'to select NS-silver: kubectl label mcl NS-silver tier=gold --overwrite',
    mend: (conversation, explained) => conversation.fix(explained),
  },
  {
    what: 'a shortage without a near miss',
    spec: () => ({ numberOfClusters: 3 }),
    get: 'PartiallySatisfied NotAllDecisionsScheduled',
    says: '1 of 3 wanted clusters is missing: every cluster that matches is selected',
    explained: '2/2 clusters are selected.',
    mend: (conversation) => conversation.cluster('third', {}),
  },
  {
    what: 'a cluster that left',
    spec: () => onLabel('tier', 'gold'),
    after: async (conversation) => {
      await conversation.until('Satisfied AllDecisionsScheduled');
      await conversation.cluster('gold', { tier: 'silver' });
    },
    get: 'Unsatisfied NoManagedClusterMatched',
    says: `${nobody}predicate 0: no candidate matches label tier=gold`,
    event: 'Warning DecisionChanged: removed 1 cluster: NS-gold (label tier=silver, wanted tier=gold)',
    explained: 'there are label tier=silver (2)',
    mend: (conversation) => conversation.cluster('gold', { tier: 'gold' }),
  },
];

describeWithServer('the conversation about a Placement', { own: true }, (server) => {
  let fleet: Fleet;
  let rig: PlacementServerRig;

  beforeAll(async () => {
    await installCrds(server());
    fleet = new Fleet(server());
    rig = new PlacementServerRig(server());
    await rig.synced();
  }, LONG_MS);
  afterAll(async () => {
    await rig.stop();
    await fleet.close();
  }, LONG_MS);

  it.each(rows.map((row, index) => ({ ...row, namespace: `case-${index}` })))(
    'the user is told of $what, and the proposed fix satisfies the Placement',
    async ({ namespace, spec, after, get, says, missing, event, of, explained, mend }) => {
      const named = (text: string): string => text.replaceAll('NS', namespace);
      const conversation = new Conversation(namespace, { fleet, rig, kubeconfig: server().adminKubeconfig });
      await conversation.begin();
      await conversation.apply(spec(conversation));
      await after?.(conversation);
      await waitFor(`the message of ${namespace}`, async (seen) => {
        const [message] = await conversation.describe('PlacementSatisfied');
        seen(message);
        return message === named(says) || undefined;
      });

      expect(await conversation.get()).toBe(get);
      expect(await conversation.describe('ClusterSetsMissing')).toEqual([missing && named(missing)]);
      // It is recorded after the status is stored.
      if (event !== undefined)
        await waitFor(`the event ${event}`, (seen) => {
          const events = conversation.events();
          seen(events);
          return events.includes(named(event));
        });
      const explanation = await conversation.explain(of);
      expect(explanation).toContain(named(explained));

      await mend(conversation, explanation);
      await conversation.until('Satisfied AllDecisionsScheduled');
      expect(await conversation.describe('ClusterSetsMissing')).toEqual([undefined]);
    },
    LONG_MS,
  );
});
