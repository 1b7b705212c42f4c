import { RULE_SPECS } from './ruletexts.js';

/** Manifests as people, editors and templates write them, for comparisons of the readers of YAML. */

/** A text whose objects are named after `name`, so that the results of many can be told apart. */
export interface ManifestText {
  readonly name: string;
  readonly text: string;
  /** Default UTF-8. */
  readonly encoding?: BufferEncoding;
  /** Why the product refuses what kubectl accepts; undefined where both agree. */
  readonly refusedHere?: string;
}

const API = 'apiVersion: cluster.fleetmgmt.io/v1alpha1';

function head(name: string, kind = 'Placement', more = ''): string {
  const namespace = kind === 'Placement' || kind === 'ManagedClusterSetBinding' ? '  namespace: default\n' : '';
  return `${API}\nkind: ${kind}\nmetadata:\n  name: ${name}\n${namespace}${more}`;
}

type Make = (name: string) => string;

const spec =
  (text: string): Make =>
  (name) =>
    `${head(name)}spec:\n  ${text}\n`;
const number = (value: string): Make => spec(`numberOfClusters: ${value}`);
const annotation =
  (value: string): Make =>
  (name) =>
    `${head(name, 'Placement', `  annotations:\n    a: ${value}\n`)}spec: {}\n`;
const label =
  (value: string): Make =>
  (name) =>
    `${head(name, 'ManagedCluster', `  labels:\n    tier: ${value}\n`)}spec: {}\n`;
const ruled =
  (kind: string, text: string): Make =>
  (name) =>
    `${head(name, kind)}spec: {${text}}\n`;
const json = (name: string, more = '{}'): string =>
  `{"apiVersion":"cluster.fleetmgmt.io/v1alpha1","kind":"Placement","metadata":{"name":"${name}","namespace":"default"},"spec":${more}}`;

/** Plain scalars that two versions of YAML, or two readers, read differently, and their neighbours. */
const SCALARS: readonly string[] = [
  'on',
  'On',
  'off',
  'yes',
  'YES',
  'no',
  'y',
  'Y',
  'n',
  'true',
  'True',
  'TRUE',
  'tRue',
  'false',
  '~',
  'null',
  'Null',
  '0777',
  '0o17',
  '0O17',
  '08',
  '0x1F',
  '0x1g',
  '0b101',
  '0b2',
  '1_000',
  '_1',
  '1_',
  '1e3',
  '1E3',
  '1e+3',
  '1.0',
  '1.50',
  '3.',
  '.5',
  '+3',
  '-0',
  '1:30',
  '190:20:30',
  '.inf',
  '-.INF',
  '.nan',
  'NaN',
  'inf',
  '1e400',
  '12345678901234567890',
  '2026-01-01',
  '2026-01-01T00:00:00Z',
  '2026-1-1',
  '1.2.3',
  '0.1e1',
  '1e',
  '0x',
  '=',
  '-',
  '- 1',
  '<<',
  '!!str 3',
  '!!int "3"',
  '!!float 3',
  '!!bool "yes"',
  '!!binary aGk=',
  '!!null ""',
  '!own 3',
  '!!timestamp 2026-01-01',
  '"3"',
  "'3'",
  '"yes"',
  "'null'",
  '""',
  "''",
  '"a\\/b"',
  '"a\\tb"',
  '"\\u00e4"',
  '"\\x41"',
  "'it''s'",
  '"\\ud83d\\ude00"',
  'a b',
  'a: b',
  'a #b',
  'a#b',
  '"a" b',
  '@a',
  '`a',
  '%a',
  '*a',
  '&a b',
  '? a',
  '[a',
  '{a: b}',
  '[1, 2]',
  '|\n      x',
  '>-\n      x\n      y',
];

const OTHER_BREAK = 'U+0085, U+2028 and U+2029 are letters to one reader, line breaks to the other';
const NOT_EXACT = 'an integer beyond 2^53 cannot be read exactly';

