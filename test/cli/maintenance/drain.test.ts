import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';
import { PLACEMENT_LABEL, TAINTS } from '../../../src/api/names.js';
import type { KubeObject, ObjectName, ResourceType, RawObject } from '../../../src/runtime/vocabulary/meta.js';
import { drainCluster, type DrainRequest } from '../../../src/cli/commands/maintenance.js';
import { RefusedError } from '../../../src/answers/output.js';
import type { World, WorldResource } from '../../../src/answers/world/world.js';
import { ApiError } from '../../../src/runtime/errors.js';
import { EXAMPLE_SPEC, exampleWorld } from '../../support/builders/examplefleet.js';
import { rawDecision, rawPlacement } from '../../support/builders/world.js';

const REQUEST: DrainRequest = { cluster: 'prod-us-1', dryRun: false, timeoutMs: 60_000 };

interface Setting {
  readonly world?: World;
  /** The answer to the question. */
  readonly says?: boolean;
  readonly denied?: WorldResource;
  /** A resource that is not served. */
  readonly missing?: WorldResource;
  /** Reads of the decisions after which the controller has moved the cluster. */
  readonly movesAfter?: number;
  /** The decisions then; default: one without the cluster. */
  readonly left?: readonly RawObject[];
}

/** A hub with the example fleet, its user, and a controller that moves the cluster after some time. */
class Scene {
  readonly clock = new ManualClock(Date.parse('2026-11-22T12:00:00Z'));
  readonly events: string[] = [];
  /** What is printed beside the answer, or would be at Ctrl-C. */
  readonly notes: string[] = [];
  /** What was listed, in order. */
  readonly lists: string[] = [];
  readonly #setting: Setting;
  #reads = 0;

  constructor(setting: Setting = {}) {
    this.#setting = setting;
  }

  async run(over: Partial<DrainRequest> = {}): Promise<number> {
    const console = {
      print: (text: string) => void this.events.push(text),
      note: (text: string) => void this.notes.push(text),
      atInterrupt: (text: string) => void this.notes.push(`at Ctrl-C after ${this.events.at(-1)}: ${text}`),
      progress: (text: string) => void this.events.push(`... ${text}`),
      confirm: async (question: string) => {
        this.events.push(question);
        return this.#setting.says ?? true;
      },
    };
    const ended = drainCluster({ client: this, console, clock: this.clock }, { ...REQUEST, ...over });
    let isOver = false;
    const end = (): void => void (isOver = true);
    ended.then(end, end);
    for (let seconds = 0; seconds < 200 && !isOver; seconds++) {
      await new Promise((resolve) => setImmediate(resolve));
      await this.clock.advance(1_000);
    }
    return ended;
  }

  async get<T extends KubeObject>(_type: ResourceType, { name }: ObjectName): Promise<T | undefined> {
    return this.#world.objects.managedclusters.find(({ metadata }) => metadata.name === name) as T | undefined;
  }

