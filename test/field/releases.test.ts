import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { loadAll } from 'js-yaml';
import type { RawObject } from '../../src/runtime/vocabulary/meta.js';
import { field, recordsIn, textField } from '../../src/runtime/vocabulary/json.js';
import { ALLOW_ADDITIONS_ANNOTATION, ALLOW_REMOVALS_ANNOTATION } from '../../src/api/names.js';
import { checkHub } from '../../src/answers/check/hub.js';
import { explainPlacement } from '../../src/cli/commands/explain.js';
import { tree } from '../../src/cli/commands/tree.js';
import { releaseClusters } from '../../src/cli/commands/release.js';
import { readConfig } from '../support/commandline.js';
import { worldOf, type World } from '../../src/answers/world/world.js';
import { readRelease, releaseText } from '../../src/domain/placement/spec/budget.js';
import { EXAMPLE_SPEC, exampleWorld } from '../support/builders/examplefleet.js';
import { hubFacts, NOW, placementIn, readingOf } from '../support/builders/hubinput.js';
import { rawPlacement } from '../support/builders/world.js';
import { root } from '../support/repository/root.js';
import { heldWorld, ReleaseClient } from '../support/fakes/releaseclient.js';

/*
 * People released clusters with `--for 8760h`, or wrote an annotation for `*` until 2099, and forgot it: the budget bounded nothing
 * from then on, and no command said so.
 * What is right: the command releases for a day at most; explain, tree and check say of each release until when and for whom, and
 * check warns of a longer one, and of one that cannot be read.
 */

const DAY = 86_400_000;
const FOREVER = '2099-01-01T00:00:00Z/*';

function worldWith(annotations: Readonly<Record<string, string>>): World {
  const placement = rawPlacement(EXAMPLE_SPEC);
  const placements = [{ ...placement, metadata: { ...placement.metadata, annotations } }];
  return { ...exampleWorld(EXAMPLE_SPEC, { placements }), at: NOW };
}

function shown(annotations: Readonly<Record<string, string>>, output: 'text' | 'json'): readonly string[] {
  const world = worldWith(annotations);
  const request = { namespace: 'shop', placement: 'web', cluster: undefined, nearest: 0, output, colored: false };
  return [explainPlacement(world, request), tree(readingOf(world), undefined, { output, colored: false })];
}

function checked(annotations: Readonly<Record<string, string>>, basis = {}): unknown {
  const placement = placementIn('Satisfied');
  const placements = [{ ...placement, metadata: { ...placement.metadata, annotations }, status: { basis } }];
  const { objects } = hubFacts().reading.world;
  const facts = hubFacts({ reading: readingOf(worldOf({ ...objects, placements })) });
  return checkHub(facts).filter(({ name }) => name === 'releases');
}