/** Structure: keys, documents, lists, fields. */
/** Values in brackets or quotes whose next lines are not indented, tabs and comments where one reader or the other minds them. */
const BLANKS: readonly string[] = [
  'spec: {numberOfClusters: 3\n}',
  'spec: {\nnumberOfClusters: 3\n}',
  'spec: {\n\tnumberOfClusters: 3,\n\tClusterSets: [a,\n\tb]\n}',
  'spec: {numberOfClusters: 3,\nClusterSets: [a,\nb\n]\n}',
  'spec:\n  ClusterSets: [a,\nb]',
  'spec:\n  ClusterSets: [\n  a,\n  b\n  ]\n  numberOfClusters: 1',
  'spec:\n  ClusterSets:\n  - "a\nb"\n  - \'c\n  d\'',
  'spec: {ClusterSets: [a\nb]}',
  'spec: {ClusterSets: [a\n\tb]}',
  'spec: {ClusterSets: [a\n \tb]}',
  'spec: {ClusterSets: [a\n\t]}',
  'spec: {ClusterSets: [a,\n\t]}',
  'spec: {ClusterSets: [a,\n\t\nb]}',
  'spec: {ClusterSets: ["a"\n\t\n]}',
  'spec: {ClusterSets: [a\n...\n]}',
  'spec: {ClusterSets: [a\n',
  'spec: {ClusterSets:\n[a]\n}',
  'spec: {ClusterSets\n: [a]\n}',
  'spec:\n{numberOfClusters: 3}',
  'spec:\n  numberOfClusters:\n  3',
  'spec:\t{numberOfClusters: 3}',
  'spec: {\tnumberOfClusters: 3}',
  'spec: { \tnumberOfClusters:\t3,\tClusterSets:\t[\ta\t]\t}\t',
  'spec: {}#x',
  'spec: {} #x',
  'spec: {}#x\n#y',
  'spec: {#x\n}',
  'spec: {numberOfClusters: 3,#x\n}',
  'spec: {numberOfClusters: 3#x\n}',
  'spec:\n  ClusterSets: ["a"#x\n, b]#y',
  'spec:\n  ClusterSets: [a]#x\n  numberOfClusters: 1',
  'spec: {}\n\t',
  'spec: {}\n\t\n',
  'spec: {}\n \t\n',
  'spec: {}\n\t# end',
  'spec: {}\n...\n\t',
  'spec:\n\t\n  numberOfClusters: 1',
  'spec:\n  numberOfClusters: 1\n\t\n  ClusterSets: [a]',
  'spec:\n  numberOfClusters: 1\n \t\n  ClusterSets: [a]',
  'spec:\n  numberOfClusters: 1\n  \t\n  ClusterSets: [a]',
  'spec:\n  numberOfClusters: 1\n   \t\n  ClusterSets: [a]',
  'spec:\n  numberOfClusters: 1 # one\n   \t\n  ClusterSets: [a]',
  'spec:\n  numberOfClusters: 1\n# one\n   \t\n  ClusterSets: [a]',
  'spec:\n  ClusterSets: [a]\n   \t\n  numberOfClusters: 1',
  'spec:\n  ClusterSets:\n  - a\n  \t\n  - b',
  'spec:\n  ClusterSets:\n  - a\n   \t\n  - b',
];

