/**
 * Names of time zones were taken by one API server and refused by the other: `europe/berlin` and `IST` by the embedded one,
 * `Factory` by kube-apiserver, whose Placement then became Misconfigured.
 *
 * Right: whatever the API server takes, the controller knows, and the other way round, whichever API server it is: the names of
 * the IANA database as they are written there. The refusals say the same. Windows also open by the zone data of a program, which
 * differs from release to release of Node: it is named, and a controller that has other data is warned of.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { timeZones } from '@multicluster-engine/values/timezones';
import { installCrds } from '@multicluster-engine/kube-apiserver/testing/controlplane/install';
import { describeWithServer } from '@multicluster-engine/kube-apiserver/testing/controlplane/suite';
import { PLACEMENT_LEASE, TIME_ZONE_DATA_ANNOTATION } from '../../src/api/names.js';
import { Placements } from '../../src/api/resources.js';
import { checkHub } from '../../src/answers/check/hub.js';
import { explainPlacement } from '../../src/cli/commands/explain.js';
import type { World } from '../../src/answers/world/world.js';
import { compileSpec } from '../../src/domain/placement/spec/predicates.js';
import { collectionPath } from '../../src/runtime/client/path.js';
import { ApiError } from '../../src/runtime/errors.js';
import type { Transport } from '../../src/runtime/transport/transport.js';
import { apiVersionOf } from '../../src/runtime/vocabulary/kinds.js';
import { EXAMPLE_SPEC, exampleWorld } from '../support/builders/examplefleet.js';
import { hubFacts, leaseFact, readingOf } from '../support/builders/hubinput.js';
import { transportOf } from '../support/clients/transport.js';

const RULE = 'must be a time zone of the IANA database, such as "Europe/Berlin"';
/** Names of ICU, of files beside the database, of machines, offsets, and what is none. */
const OTHERS =
  'ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST SystemV/AST4 ' +
  'US/Pacific-New Canada/East-Saskatchewan Etc/Unknown Factory Local localtime posixrules posix/Europe/Berlin ' +
  'right/Europe/Berlin UTC+1 GMT+5 +01:00 -0800 01:00 Europe Europe/ /Europe/Berlin Europe//Berlin ../Europe/Berlin ' +
  'Europe/Berlin/ Europe/../UTC tzdata.zi leapseconds Europe/Berln Zürich';
const NAMES = [
  ...new Set([
    ...timeZones(),
    ...[...timeZones()].map((name) => name.toLowerCase()),
    ...[...timeZones()].map((name) => name.toUpperCase()),
    ...OTHERS.split(' '),
    ...OTHERS.split(' ').map((name) => name.toLowerCase()),
    '',
    ' ',
    'Europe/Berlin ',
    ' UTC',
  ]),
];
/** As many as one Placement may have. */
const WINDOWS = 16;

const windowIn = (timeZone: string): object => ({ start: 'Mon 22:00', duration: '1h', timeZone });

/** What the controller says of the zone. */
function problemOf(timeZone: string): string | undefined {
  return compileSpec({ changeWindows: [windowIn(timeZone)] }).problem?.message;
}

describe('names of time zones', () => {
  it('every zone that Node knows has its name in the list', () => {
    expect(timeZones().size).toBeGreaterThan(590);
    expect([...timeZones()].filter((name) => name !== 'Factory' && problemOf(name) !== undefined)).toEqual([]);
  });

  it.each(['europe/berlin', 'IST', 'Factory', 'Local', '', 'EUROPE/BERLIN', '+01:00', 'utc'])(
    'the controller refuses "%s" with the value and the rule',
    (name) => {
      expect(problemOf(name)).toBe(`"${name}": ${RULE}`);
    },
  );
});

