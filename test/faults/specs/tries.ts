import type { StoredState } from '@multicluster-engine/kube-apiserver/testing/memoryserver';

import { ALLOW_ADDITIONS_ANNOTATION, ALLOW_REMOVALS_ANNOTATION } from '../../../src/api/names.js';
import { Placements } from '../../../src/api/resources.js';
import { objectPath } from '../../../src/runtime/client/path.js';
import { readManifests } from '../../../src/runtime/manifests.js';
import { asRecord, field, type JsonRecord } from '../../../src/runtime/vocabulary/json.js';
import { condition, items } from '../../support/scenario/checks/reading.js';
import { root } from '../../support/repository/root.js';
import { startBaseHub, type BaseHub } from '../hub/base.js';
import { Hands } from '../hub/hands.js';
import { difference } from '../hub/stored.js';
import { run, type Moment, type Outcome } from '../run.js';
import { step, type Step } from '../scenario.js';
import { changesOf, namesOf, withChange, type Change } from './forms.js';
import { decisionsIn, outcomeOf, silentIn } from './outcome.js';
import { subresourceOf, write, type Subject } from './subjects.js';

/** The end of a try. */
export interface Tried {
  /** Placements whose decision has lost all its clusters at the first step. */
  readonly emptied: readonly string[];
  /** `rule: detail`. */
  readonly faults: readonly string[];
}

type Log = (line: string) => void;

interface Start {
  readonly moment: Moment;
  /** The part when it is good, as it is stored. */
  readonly good: JsonRecord;
}

const HELD = ['RemovalsHeld', 'AdditionsHeld'];
const FOR_EVER = '2099-01-01T00:00:00Z/*';

/** People let go what a budget holds. */
const RELEASE: Step = step('what is held is released', async (hands) => {
  for (const { metadata, ...rest } of await hands.list(Placements))
    if (HELD.some((type) => condition(rest, type)['status'] === 'True')) {
      const annotations = { [ALLOW_REMOVALS_ANNOTATION]: FOR_EVER, [ALLOW_ADDITIONS_ANNOTATION]: FOR_EVER };
      await hands.patch(Placements, metadata, { metadata: { annotations } });
    }
});

/** Writes specs on one hub, and lets the product work on them. */
export class Tries {
  readonly #base: BaseHub;
  readonly #empty: StoredState;
  readonly #hands: Hands;
  readonly #starts = new Map<Subject, Start>();
  /** What is stored now is the start of this subject. */
  #at: Subject | undefined;

  private constructor(base: BaseHub) {
    this.#base = base;
    this.#empty = base.server.state();
    this.#hands = new Hands(base.server);
  }

  static async start(): Promise<Tries> {
    return new Tries(await startBaseHub());
  }

  close(): Promise<void> {
    return this.#base.server.close();
  }

  /** Every change of one field. */
  async changes(subject: Subject, seen = new Set<string>()): Promise<readonly Change[]> {
    const { good } = await this.#start(subject);
    return changesOf(schemaOf(subject), good, seen);
  }

  /** The value of the part with these changes. */
  async changed(subject: Subject, changes: readonly Change[]): Promise<unknown> {
    const { good } = await this.#start(subject);
    return changes.reduce<unknown>(withChange, good);
  }

  /** What the server answers, and what it has changed although it refuses. Nothing runs, and all is put back. */
  async ask(subject: Subject, value: unknown): Promise<{ code: number; answer: JsonRecord; touched: boolean }> {
    const { moment } = await this.#start(subject);
    const { server } = this.#base;
    if (this.#at !== subject) await server.restore(moment.state);
    const before = server.store.revision;
    const { type, object, part } = subject;
    const stored = await this.#hands.find(type, object);
    const body = { ...stored, [part]: value };
    const { code, value: answer } = await this.#hands.ask(
      'PUT',
      objectPath(type, object, subresourceOf(subject)),
      body,
    );
    const touched = server.store.revision !== before;
    this.#at = touched ? undefined : subject;
    return { code, answer, touched: code >= 300 && touched };
  }