const STRUCTURES: readonly (Make | readonly [Make, string])[] = [
  (name) => `${head(name)}spec:\n  numberOfClusters: 1\n  numberOfClusters: 2\n`,
  (name) => `${head(name)}spec: {numberOfClusters: 1}\nspec: {numberOfClusters: 2}\n`,
  (name) => `${head('other')}  name: ${name}\nspec: {}\n`,
  (name) => `${head(name)}spec: &s {numberOfClusters: 1}\n`,
  (name) => `${head(name, 'Placement', '  annotations: {a: &v one, b: *v}\n')}spec: {}\n`,
  (name) => `${head(name)}spec:\n  <<: {numberOfClusters: 4}\n`,
  (name) => `${head(name)}spec:\n  <<: &m {numberOfClusters: 4}\n  numberOfClusters: 5\n`,
  (name) => `${head(name)}spec:\n  numberOfClusters: 5\n  <<: [{numberOfClusters: 4}, {ClusterSets: [a]}]\n`,
  (name) => `${head(name)}spec:\n  <<: 4\n`,
  (name) => `${head(name)}spec:\n  "<<": {numberOfClusters: 4}\n`,
  (name) => `${head(name)}spec:\n  !!merge <<: {numberOfClusters: 4}\n`,
  (name) => `${head(name)}spec:\n  <<: {numberOfClusters: 4}\n  <<: {numberOfClusters: 3, ClusterSets: [a]}\n`,
  (name) => `${head(name)}spec: *missing\n`,
  (name) => `${head(name)}spec: &s {a: *s}\n`,
  (name) => `${head(name, 'Placement', '  annotations: {1: a, true: b, 1.5: c, 0x10: d, 0777: e}\n')}spec: {}\n`,
  (name) => `${head(name, 'Placement', '  annotations: {yes: a}\n')}spec: {}\n`,
  (name) => `${head(name, 'Placement', '  annotations: {~: a}\n')}spec: {}\n`,
  (name) => `${head(name, 'Placement', '  annotations: {? [a] : b}\n')}spec: {}\n`,
  (name) => `${head(name, 'Placement', '  annotations: {? a : b}\n')}spec: {}\n`,
  (name) => `${head(name, 'Placement', '  annotations: {a}\n')}spec: {}\n`,
  (name) => `${head(name, 'Placement', '  annotations: {"a b": c}\n')}spec: {}\n`,
  (name) => `${head(name, 'ManagedCluster', '  labels: {a: "b c"}\n')}spec: {}\n`,
  (name) => `${head(name, 'ManagedCluster', '  labels: {"a/b/c": d}\n')}spec: {}\n`,
  (name) => `${head(name, 'ManagedCluster', '  labels: [a]\n')}spec: {}\n`,
  (name) => `${head(name)}spec: {}\n---\n---\n# nothing\n---\n${head(`${name}-b`)}spec: {}\n`,
  (name) => `---\n${head(name)}spec: {}\n---\n`,
  (name) => `--- # first\n${head(name)}spec: {}\n--- # second\n${head(`${name}-b`)}spec: {}\n`,
  (name) => `${head(name)}spec: {}\n...\n`,
  (name) => `${head(name)}spec: {}\n...\n---\n${head(`${name}-b`)}spec: {}\n`,
  (name) => `${head(name)}spec: {}\n...\n${head(`${name}-b`)}spec: {}\n`,
  (name) => `${head(name)}spec: {}\n--- {a: b}\n`,
  (name) => `${head(name)}spec: {}\n----\n${head(`${name}-b`)}spec: {}\n`,
  (name) => `${head(name)}spec: {}\n ---\n${head(`${name}-b`)}spec: {}\n`,
  (name) => `%YAML 1.1\n---\n${head(name)}spec: {}\n`,
  (name) => `%YAML 1.2\n---\n${head(name)}spec: {}\n`,
  (name) => `%TAG ! tag:example.com,2000:\n---\n${head(name)}spec: {}\n`,
  (name) => `\ufeff${head(name)}spec: {}\n`,
  (name) => `${head(name)}spec:\n  numberOfClusters: 2\n`.replaceAll('\n', '\r\n'),
  (name) => `${head(name)}spec:\n  numberOfClusters: 2\n---\n${head(`${name}-b`)}spec: {}\n`.replaceAll('\n', '\r\n'),
  (name) => `${head(name)}spec:\n  numberOfClusters: 2\n`.replaceAll('\n', '\r'),
  (name) => `${head(name)}spec:\n\tnumberOfClusters: 1\n`,
  (name) => `${head(name)}spec:\n  numberOfClusters:\t1\n`,
  (name) => `${head(name)}spec:\n  numberOfClusters: 1 \t# one\n`,
  (name) => `${head(name)}spec:\n   numberOfClusters: 1\n  ClusterSets: [a]\n`,
  (name) => `${head(name)}spec:\n  ClusterSets:\n  - a\n  - b\n`,
  (name) => `${head(name)}spec:\n  ClusterSets:\n  -a\n`,
  (name) => `${head(name)}spec:\n  ClusterSets: [a, b,]\n`,
  (name) => `${head(name)}spec:\n  ClusterSets: [a, , b]\n`,
  (name) => `${head(name)}spec:\n  ClusterSets: [1, b]\n`,
  (name) => `${head(name)}spec:\n  ClusterSets: [no]\n`,
  (name) => `${head(name)}spec:\n  ClusterSets: [a, a]\n`,
  (name) => `${head(name)}spec:\n  ClusterSets: a\n`,
  (name) => `${head(name)}spec:\n  ClusterSets: null\n`,
  (name) => `${head(name)}spec:\n  ClusterSets: [~]\n`,
  (name) => `${head(name)}spec:\n  predicates: [{requiredClusterSelector: {labelSelector: {matchLabels: {a: ~}}}}]\n`,
  (name) => `${head(name)}spec:\n  predicates: [{requiredClusterSelector: {labelSelector: {matchLabels: {a: 1}}}}]\n`,
  (name) => `${head(name)}spec:\n  predicates: [{requiredClusterSelector: {labelSelector: {matchLabels: {a: "1"}}}}]\n`,
  (name) => `${head(name)}spec:\n  predicates: [~]\n`,
  (name) => `${head(name)}spec:\n  predicates: [{requiredClusterSelector: {labelSelectors: {}}}]\n`,
  (name) => `${head(name)}spec:\n  disruptionBudget: {maxRemovals: 10%}\n`,
  (name) => `${head(name)}spec:\n  disruptionBudget: {maxRemovals: 010}\n`,
  (name) => `${head(name)}spec:\n  disruptionBudget: {maxRemovals: 1.5}\n`,
  (name) => `${head(name)}spec:\n  disruptionBudget: {}\n`,
  (name) => `${head(name)}spec:\n  tolerations: [{key: gpu, operator: Exists, tolerationSeconds: 1e2}]\n`,
  (name) => `${head(name)}spec:\n  tolerations: [{key: gpu, operator: exists}]\n`,
  [
    (name) => `${head(name)}spec:\n  tolerations: [{key: a, operator: Exists, tolerationSeconds: 9007199254740993}]\n`,
    NOT_EXACT,
  ],
  (name) => `${head(name)}spec:\n  numberofclusters: 4\n`,
  (name) => `${head(name)}spec: {}\nspecc: {}\n`,
  (name) => `${head(name)}spec: {}\nstatus: {phase: Satisfied}\n`,
  (name) => `${head(name)}spec: {}\nstatus: {phases: Satisfied}\n`,
  (name) => `${head(name, 'Placement', '  lables: {a: b}\n')}spec: {}\n`,
  (name) => `${head(name, 'Placement', '  generation: one\n')}spec: {}\n`,
  (name) => `${head(name, 'Placement', '  finalizers: a\n')}spec: {}\n`,
  (name) => `${head(name)}`,
  (name) => `${head(name)}spec:\n`,
  (name) => `${head(name)}spec: null\n`,
  (name) => `${head(name)}spec: text\n`,
  (name) => `${head(name)}spec: []\n`,
  (name) => `${head(name).replace('kind: Placement', 'kind: placement')}spec: {}\n`,
  (name) => `${head(name).replace('kind: Placement', 'kind: Placements')}spec: {}\n`,
  (name) => `${head(name).replace('v1alpha1', 'v1')}spec: {}\n`,
  (name) => `${head(name).replace('apiVersion', 'apiversion')}spec: {}\n`,
  (name) => `${head(name).replace('kind: Placement', 'kind: [Placement]')}spec: {}\n`,
  (name) => `${head(name.toUpperCase())}spec: {}\n`,
  (name) => `${head(`${name}-${'a'.repeat(60)}`)}spec: {}\n`,
  (name) => `${head(name, 'ManagedCluster', '  namespace: default\n')}spec: {}\n`,
  (name) => `${API}\nkind: Placement\nmetadata: {name: ${name}}\nspec: {}\n`,
  (name) => `${API}\nkind: Placement\nmetadata: {name: ${name}, namespace: A}\nspec: {}\n`,
  (name) => `${API}\nkind: PlacementDecision\nmetadata: {name: ${name}, namespace: default}\n`,
  (name) => `${API}\nkind: PlacementDecision\nmetadata: {name: ${name}, namespace: default}\nstatus: {decisions: []}\n`,
  (name) => `${head(name)}spec: {}\nstatus: {conditions: none}\n`,
  (name) => `${head(name, 'Placement', '  finalizers: [a b]\n')}spec: {}\n`,
  (name) => `${head(name, 'Placement', '  finalizers: [example.com/a]\n')}spec: {}\n`,
  (name) => `${head(name, 'Placement', '  generation: -1\n')}spec: {}\n`,
  (name) => `${head(name, 'Placement', '  ownerReferences: [{apiVersion: v1, kind: Pod, name: a}]\n')}spec: {}\n`,
  (name) => `${head(name, 'Placement', '  annotations: {"a/b/c": d}\n')}spec: {}\n`,
  (name) => `${head(name, 'Placement', '  creationTimestamp: yesterday\n')}spec: {}\n`,
  (name) => `${head(name, 'Placement', '  uid: 1\n')}spec: {}\n`,
  (name) => `${head(name, 'Placement', '  labels:\n  annotations:\n  finalizers:\n')}spec:\n`,
  (name) => `${head(name)}spec: {tolerations: [{key: a, value: ~}], ClusterSets: ~}\n`,
  (name) => `${head(name)}spec: {tolerations: [{key: ~, value: a}]}\n`,
  (name) => `${head(`${name}_b`)}spec: {}\n`,
  (name) => `${head(`"${name}"`)}spec: {}\n`,
  (name) =>
    `${head(name, 'ManagedCluster')}spec:\n  taints: [{key: a, effect: NoSelect}, {key: a, effect: NoSelect}]\n`,
  (name) => `${head(name, 'ManagedCluster')}spec:\n  taints: [{key: a, value: 1, effect: NoSelect}]\n`,
  (name) => `${head(name, 'ManagedCluster')}spec:\n  hubAcceptsClient: yes\n`,
  (name) => `${head(name, 'ManagedCluster')}spec:\n  hubAcceptsClient: "true"\n`,
  (name) => `${head(name, 'ManagedCluster')}spec:\n  leaseDurationSeconds: 0x3C\n`,
  (name) => `${head(name, 'ManagedClusterSet')}`,
  (name) => `${head(name, 'ManagedClusterSet')}spec: {clusterSelector: {selectorType: ExclusiveClusterSetLabel}}\n`,
  (name) => `${head(name, 'ManagedClusterSet')}spec: {clusterSelector: {selectorType: Any}}\n`,
  (name) => `${head(name, 'ManagedClusterSetBinding')}spec: {clusterSet: ${name}}\n`,
  (name) => `${head(name, 'ManagedClusterSetBinding')}spec: {}\n`,
  (name) => json(name, '{"numberOfClusters":1,"numberOfClusters":2}'),
  (name) => json(name, '{"numberOfClusters":1.0}'),
  (name) => json(name, '{"numberOfClusters":1e2}'),
  (name) => json(name, '{"numberOfClusters":01}'),
  (name) => json(name, '{"NumberOfClusters":1}'),
  (name) => json(name, '{"ClusterSets":["a","b"],}'),
  (name) => json(name, '{"ClusterSets":null}'),
  (name) => `${json(name)}${json(`${name}-b`)}`,
  (name) => `${json(name)}\n${json(`${name}-b`)}\n`,
  (name) => `\n  ${json(name)} # a comment\n`,
  (name) => json(name).replace('"spec"', '\n\t"spec"'),
  (name) => json(name).replaceAll('"', ''),
  (name) => `apiVersion: v1\nkind: List\nitems:\n- ${head(name).replaceAll('\n', '\n  ')}spec: {}\n`,
  (name) => `${API}\nkind: PlacementList\nitems:\n- ${head(name).replaceAll('\n', '\n  ')}spec: {}\n`,
  (name) => `${API}\nkind: PlacementList\nitems:\n- metadata: {name: ${name}, namespace: default}\n  spec: {}\n`,
  (name) => `apiVersion: v1\nkind: List\nitems: [{metadata: {name: ${name}}}]\n`,
  (name) => `${API}\nkind: Placement\nmetadata: {generateName: ${name}-, namespace: default}\nspec: {}\n`,
  (name) => `${API}\nkind: Placement\nmetadata: {labels: {name: ${name}}, namespace: default}\nspec: {}\n`,
  () => 'text\n',
  () => '- a\n- b\n',
  () => '',
  () => '# nothing\n',
  () => 'null\n',
  (name) =>
    `${head(name, 'Placement', '  annotations:\n    a: "x\\\n      y"\n    b: |\n      q\n\n    c: >-\n      w\n      e\n')}spec: {}\n`,
  (name) => `${head(name, 'Placement', '  annotations:\n    a: |2\n       two\n    b: |+\n      keep\n\n')}spec: {}\n`,
  (name) => `${head(name, 'Placement', '  annotations:\n    a: |\n      ---\n    b: "---"\n')}spec: {}\n`,
  (name) => `${head(name, 'Placement', '  annotations:\n    a: one\n     two\n')}spec: {}\n`,
  (name) => `${head(name, 'Placement', '  annotations:\n    a: \u0007\n')}spec: {}\n`,
  (name) => `${head(name, 'Placement', '  annotations:\n    a: "\u{1f600}"\n')}spec: {}\n`,
  (name) => `${head(name, 'Placement', '  annotations: {__proto__: a, constructor: b, toString: c}\n')}spec: {}\n`,
  (name) => `${head(name)}spec: {}   # the end\n# more\n`,
];

