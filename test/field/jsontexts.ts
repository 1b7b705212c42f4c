import type { ManifestText } from './yamltexts.js';

/** Manifests in JSON as people, editors and templates write them: whole, nearly so, and several in one file. */

type Make = (name: string) => string;

const placement = (name: string, spec = '{}'): string =>
  `{"apiVersion":"cluster.fleetmgmt.io/v1alpha1","kind":"Placement","metadata":{"name":"${name}","namespace":"default"},"spec":${spec}}`;
const number =
  (value: string): Make =>
  (name) =>
    placement(name, `{"numberOfClusters":${value}}`);
const annotation =
  (value: string): Make =>
  (name) =>
    placement(name).replace('"namespace"', `"annotations":{"a":${value}},"namespace"`);
const around =
  (before: string, after: string): Make =>
  (name) =>
    `${before}${placement(name)}${after}`;
const pair =
  (between: string, after = ''): Make =>
  (name) =>
    `${placement(name)}${between}${placement(`${name}-b`)}${after}`;

const NUMBERS = ['+3', '010', '08', '0x1F', '1_000', '.5', '3.', '1.0', '1e1', '1E+1', '-0', '1e400', 'NaN', '-NaN'];
const MORE_NUMBERS = ['Infinity', '.inf', 'True', 'yes', '~', '', '!!int "3"', '3 4', "'3'", '0o17', '1:30', '--1'];
const STRINGS = ["'a'", 'a', '"a\\qb"', '"a\\/b"', '"\\x41"', '"\\u00e4"', '"\\ud800"', '"\\u00"', '"a\tb"', '"a\nb"'];
const MORE_STRINGS = [
  '"a\\\nb"',
  '"a" "b"',
  '"\u0000"',
  '"\u0007"',
  '"\u0085"',
  '"\\0"',
  '"\\e"',
  "'it''s'",
  '"a',
  '|\n a',
];
const BEFORE = [
  '\ufeff',
  '\ufeff\ufeff',
  ' \ufeff',
  '\n\n',
  '\t',
  '\u00a0',
  '\u0085',
  '\u2003\n',
  '\v',
  '// c\n',
  ' # c\n',
];
const MORE_BEFORE = [
  '---\n',
  '--- # c\n',
  '---',
  '...\n',
  '%YAML 1.1\n---\n',
  '/* c */',
  'null\n',
  '[',
  '{}',
  '{}\n',
  ',',
  ' '.repeat(5000),
];
const AFTER = [
  '}',
  ',',
  ';',
  ' x',
  '\nx',
  '\nx: y',
  '\nx: y\n',
  '# c',
  '\n#c',
  '\n# c',
  '\n# comment\n',
  '// c',
  '\n// c\n',
];
const MORE_AFTER = [
  '\n---',
  '\n---\n',
  '---\n',
  '\n--- x\n',
  '\n...\n',
  '\nnull\n',
  ' 5',
  ' "x"',
  '[]',
  '\u0000',
  '\u00a0',
  '\u00a0\n',
  '\v\n',
];
const BETWEEN = [
  '',
  ' ',
  '\n',
  '\n\n',
  ',',
  ',\n',
  '\n---\n',
  '\n--- # c\n',
  '---',
  ' ---\n',
  '\n...\n',
  ' # c\n',
  '\n# c\n',
  'null',
  ';',
];