describe('the time zone data by which change windows are computed', () => {
  const manifests = exampleWorld({ ...EXAMPLE_SPEC, changeWindows: [windowIn('Europe/Berlin')] });

  function checked(annotations: Record<string, string> | undefined, world: World): readonly unknown[] {
    const { name, lease } = leaseFact(PLACEMENT_LEASE, 'placement-controller-1');
    if (lease.kind !== 'Known' || lease.value === undefined) throw new Error('no Lease');
    const value = { ...lease.value, metadata: { ...lease.value.metadata, ...(annotations && { annotations }) } };
    const placementLease = { name, lease: { ...lease, value } };
    const results = checkHub(hubFacts({ reading: readingOf(world), placementLease }));
    return results.filter((one) => one.name === 'time-zones').map(({ status, message }) => [status, message]);
  }

  it('check compares that of the controller with that of the program, where there is a window', () => {
    const own = process.versions['tz'];
    const named = (data = ''): Record<string, string> => ({ [TIME_ZONE_DATA_ANNOTATION]: data });
    const other = `this program computes with ${own}, and may name other times`;

    expect(checked(named(own), exampleWorld())).toEqual([]);
    expect(checked(named(own), manifests)).toEqual([['Passed', `change windows open by time zone data ${own}`]]);
    expect(checked(named('1999a'), manifests)).toEqual([
      ['Warning', `change windows open by time zone data 1999a of the placement controller; ${other}`],
    ]);
    expect(checked(undefined, manifests)).toEqual([
      ['Warning', `change windows open by time zone data that the placement controller does not name; ${other}`],
    ]);
  });

  it('explain names it for a Placement with a window', () => {
    const request = { namespace: 'shop', placement: 'web', cluster: undefined, nearest: 0, colored: false };
    const said = (world: World): string =>
      explainPlacement(world, { ...request, output: 'text', timeZoneData: '2025c' });

    expect(said(manifests)).toContain('\nchange windows are computed with time zone data 2025c\n');
    expect(said(exampleWorld())).not.toContain('time zone data');
    const json = explainPlacement(manifests, { ...request, output: 'json', timeZoneData: '2025c' });
    expect(JSON.parse(json)).toMatchObject({ timeZoneData: '2025c' });
  });
});

describeWithServer('names of time zones on an API server', {}, (server) => {
  let transport: Transport;

  beforeAll(async () => {
    await installCrds(server());
    transport = transportOf(server().adminKubeconfig, { limits: { default: { qps: 10_000, burst: 10_000 } } });
  }, 120_000);
  afterAll(() => transport.close());

  /** What the API server says of the zone in each of these windows. */
  async function answers(names: readonly string[]): Promise<readonly (readonly string[])[]> {
    const metadata = { name: 'zones', namespace: 'default' };
    const placement = { apiVersion: apiVersionOf(Placements), kind: Placements.kind, metadata };
    const refused = await transport
      .call({
        method: 'POST',
        path: collectionPath(Placements, 'default'),
        query: { dryRun: 'All' },
        body: JSON.stringify({ ...placement, spec: { changeWindows: names.map(windowIn) } }),
        idempotent: true,
        target: { verb: 'create', resource: Placements.plural },
      })
      .then(
        () => [],
        (error: unknown) => {
          if (error instanceof ApiError && error.causes.length > 0) return error.causes;
          throw error;
        },
      );
    return names.map((_, at) =>
      refused.filter(({ field }) => field === `spec.changeWindows[${at}].timeZone`).map(({ message }) => message),
    );
  }

  it('the API server takes a name when the controller does, and says the same of others', async () => {
    const differing: unknown[] = [];
    for (let at = 0; at < NAMES.length; at += WINDOWS) {
      const names = NAMES.slice(at, at + WINDOWS);
      const said = await answers(names);
      names.forEach((name, index) => {
        const [answer, problem] = [said[index] ?? [], problemOf(name)];
        const isSame = problem === undefined ? answer.length === 0 : answer.some((text) => text.includes(RULE));
        if (!isSame) differing.push({ name, answer, problem });
      });
    }
    expect(differing).toEqual([]);
  }, 120_000);
});
