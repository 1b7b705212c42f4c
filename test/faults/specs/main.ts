import { Dice } from '@multicluster-engine/kube-apiserver/testing/random';

import { argumentsOf, conclude, integerOf, NOTHING_TO_RUN, refuseBeside, seedOf, valueOf } from '../arguments.js';
import { commit } from '../explore/explorer.js';
import { mayEmpty } from './emptying.js';
import { changeText, type Change } from './forms.js';
import { faultOfRefusal } from './refusal.js';
import { RESTORED, WRITTEN, type Subject } from './subjects.js';
import { Tries, unreached } from './tries.js';

const USAGE = `npm run faults:specs -- --specs N --seed S: N specs at random: one field changed, two, or several specs one after the other.
  --exhaustive      before that, each field of each kind in each form
  --subject NAME    only those whose names begin so
  --try JSON        one again, with the log of the programs
The last line is "N specs, R refused, V violations"; the exit code is 0 only for none, and 2 where nothing was run.`;
const flags = {
  specs: { type: 'string' },
  seed: { type: 'string' },
  exhaustive: { type: 'boolean' },
  subject: { type: 'string' },
  try: { type: 'string' },
} as const;

/** One after the other, each by its changes of the good spec. */
interface Try {
  readonly subject: string;
  readonly specs: readonly (readonly Change[])[];
}

const MOST_IN_SEQUENCE = 4;
const SUBJECTS = [...WRITTEN, ...RESTORED];
const { options, ALL, specs, seed, one } = argumentsOf('faults:specs', USAGE, flags, (given) => {
  const { subject = '', try: again, exhaustive: isExhaustive } = given;
  refuseBeside(given, 'try', ['specs', 'seed', 'exhaustive', 'subject']);
  const all = {
    options: given,
    ALL: SUBJECTS.filter(({ name }) => name.startsWith(subject)),
    specs: integerOf('specs', given.specs ?? '0', 0),
    seed: seedOf(given.seed),
    one: again === undefined ? undefined : valueOf('try', () => readTry(again)),
  };
  if (all.ALL.length === 0)
    throw new Error(
      `--subject: none of ${SUBJECTS.map(({ name }) => name).join(', ')} begins with ${JSON.stringify(subject)}`,
    );
  if (again === undefined && all.specs === 0 && isExhaustive !== true)
    throw new Error(`${NOTHING_TO_RUN}: give --specs, --exhaustive or --try`);
  return all;
});
const counts = { specs: 0, refused: 0, violations: 0 };
const tries = await Tries.start();

function readTry(text: string): Try {
  const value = JSON.parse(text) as Try;
  subjectOf(value.subject);
  if (!Array.isArray(value.specs) || !value.specs.every(Array.isArray))
    throw new Error(`specs: ${JSON.stringify(value.specs)} is not a list of lists of changes`);
  return value;
}

function subjectOf(name: string): Subject {
  const found = SUBJECTS.find((subject) => subject.name === name);
  if (found === undefined)
    throw new Error(`subject: ${JSON.stringify(name)} is none of ${SUBJECTS.map((known) => known.name).join(', ')}`);
  return found;
}

/** What is wrong after a try; undefined when all is refused as it should be. Of several specs, those that are refused are left out. */
async function faultsOf(
  { subject: name, specs }: Try,
  log?: (line: string) => void,
): Promise<readonly string[] | undefined> {
  const subject = subjectOf(name);
  const accepted: unknown[] = [];
  for (const changes of specs) {
    const value = await tries.changed(subject, changes);
    const { code, answer, touched } = await tries.ask(subject, value);
    if (touched) return ['touched: a refused request has changed something'];
    if (code < 300) accepted.push(value);
    const [only] = changes;
    const fault =
      code < 300 || only === undefined || changes.length > 1
        ? undefined
        : faultOfRefusal(code, answer, subject.part, only);
    if (fault !== undefined) return [`refusal: ${fault}`];
  }
  if (accepted.length === 0) return undefined;
  if (specs.length > 1) return (await tries.sequence(subject, accepted, log)).faults;
  const { faults, emptied } = await tries.thereAndBack(subject, accepted, log);
  const [[only] = []] = specs;
  const isKnown = only === undefined || specs[0]?.length !== 1 || mayEmpty(subject, only);
  return [...faults, ...(isKnown ? [] : emptied.map((key) => `emptied: ${key}`))];
}

/** The smallest part of a try that breaks the same rule. */
async function shrunk(one: Try, rule: string): Promise<Try> {
  const { subject, specs } = one;
  const smaller = [
    ...specs.map((_, at) => ({ subject, specs: specs.filter((__, index) => index !== at) })),
    ...specs.flatMap((changes, at) =>
      changes.map((_, left) => ({
        subject,
        specs: specs.with(
          at,
          changes.filter((__, index) => index !== left),
        ),
      })),
    ),
  ].filter((part) => part.specs.length > 0 && part.specs.every((changes) => changes.length > 0));
  for (const part of smaller)
    if ((await faultsOf(part))?.some((fault) => fault.startsWith(`${rule}:`))) return shrunk(part, rule);
  return one;
}

async function judge(one: Try): Promise<void> {
  counts.specs += 1;
  const faults = await faultsOf(one);
  if (faults === undefined) counts.refused += 1;
  const [fault] = faults ?? [];
  if (fault === undefined) return;
  counts.violations += 1;
  const smallest = await shrunk(one, fault.slice(0, fault.indexOf(':')));
  const text = smallest.specs.map((changes) => `  ${changes.map(changeText).join(' and ')}`);
  const command = `  npm run faults:specs -- --try '${JSON.stringify(smallest)}'`;
  console.log(
    [`${one.subject}, commit ${commit()}`, ...text, `  ${(await faultsOf(smallest))?.[0] ?? fault}`, command].join(
      '\n',
    ),
  );
}

/** Every field in every form; and no field of a definition is left out. */
async function exhaustive(): Promise<void> {
  const reached = new Map<string, Set<string>>();
  for (const subject of ALL) {
    const part = `${subject.type.kind} ${subject.part}`;
    const seen = reached.get(part) ?? new Set();
    reached.set(part, seen);
    for (const change of await tries.changes(subject, seen)) await judge({ subject: subject.name, specs: [[change]] });
  }
  for (const subject of options.subject === undefined ? WRITTEN : [])
    for (const name of unreached(subject, reached.get(`${subject.type.kind} ${subject.part}`) ?? new Set())) {
      counts.violations += 1;
      console.log(`${subject.type.kind} ${subject.part}${name}: no good spec has it`);
    }
}

async function random(count: number, seed: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const dice = new Dice(seed * 1_000_003 + n);
    const subject = dice.pick(ALL);
    const all = await tries.changes(subject);
    // Also of one field: the second then takes the place of the first.
    const spec = (): readonly Change[] => dice.some(all, dice.between(1, 2));
    const isSequence = subject.good !== undefined && dice.chance(0.3);
    const specs = Array.from({ length: isSequence ? dice.between(2, MOST_IN_SEQUENCE) : 1 }, spec);
    await judge({ subject: subject.name, specs });
  }
}

if (one === undefined) {
  if (options.exhaustive === true) await exhaustive();
  await random(specs, seed);
} else {
  counts.specs += 1;
  const faults = (await faultsOf(one, (line) => console.log(line))) ?? [];
  counts.violations += Math.min(faults.length, 1);
  console.log(faults.join('\n'));
}
await tries.close();
const last = `${counts.specs} specs, ${counts.refused} refused, ${counts.violations} violations`;
conclude('faults:specs', last, counts.specs, counts.violations);
