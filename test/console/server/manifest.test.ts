import { expect, it } from '@jest/globals';
import { readYaml } from '@multicluster-engine/values/yaml';
import fc from 'fast-check';
import { manifestOf, manifestText, objectText } from '../../../src/console/server/manifest.js';
import { hasUnseen } from '../../../src/console/wire/unseen.js';
import { rawPlacement } from '../../support/builders/world.js';

it('a manifest shows what is not seen as an escape, and is the same object', () => {
  const object = rawPlacement({ note: 'a: \u202elive', 'k\u200b': ['\\x01u202e', '\u{e0041}\ttab\nline'] });
  const text = manifestText(object);
  expect(text).toContain(String.raw`note: "a: \u202elive"`);
  expect(text).toContain(String.raw`\U000e0041`);

  const pieces = fc.constantFrom(
    'a',
    '\\',
    '\\x01',
    'x01',
    '\u0001',
    '\u202e',
    '\u{e0041}',
    '\n',
    '\t',
    '"',
    ': ',
    '#',
  );
  const value = fc.array(pieces, { maxLength: 8 }).map((list) => list.join(''));
  fc.assert(
    fc.property(value, value, (key, one) => {
      const given = rawPlacement({ [`k${key}`]: one, list: [one] });
      const shown = manifestText(given);
      expect(readYaml(shown).value).toEqual(JSON.parse(JSON.stringify(manifestOf(given))));
      expect(shown.split('\n').filter((line) => hasUnseen(line.replaceAll('\t', '')))).toEqual([]);
    }),
  );
});

it('a text that holds what stands for an escape while it is printed makes no longer one', () => {
  const note = `\\x02${String.raw`\x01`.repeat(2_000)}${'\u202e'.repeat(2_000)}`;
  const text = manifestText(rawPlacement({ note }));
  expect(text.length).toBeLessThan(10 * note.length);
  expect(readYaml(text).value).toMatchObject({ spec: { note } });
});

it('an object is printed as kubectl prints it, without managedFields', () => {
  const { metadata, ...rest } = rawPlacement({ numberOfClusters: 2, list: ['on', 'plain', '1'], note: '\u202elive' });
  const object = {
    kind: 'Placement',
    apiVersion: 'v1',
    ...rest,
    metadata: { ...metadata, managedFields: [{ manager: 'x' }] },
  };
  const text = objectText(object);
  expect(text.split('\n', 2)).toEqual(['apiVersion: v1', 'kind: Placement']);
  expect(text).toContain('  list:\n  - "on"\n  - plain\n  - "1"\n  note: "\\u202elive"\n  numberOfClusters: 2\n');
  expect(text).not.toContain('managedFields');
  expect(readYaml(text).value).toEqual(
    JSON.parse(JSON.stringify({ ...rest, metadata, kind: 'Placement', apiVersion: 'v1' })),
  );
});