/** A sequence of numbers in [0, 1) from a seed. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const PIECES = [
  '0',
  '1',
  '7',
  '8',
  '12',
  '777',
  '.',
  '-',
  '+',
  '_',
  ':',
  'e',
  'E',
  'x',
  'o',
  'b',
  'f',
  'inf',
  'n',
  'y',
  'on',
  '~',
  '00',
];
const QUOTES = ['', '', '', '', '"', "'"];

function randomScalar(random: () => number): string {
  const pick = (words: readonly string[]): string => words[Math.floor(random() * words.length)] ?? '';
  const count = 1 + Math.floor(random() * 5);
  const quote = pick(QUOTES);
  return `${quote}${Array.from({ length: count }, () => pick(PIECES)).join('')}${quote}`;
}

/** All texts of this seed: those by hand, and `count` random scalars, each as a number, a label and an annotation. */
export function manifestTexts(seed: number, count: number): readonly ManifestText[] {
  const random = randomFrom(seed);
  const scalars = Array.from({ length: count }, () => randomScalar(random));
  const made: readonly (Make | readonly [Make, string])[] = [
    ...SCALARS.flatMap((one) => [number(one), annotation(one)]),
    ...SCALARS.filter((_, index) => index % 3 === 0).map(label),
    ...STRUCTURES,
    ...BLANKS.map(
      (rest): Make =>
        (name) =>
          `${head(name)}${rest}\n`,
    ),
    (name) => `${head(name)}\t\nspec: {}\n`,
    (name) => `\t\n${head(name)}spec: {}\n`,
    (name) => `${head(name, 'Placement', '  annotations: {a: |\n}\n')}spec: {}\n`,
    (name) => `${head(name, 'Placement', '  annotations:\n    a: |\n      b\n      \t\n    \t\n')}spec: {}\n`,
    ...['\u0085', '\u2028', 'x\u0085y', '"x\u2029y"', 'x # \u2028'].map((one) => [label(one), OTHER_BREAK] as const),
    ...Object.entries(RULE_SPECS).flatMap(([kind, specs]) => specs.map((one) => ruled(kind, one))),
    ...scalars.flatMap((one) => [number(one), label(one), annotation(one)]),
  ];
  return made.map((one, index) => {
    const name = `t${String(index).padStart(4, '0')}`;
    if (typeof one === 'function') return { name, text: one(name) };
    return { name, text: one[0](name), refusedHere: one[1] };
  });
}