describe('a release', () => {
  it.each(['8760h', '25h', '7d', '2d'])('of %s is refused with flag, value and rule', (duration) => {
    expect(readConfig(['release', 'placement', 'web', '--for', duration], {})).toMatchObject({
      exitCode: 1,
      text: `multicluster-engine: --for must be a duration such as 30s, 10m or 1h, from 1s to 24h, got "${duration}"\n`,
    });
  });

  it('that is older than the loss of a definition is said not to count', () => {
    const basis = { releaseBefore: readRelease('2026-11-22T18:00:00Z/*')?.id };

    expect(checked({ [ALLOW_REMOVALS_ANNOTATION]: '2026-11-22T18:00:00Z/*' }, basis)).toMatchObject([
      {
        status: 'Passed',
        message:
          'shop/web: the release of all clusters that fail a rule until 2026-11-22T18:00:00Z does not count: ' +
          'a definition was lost after it',
      },
    ]);
  });

  it('of a day is taken', () => {
    expect(readConfig(['release', 'placement', 'web', '--for', '1d'], {})).toMatchObject({ forMs: DAY });
  });

  it.each([
    [
      'of all that leave',
      ALLOW_REMOVALS_ANNOTATION,
      FOREVER,
      'all clusters that fail a rule may leave until 2099-01-01T00:00:00Z, and nothing holds them; ' +
        `to end it: kubectl annotate placement web -n shop ${ALLOW_REMOVALS_ANNOTATION}-`,
    ],
    [
      'of all that come in',
      ALLOW_ADDITIONS_ANNOTATION,
      FOREVER,
      'all clusters that match may come in until 2099-01-01T00:00:00Z',
    ],
    [
      'of named clusters',
      ALLOW_REMOVALS_ANNOTATION,
      '2026-11-22T13:00:00Z/a,b\u001b[2J',
      'a, "b\\u001b[2J" may leave until 2026-11-22T13:00:00Z',
    ],
    [
      'of more clusters than can be named',
      ALLOW_REMOVALS_ANNOTATION,
      releaseText(
        NOW + 60_000,
        Array.from({ length: 9_000 }, (_, at) => `cluster-${at}`),
      ) ?? '',
      '9000 clusters may leave until 2026-11-22T12:01:00Z',
    ],
    [
      'that cannot be read',
      ALLOW_REMOVALS_ANNOTATION,
      'tomorrow/*',
      `annotation ${ALLOW_REMOVALS_ANNOTATION} cannot be read and releases nothing`,
    ],
  ])('%s is shown by explain and tree, in text and JSON', (_kind, annotation, value, text) => {
    for (const one of shown({ [annotation]: value }, 'text')) expect(one).toContain(text);
    for (const one of shown({ [annotation]: value }, 'json')) expect(one).toContain(JSON.stringify(text).slice(1, -1));
  });

  it('of all, when it is made, says that nothing holds them, and how to end it', async () => {
    const request = { namespace: 'shop', placement: 'web', clusters: ['*'], now: NOW, until: NOW + DAY };

    expect(await releaseClusters(new ReleaseClient(heldWorld()), request)).toBe(
      'shop/web: all clusters that fail a rule may leave until 2026-11-23T12:00:00Z, and nothing holds them; ' +
        `to end it: kubectl annotate placement web -n shop ${ALLOW_REMOVALS_ANNOTATION}-`,
    );
  });

  it('that has ended is not shown', () => {
    const ended = { [ALLOW_REMOVALS_ANNOTATION]: '2026-11-22T12:00:00Z/*' };

    for (const one of [...shown(ended, 'text'), ...shown(ended, 'json')]) expect(one).not.toMatch(/may leave|releases/);
    expect(checked(ended)).toEqual([]);
  });

  it('is passed by check while it ends within a day, and a warning after that or when it cannot be read', () => {
    expect(checked({ [ALLOW_REMOVALS_ANNOTATION]: '2026-11-23T12:00:00Z/*' })).toMatchObject([
      { status: 'Passed', message: expect.stringContaining('shop/web: all clusters that fail a rule may leave until') },
    ]);
    expect(checked({ [ALLOW_REMOVALS_ANNOTATION]: FOREVER, [ALLOW_ADDITIONS_ANNOTATION]: 'x' })).toMatchObject([
      {
        status: 'Warning',
        message: expect.stringContaining('shop/web: all clusters that fail a rule may leave until 2099'),
        remedy: `kubectl annotate placement web -n shop ${ALLOW_REMOVALS_ANNOTATION}-`,
      },
      { status: 'Warning', message: expect.stringContaining('cannot be read and releases nothing') },
    ]);
  });
});

describe('an annotation of a release that nobody can read', () => {
  /** The pattern of the policy that warns of it, which CEL has as a text in two parts with escapes. */
  function patternOfPolicy(): RegExp {
    const text = readFileSync(path.join(root, 'deploy/base/policies/warnings.yaml'), 'utf8');
    const variables = (loadAll(text) as readonly RawObject[]).flatMap(({ spec }) =>
      recordsIn(field(spec, 'variables')),
    );
    const one = variables.find((variable) => textField(variable, 'name') === 'unreadable');
    const [, parts = ''] = /\.matches\(([^]*)\)\)$/.exec(textField(one, 'expression')) ?? [];
    const pattern = [...parts.matchAll(/'([^']*)'/g)].map(([, part]) => part).join('');
    expect(pattern).toMatch(/^\^.*\$$/);
    return new RegExp(pattern.replaceAll('\\\\', '\\'));
  }
  const digit = (most: number): fc.Arbitrary<string> =>
    fc.integer({ min: 0, max: most }).map((n) => `${n}`.padStart(2, '0'));
  const time = fc
    .tuple(
      digit(14),
      digit(33),
      digit(26),
      digit(63),
      digit(63),
      fc.constantFrom('Z', 'z', '', '+01:00', '-23:59', '+24:00', '+01:60'),
    )
    .map(([month, day, hour, minute, second, zone]) => `2026-${month}-${day}T${hour}:${minute}:${second}${zone}`);
  const names = fc.constantFrom('*', 'a', 'a.b-1, c', '~Ab_-0123', '~Ab_-0123Ab_-0124', '~Ab_', '~');

  it('is warned of by the policy, and what the command writes is not', () => {
    const pattern = patternOfPolicy();
    const written = [['*'], ['a', 'b-1.c'], Array.from({ length: 9000 }, (_, index) => `cluster-${index}`)];
    for (const clusters of written) expect(releaseText(NOW, clusters)).toMatch(pattern);
    fc.assert(
      fc.property(
        fc.oneof(
          fc.tuple(time, names).map((both) => both.join('/')),
          time,
          names,
          fc.string(),
        ),
        (text) => {
          if (readRelease(text) === undefined) expect(text).not.toMatch(pattern);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