  async list<T extends KubeObject>({ plural }: ResourceType): Promise<T[]> {
    this.lists.push(plural);
    if (plural === this.#setting.denied)
      throw new ApiError({ kind: 'Forbidden', status: 403, message: '', call: { verb: 'list', resource: plural } });
    if (plural === this.#setting.missing)
      throw new ApiError({
        kind: 'ResourceMissing',
        status: 404,
        message: '',
        call: { verb: 'list', resource: plural },
      });
    if (plural === 'placementdecisions' && this.#reads++ >= (this.#setting.movesAfter ?? Infinity))
      return [...(this.#setting.left ?? [rawDecision(1, ['edge-eu-2', 'prod-eu-2', 'prod-eu-1'])])] as T[];
    return [...((this.#world.objects as Readonly<Record<string, readonly KubeObject[]>>)[plural] ?? [])] as T[];
  }

  async apply<T extends KubeObject>(type: ResourceType, object: T): Promise<T> {
    this.events.push(`apply ${type.plural} ${JSON.stringify(Reflect.get(object, 'spec'))}`);
    return object;
  }

  get #world(): World {
    return this.#setting.world ?? exampleWorld();
  }
}

const DRAINED = 'apply managedclusters {"maintenance":"Draining"}';
const PLAN = 'shop/web  prod-us-1 → prod-eu-1\n';

function decisionOf(placement: string, clusters: readonly string[]): RawObject {
  const { metadata, ...decision } = rawDecision(1, clusters);
  const ownerReferences = (metadata.ownerReferences ?? []).map((one) => ({ ...one, name: placement }));
  const labels = { [PLACEMENT_LABEL]: placement };
  return { ...decision, metadata: { ...metadata, name: `${placement}-decision-1`, labels, ownerReferences } };
}

function tolerating(over: object = {}): object {
  return { tolerations: [{ key: TAINTS.draining, operator: 'Exists', ...over }] };
}

describe('drain', () => {
  it('the plan is shown, the drain begins after a yes, and the end is waited for', async () => {
    const scene = new Scene({ movesAfter: 3 });

    expect(await scene.run()).toBe(0);
    expect(scene.events).toEqual([
      PLAN,
      'drain prod-us-1?',
      DRAINED,
      '... waiting for shop/web',
      '... waiting for shop/web',
      'prod-us-1 is drained: no decision names it\n',
    ]);
  });

  it('the fleet is listed once, however long the wait is', async () => {
    const scene = new Scene({ movesAfter: 9 });

    await scene.run();

    expect(scene.lists.filter((one) => one === 'placementdecisions')).toHaveLength(10);
    expect(scene.lists.filter((one) => one === 'managedclusters')).toHaveLength(1);
  });

  it('a dry run shows the plan, asks nothing and writes nothing', async () => {
    const scene = new Scene();

    expect(await scene.run({ dryRun: true })).toBe(0);
    expect(scene.events).toEqual([PLAN]);
  });

  it('nothing is written after a no', async () => {
    const scene = new Scene({ says: false });

    expect(await scene.run()).toBe(1);
    expect(scene.events).toEqual([PLAN, 'drain prod-us-1?']);
    expect(scene.notes).toEqual([]);
  });

  it('what stays at the timeout is named with the reason, and the code is 1', async () => {
    const scene = new Scene({ world: exampleWorld({ ...EXAMPLE_SPEC, ...tolerating({ tolerationSeconds: 60 }) }) });

    expect(await scene.run({ timeoutMs: 4_000 })).toBe(1);
    expect(scene.events.slice(-3)).toEqual([
      '... waiting for shop/web',
      '... waiting for shop/web',
      'decisions still name prod-us-1:\nshop/web  stays until 2026-11-22T12:01:04Z\n',
    ]);
    const goesOn =
      'prod-us-1 stays drained without this command, until kubectl mce uncordon prod-us-1; kubectl mce who-selects prod-us-1 shows which Placements still select it\n';
    expect(scene.notes).toEqual([`at Ctrl-C after ${DRAINED}: ${goesOn}`, goesOn]);
  });

  it.each([
    ['tolerates the taint for ever', tolerating(), 'spec.tolerations tolerates the taint'],
    [
      'has a disruption budget that holds it',
      { disruptionBudget: { maxRemovals: 0 } },
      'maxRemovals 0 in 3600 s would be exceeded; to let it go: kubectl mce release placement web -n shop --clusters prod-us-1',
    ],
    ['has an invalid spec', { numberOfClusters: -1 }, 'the spec is invalid'],
  ])('a drain ends at once when all that names the cluster %s', async (_case, spec, reason) => {
    const scene = new Scene({ world: exampleWorld({ ...EXAMPLE_SPEC, ...spec }) });

    expect(await scene.run()).toBe(1);
    expect(scene.events.slice(2)).toEqual([DRAINED, `decisions still name prod-us-1:\nshop/web  stays: ${reason}\n`]);
    expect(scene.lists.filter((one) => one === 'managedclusters')).toHaveLength(1);
  });

  it('a drain waits for one Placement although another one keeps the cluster', async () => {
    const keeper = rawPlacement({ ...EXAMPLE_SPEC, ...tolerating() });
    const other = { ...keeper, metadata: { ...keeper.metadata, name: 'keeper' } };
    const world = exampleWorld(EXAMPLE_SPEC, {
      placements: [rawPlacement(EXAMPLE_SPEC), other],
      placementdecisions: [rawDecision(1, ['prod-us-1']), decisionOf('keeper', ['prod-us-1'])],
    });
    const scene = new Scene({ world, movesAfter: 2, left: [decisionOf('keeper', ['prod-us-1'])] });

    expect(await scene.run()).toBe(1);
    expect(scene.events.slice(2)).toEqual([
      DRAINED,
      '... waiting for shop/keeper, shop/web',
      'decisions still name prod-us-1:\nshop/keeper  stays: spec.tolerations tolerates the taint\n',
    ]);
  });

  it('a cluster that no decision names is tainted, and drained at once', async () => {
    const scene = new Scene();

    expect(await scene.run({ cluster: 'prod-ap-2' })).toBe(0);
    expect(scene.events).toEqual([
      'no decision names prod-ap-2\n',
      'drain prod-ap-2?',
      DRAINED,
      'prod-ap-2 is drained: no decision names it\n',
    ]);
  });

  it('a decision of a Placement that does not exist any more leaves anyway', async () => {
    const scene = new Scene({ world: exampleWorld(EXAMPLE_SPEC, { placements: [] }) });
    await scene.run({ dryRun: true });

    expect(scene.events).toEqual(['shop/web  prod-us-1 leaves anyway\n']);
  });

  it.each<WorldResource>(['placementdecisions', 'placements'])(
    'a drain is refused where %s of all namespaces cannot be read',
    async (denied) => {
      const scene = new Scene({ denied });

      await expect(scene.run()).rejects.toThrow(
        new RefusedError(`not readable: ${denied} (list: 403): which decisions name the cluster is not known`),
      );
      expect(scene.events).toEqual([]);
    },
  );

  it.each<WorldResource>(['managedclusters', 'managedclustersets', 'managedclustersetbindings'])(
    'a dry run reports what it cannot know where %s cannot be read, and ends with 3',
    async (denied) => {
      const scene = new Scene({ denied });

      expect(await scene.run({ dryRun: true })).toBe(3);
      expect(scene.events).toEqual([
        `not readable: ${denied} (list: 403): replacements are not known\nshop/web  not readable\n`,
      ]);
    },
  );

  it.each<WorldResource>(['placements', 'managedclusters'])(
    'a drain fails where the API server does not serve %s, also a dry run',
    async (missing) => {
      await expect(new Scene({ missing }).run({ dryRun: true })).rejects.toMatchObject({
        kind: 'ResourceMissing',
        call: { resource: `${missing}.cluster.fleetmgmt.io` },
      });
    },
  );

  it('a cluster that does not exist is not found', async () => {
    await expect(new Scene().run({ cluster: 'edge-9' })).rejects.toThrow('ManagedCluster edge-9 was not found');
  });
});
