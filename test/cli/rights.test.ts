import { describe, expect, it } from '@jest/globals';
import type { KubeObject, ObjectName, ResourceType } from '../../src/runtime/vocabulary/meta.js';
import { CLUSTERS_LEASE, ENGINE_LEASE, PLACEMENT_LEASE } from '../../src/api/names.js';
import { readHubInput, type InputOptions } from '../../src/answers/check/input.js';
import { checkHub } from '../../src/answers/check/hub.js';
import { checkText } from '../../src/cli/commands/check.js';
import { checkBefore, readPreInput } from '../../src/answers/check/pre.js';
import { explainPlacement } from '../../src/cli/commands/explain.js';
import { eventsAbout, readLeavingEvents } from '../../src/answers/explain/events.js';
import {
  DECISION_RESOURCES,
  readFleetWorld,
  type FleetScope,
  readPlacementWorld,
} from '../../src/answers/world/worlds.js';
import { status, STATUS_RESOURCES } from '../../src/cli/commands/status.js';
import { tree } from '../../src/cli/commands/tree.js';
import { whoSelects } from '../../src/cli/commands/whoselects.js';
import { WORLD_RESOURCES, type WorldResource } from '../../src/answers/world/world.js';
import type { KubeClient, ReadClient } from '../../src/runtime/client/client.js';
import { ApiError } from '../../src/runtime/errors.js';
import { EXAMPLE_SPEC, exampleWorld } from '../support/builders/examplefleet.js';
import { leaseFact, NOW, rawDefinition, rawEngine } from '../support/builders/hubinput.js';

type Output = 'text' | 'json';

const WORLD = exampleWorld(EXAMPLE_SPEC, { multiclusterengines: [rawEngine()] });
const FACTS: InputOptions = {
  now: NOW,
  version: '0.1.0',
  operatorNamespace: 'multicluster-engine-operator',
  namespace: undefined,
  fallback: () => 'shop',
  definitions: [rawDefinition('placements')],
};

/** The example fleet for a caller without some rights: `list placements`, or `list placements *` for all namespaces alone. */
class LimitedClient implements ReadClient, Pick<KubeClient, 'allowed'> {
  readonly calls = new Set<string>();
  readonly #denied: string | undefined;

  constructor(denied?: string) {
    this.#denied = denied;
  }

  async get<T extends KubeObject>(type: ResourceType, { name, namespace }: ObjectName): Promise<T | undefined> {
    this.#check(`get ${type.plural}`, namespace);
    return objectsOf(type).find(({ metadata }) => metadata.name === name) as T | undefined;
  }

  async list<T extends KubeObject>(type: ResourceType, namespace: string | undefined): Promise<T[]> {
    this.#check(`list ${type.plural}`, type.namespaced ? (namespace ?? '*') : undefined);
    return objectsOf(type) as unknown as T[];
  }

  async allowed(): Promise<boolean> {
    return true;
  }

  #check(call: string, namespace: string | undefined): void {
    this.calls.add(call);
    if (namespace === '*') this.calls.add(`${call} *`);
    if (this.#denied !== call && this.#denied !== `${call} ${namespace}`) return;
    const [verb = '', resource = ''] = call.split(' ');
    throw new ApiError({ kind: 'Forbidden', status: 403, message: `no right to ${call}`, call: { verb, resource } });
  }
}

function objectsOf({ plural }: ResourceType): readonly KubeObject[] {
  const resource = WORLD_RESOURCES.find((one): one is WorldResource => one === plural);
  if (resource !== undefined) return WORLD.objects[resource];
  const leases = [ENGINE_LEASE, PLACEMENT_LEASE, CLUSTERS_LEASE]
    .map((name) => leaseFact(name, 'a').lease)
    .flatMap((lease) => (lease.kind === 'Known' && lease.value !== undefined ? [lease.value] : []));
  return { leases, customresourcedefinitions: FACTS.definitions }[plural] ?? [];
}

function fleet(resources: readonly WorldResource[], namespace?: string): FleetScope {
  return { namespace, fallback: () => 'shop', resources };
}

/** Each command that reads, as the program runs it. */
const COMMANDS: Readonly<Record<string, (client: LimitedClient, output: Output) => Promise<string>>> = {
  'who-selects': async (client, output) =>
    whoSelects(await readFleetWorld(client, fleet(DECISION_RESOURCES)), 'prod-us-1', { output, colored: false }),
  tree: async (client, output) =>
    tree(await readFleetWorld(client, fleet(DECISION_RESOURCES, 'shop')), 'web', { output, colored: false }),
  status: async (client, output) =>
    status(await readFleetWorld(client, fleet(STATUS_RESOURCES)), { output, colored: false }),
  check: async (client, output) =>
    checkText(checkHub(await readHubInput(client, FACTS)), { output, colored: false, pre: false }),
  'check --pre': async (client, output) =>
    checkText(checkBefore(await readPreInput(client, FACTS, 'v1.36.3')), { output, colored: false, pre: true }),
  explain: async (client, output) => {
    const name = { namespace: 'shop', name: 'web' };
    const world = await readPlacementWorld(client, name);
    const leaving = eventsAbout(await readLeavingEvents(client, name), undefined, NOW);
    return explainPlacement(world, { ...REQUEST, namespace: 'shop', output, leaving });
  },
  'explain -A': async (client, output) => {
    const beyond = await readFleetWorld(client, fleet(DECISION_RESOURCES));
    return explainPlacement(beyond.world, { ...REQUEST, namespace: undefined, output, beyond });
  },
};
const REQUEST = { placement: 'web', cluster: undefined, nearest: 1, colored: false };

/** Without these there is nothing to explain: the command ends with the error. */
const NEEDED: Readonly<Record<string, string>> = {
  'explain: get placements': 'no right to get placements',
  'explain -A: list placements': 'not readable: placements (list: 403): whether there is a Placement web is not known',
};

const used = await Promise.all(
  Object.entries(COMMANDS).map(async ([command, run]) => {
    const client = new LimitedClient();
    await run(client, 'text');
    return [...client.calls].map((call) => [command, call] as const);
  }),
);

describe('a command without one of its rights', () => {
  it('each command reads by get and list', () => {
    const verbs = used.flat().map(([, call]) => call.split(' ')[0]);

    expect(new Set(verbs)).toEqual(new Set(['get', 'list']));
    expect(used.flat().length).toBeGreaterThan(30);
  });

  it.each(used.flat().filter(([command, call]) => !(`${command}: ${call}` in NEEDED)))(
    '%s without the right to %s says so, as text and as JSON',
    async (command, call) => {
      const [verb = '', resource = ''] = call.split(' ');
      const run = COMMANDS[command];
      if (run === undefined) throw new Error(command);
      const text = await run(new LimitedClient(call), 'text');

      expect(text).toContain(`${resource} (${verb}: 403)`);
      expect(text).toMatch(/not readable/);
      const json = await run(new LimitedClient(call), 'json');
      expect(JSON.stringify(JSON.parse(json))).toMatch(
        command.startsWith('check')
          ? new RegExp(`"status":"Unknown","message":"[^"]*${resource} \\(${verb}: 403\\)`)
          : new RegExp(`"withheld":\\[[^\\]]*\\{"resource":"${resource}","(verb":"${verb}","status":403|status":403)`),
      );
    },
  );

  it.each(Object.entries(NEEDED))('%s is needed: without it the command ends with one line', async (one, message) => {
    const [command = '', call = ''] = one.split(': ');

    await expect(COMMANDS[command]?.(new LimitedClient(call), 'text')).rejects.toThrow(message);
  });
});