  /** Writes the values one after the other, and then the good one: all must be as before. */
  async thereAndBack(subject: Subject, values: readonly unknown[], log?: Log): Promise<Tried> {
    const { moment, good } = await this.#start(subject);
    const isOwn = subject.good === undefined;
    // What the product writes itself it mends itself.
    const steps = [...values.map((one) => writing(subject, one)), ...(isOwn ? [] : [writing(subject, good), RELEASE])];
    const outcome = await this.#run(subject, steps, { start: moment, log });
    const [first, second] = outcome.states;
    // What others write into a status counts as the product's, and can be ahead of what is stored.
    const own = faultsIn(outcome, subject).filter((one) => !isOwn || !one.startsWith('ahead: step 1'));
    const emptied = values.length === 1 && first !== undefined ? emptiedIn(first, second ?? new Map()) : [];
    return { emptied, faults: [...own, ...apart('back', first, outcome.states.at(-1))] };
  }

  /** Writes the values one after the other: at the end, all must be as on a hub on which the last one is the first. */
  async sequence(subject: Subject, values: readonly unknown[], log?: Log): Promise<Tried> {
    const { moment } = await this.#start(subject);
    const steps = values.map((one) => writing(subject, one));
    const outcome = await this.#run(subject, [...steps, RELEASE], { start: moment, log });
    const fresh = await this.#run(subject, [RELEASE], { first: values.at(-1), log });
    const faults = [...faultsIn(outcome, subject), ...faultsIn(fresh, subject)];
    return { emptied: [], faults: [...faults, ...apart('fresh', fresh.states.at(-1), outcome.states.at(-1))] };
  }

  async #start(subject: Subject): Promise<Start> {
    const known = this.#starts.get(subject);
    if (known !== undefined) return known;
    const { good, type, object, part } = subject;
    const { moments, violations } = await this.#run(subject, [], good === undefined ? {} : { first: good });
    const [moment] = moments;
    if (moment === undefined || violations.length > 0)
      throw new Error(`${subject.name}: ${JSON.stringify(violations)}`);
    await this.#base.server.restore(moment.state);
    const stored = asRecord(field(await this.#hands.find(type, object), part));
    const start = { moment, good: stored };
    this.#starts.set(subject, start);
    return start;
  }

  async #run(
    subject: Subject,
    steps: readonly Step[],
    { start, first, log }: { start?: Moment; first?: unknown; log?: Log | undefined },
  ): Promise<Outcome> {
    const { hub, name } = subject;
    this.#at = undefined;
    if (start === undefined) await this.#base.server.restore(this.#empty);
    const given = async (hands: Hands): Promise<void> => {
      await hub.given(hands);
      if (first !== undefined) await write(hands, subject, first);
    };
    return run({
      base: this.#base,
      empty: this.#empty,
      scenario: { ...hub, name, given, steps },
      plan: { scenario: name, seed: 0, faults: [] },
      ...(start !== undefined && { start }),
      ...(log !== undefined && { log }),
    });
  }
}

function writing(subject: Subject, value: unknown): Step {
  return step(JSON.stringify(value).slice(0, 2_000), (hands) => write(hands, subject, value));
}

const definitions = readManifests(`${root}/crds`) as unknown as readonly JsonRecord[];

function schemaOf({ type, part }: Subject): JsonRecord {
  const definition = definitions.find(({ spec }) => field(field(spec, 'names'), 'plural') === type.plural);
  const [version] = items(field(asRecord(definition)['spec'], 'versions'));
  const schema = field(field(version, 'schema'), 'openAPIV3Schema');
  return asRecord(field(field(schema, 'properties'), part));
}

/** The fields of its part that no change reaches. */
export function unreached(subject: Subject, seen: ReadonlySet<string>): readonly string[] {
  return namesOf(schemaOf(subject)).filter((name) => !seen.has(name));
}

function emptiedIn(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  const now = decisionsIn(after);
  return [...decisionsIn(before)]
    .filter(([key, clusters]) => clusters.length > 0 && (now.get(key) ?? []).length === 0)
    .map(([key]) => key);
}

/** Without what is said of the part that others write: it is seen as if the product had written it. */
function faultsIn({ violations, states }: Outcome, { part }: Subject): readonly string[] {
  const own = violations.filter(({ rule }) => part !== 'status' || rule !== 'times');
  const broken = own.map(({ rule, detail, step: at }) => `${rule}: step ${at}: ${detail}`);
  return [...broken, ...states.flatMap(silentIn)];
}

function apart(
  rule: string,
  wanted: ReadonlyMap<string, string> = new Map(),
  found: ReadonlyMap<string, string> = new Map(),
): readonly string[] {
  const text = difference(outcomeOf(wanted), outcomeOf(found));
  return text === undefined ? [] : [`${rule}: ${text}`];
}