/** The whole object, and what may stand around and within it. */
const BY_HAND: readonly Make[] = [
  ...[...NUMBERS, ...MORE_NUMBERS].map(number),
  ...[...STRINGS, ...MORE_STRINGS].map(annotation),
  ...[...BEFORE, ...MORE_BEFORE].map((before) => around(before, '')),
  ...[...AFTER, ...MORE_AFTER].map((after) => around('', after)),
  ...BETWEEN.map((between) => pair(between)),
  (name) => placement(name, '{"ClusterSets":["a","b",]}'),
  (name) => placement(name, '{"ClusterSets":["a",,"b"]}'),
  (name) => placement(name, '{,}'),
  (name) => placement(name, '{"numberOfClusters":1,}'),
  (name) => placement(name, '{"numberOfClusters":1 /* one */}'),
  (name) => placement(name, '{"numberOfClusters":1, // one\n}'),
  (name) => placement(name, '{"numberOfClusters":1 # one\n}'),
  (name) => placement(name, '{"numberOfClusters":1,"numberOfClusters":2}'),
  (name) => placement(name, '{"numberOfClusters":1,"numberOfClusters":2,}'),
  (name) => placement(name, '{"numberOfClusters":"1","numberOfClusters":2}'),
  (name) => placement(name, '{numberOfClusters: 1}'),
  (name) => placement(name, '{numberOfClusters:1}'),
  (name) => placement(name, '{"numberOfClusters" : 1}'),
  (name) => placement(name, '{"numberOfClusters" 1}'),
  (name) => placement(name, '{"numberOfClusters"}'),
  (name) => placement(name, '{"spec":1'),
  (name) => placement(name).replaceAll('"', "'"),
  (name) => placement(name).slice(0, -1),
  (name) => `${placement(name)}${placement(`${name}-b`).slice(0, -1)}`,
  (name) => `${placement(name)}\n${placement(`${name}-b`).replaceAll('"', "'")}`,
  (name) => `${placement(name)}\n---\n${placement(`${name}-b`).replaceAll('"', "'")}`,
  (name) => `${placement(name)}\n${placement(`${name}-b`, '{"numberOfClusters":1,}')}\n`,
  (name) => `${placement(name, '{"numberOfClusters":1,}')}\n${placement(`${name}-b`)}\n`,
  (name) => `${placement(name, '{"numberOfClusters":1,}')}\n---\n${placement(`${name}-b`)}\n`,
  (name) => `${placement(name)}\n---\n${placement(`${name}-b`)}\n---\n${placement(`${name}-c`)}\n`,
  (name) => `${placement(name)}\n---\n${placement(`${name}-b`)}\n${placement(`${name}-c`)}\n`,
  (name) => `${placement(name)}\n${placement(`${name}-b`)}\n---\n${placement(`${name}-c`)}\n`,
  (name) => `${placement(name)}${placement(`${name}-b`)}${placement(`${name}-c`)}`,
  (name) => `${placement(name)}${placement(`${name}-b`)} x`,
  (name) => `${placement(name)}${placement(`${name}-b`)}\n# a comment\n`,
  (name) => `---\n${placement(name)}\n${placement(`${name}-b`)}\n`,
  (name) => `---\n${placement(name)}\n---\n${placement(`${name}-b`)}\n`,
  (name) => `# a comment\n${placement(name)}${placement(`${name}-b`)}`,
  (name) => `[${placement(name)}]`,
  (name) => `{"apiVersion":"v1","kind":"List","items":[${placement(name)},${placement(`${name}-b`)}]}`,
  (name) => `{"apiVersion":"v1","kind":"List","items":[${placement(name)},]}`,
  (name) => `{"kind":"List","items":[${placement(name)}]}`,
  (name) =>
    `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"List","items":[${placement(name)}]}]}`,
  (name) => `{"apiVersion":"v1","kind":"List","items":null,"metadata":{"name":"${name}"}}`,
  (name) => `{"apiVersion":"v1","kind":"List","items":[null,${placement(name)}]}`,
  (name) => `{"apiVersion":"v1","kind":"List","items":[]}${placement(name)}`,
  (name) => `{"apiVersion":"v1","kind":"List","items":{}}${placement(name)}`,
  (name) => `${placement(name).slice(0, -1)},"items":[]}`,
  (name) => `${placement(name).slice(0, -1)},"items":[${placement(`${name}-b`)}]}`,
  (name) => `${placement(name).slice(0, -1)},"items":null}`,
  (name) => `${placement(name).slice(0, -1)},"items":"a"}`,
  (name) => `${placement(name)}\n`.replaceAll(',', ',\r\n'),
  (name) => `${placement(name)}\n`.replaceAll(',', ',\n\t'),
];

const PIECES = [
  ',',
  '}',
  '{',
  ']',
  '"',
  "'",
  '\n',
  '\n---\n',
  ' # c\n',
  '//',
  '\t',
  '\u00a0',
  '\ufeff',
  'NaN',
  '+',
  '0',
  ':',
  'a',
  '\\',
  '\\u12',
  'null',
  '{}',
  '&a ',
  '*a',
  '!!str ',
  '- ',
  '? ',
  '...',
];

/** One or two objects into which something is set, or of which something is left out, where tokens meet. */
function mutated(random: () => number): Make {
  const [isPair, count] = [random() < 0.3, 1 + Math.floor(random() * 2)];
  const edits = Array.from({ length: count }, () => ({ at: random(), what: random(), removes: random() < 0.3 }));
  return (name) => {
    const whole = placement(name, '{"numberOfClusters":10,"ClusterSets":["a","b"]}');
    const tokens = (isPair ? `${whole}\n${placement(`${name}-b`)}\n` : whole).split(/(?<=[{}[\],:\n])|(?=[{}[\],:\n])/);
    for (const { at, what, removes } of edits)
      tokens.splice(
        Math.floor(at * (tokens.length + 1)),
        removes ? 1 : 0,
        PIECES[Math.floor(what * PIECES.length)] ?? '',
      );
    return tokens.join('');
  };
}

/** Those by hand, and `count` that are made of `random`. */
export function jsonTexts(random: () => number, count: number): readonly ManifestText[] {
  const made = [...BY_HAND, ...Array.from({ length: count }, () => mutated(random))];
  return made.map((make, index) => {
    const name = `j${String(index).padStart(4, '0')}`;
    return { name, text: make(name) };
  });
}
