import { describe, expect, it } from '@jest/globals';
import { checkPlacements } from '../../src/answers/check/placements.js';
import { hubStatus, hubSummary } from '../../src/answers/status.js';
import { undecided } from '../../src/answers/undecided.js';
import { worldOf, type Withheld, type World } from '../../src/answers/world/world.js';
import { status } from '../../src/cli/commands/status.js';
import { hubFacts, placementIn, rawDefinition, rawEngine, readingOf } from '../support/builders/hubinput.js';

const PLACEMENTS = [placementIn('Satisfied')];
const unserved = (resource: Withheld['resource'], code = 404): Withheld => ({ resource, verb: 'list', status: code });

function controllerRow(over: object): object {
  return { components: [{ kind: 'Deployment', name: 'placement-controller', status: 'False', message: '', ...over }] };
}

function worldWith(engineStatus: object, withheld: readonly Withheld[] = []): World {
  return worldOf({ multiclusterengines: [rawEngine({}, engineStatus)], placements: PLACEMENTS }, withheld);
}

const stopOf = (world: World): unknown => undecided(world, hubSummary(world));
const SAYS = 'nothing is being decided, and decisions stay as they are: ';

describe('that nothing is being decided', () => {
  it.each<readonly [string, World, string | undefined, string | undefined]>([
    ['nothing while all runs', worldWith({}), undefined, undefined],
    [
      'the kind that is not served',
      worldWith({}, [unserved('managedclustersets')]),
      'the hub does not serve managedclustersets: its definition does not exist',
      'kubectl apply --server-side -f crds/',
    ],
    [
      'nothing of a kind that somebody may not read',
      worldWith({}, [unserved('managedclustersets', 403)]),
      undefined,
      undefined,
    ],
    [
      'the controller of which no replica serves',
      worldWith(controllerRow({ message: '0 of 1 replicas available, 1 up to date' })),
      'component placement-controller is not available: 0 of 1 replicas available, 1 up to date',
      'kubectl describe mce engine',
    ],
    [
      'nothing while one replica serves',
      worldWith(controllerRow({ message: '1 of 2 replicas available' })),
      undefined,
      undefined,
    ],
    [
      'the definition alone where the controller waits for it',
      worldWith(controllerRow({ message: '0 of 1 replicas available (Unready: readiness probe: HTTP 500)' }), [
        unserved('managedclustersets'),
      ]),
      'the hub does not serve managedclustersets: its definition does not exist',
      'kubectl apply --server-side -f crds/',
    ],
    [
      'the controller that is off',
      worldWith(controllerRow({ status: 'True', reason: 'Disabled' })),
      'component placement-controller is off',
      'kubectl edit mce engine',
    ],
    [
      'that there is no engine',
      worldOf({ placements: PLACEMENTS }),
      'there is no MultiClusterEngine: no component runs',
      'kubectl apply -f examples/engine.yaml',
    ],
    [
      'nothing where engines may not be read',
      worldOf({}, [unserved('multiclusterengines', 403)]),
      undefined,
      undefined,
    ],
  ])('names %s', (_, world, why, remedy) => {
    expect(stopOf(world)).toEqual(why && { message: `${SAYS}${why}`, remedy });
  });

  it('is said by status and check in the same words', () => {
    const world = worldWith({}, [unserved('managedclusters')]);
    const reading = readingOf(world);
    const { undecided: stop } = hubStatus(reading);
    expect(stop).toBeDefined();
    const shown = status(reading, { output: 'text', colored: false });
    expect(shown).toContain(`${stop?.message}: ${stop?.remedy}`);

    const gone = { wanted: rawDefinition('managedclusters'), stored: { kind: 'Known', value: undefined } } as const;
    const input = hubFacts({ reading });
    const result = checkPlacements({ ...input, definitions: [gone, ...input.definitions] }, hubSummary(world));
    expect(result).toMatchObject({ status: 'Failed', message: stop?.message, remedy: stop?.remedy });
  });
});
