import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Status } from '../wire/answer.js';
import type { Plan, PlanAnswer } from '../wire/plan.js';
import { draft, isEmptyDraft, keepBases, question, setBases, unfinishedIn } from './draft.js';
import { isStatus, post, useLoaded, type Loaded } from './store.js';

/** The plan of the draft: after each edit, and again as the fleet moves. */

export interface Planned {
  /** On the fleet as it is now. */
  readonly plan: Plan | undefined;
  /** The answer to the last edit: what has changed since is shown against it. */
  readonly seen: Plan | undefined;
  /** What is applied: what was seen, or what was shown when that could not be applied any more. */
  readonly agreed: Plan | undefined;
  /** Why the draft as it is now has no plan; the plan before stays. */
  readonly fault: string | undefined;
  /** The line of the manifests that it is about. */
  readonly line?: number | undefined;
  readonly isPlanning: boolean;
  /** Of which question it is: a draft is one until it is replaced. */
  readonly question: number;
  /** What the plan does not know, since it may not be read. */
  readonly of: Pick<Loaded<unknown>, 'withheld' | 'namespace'>;
}

const NOTHING: Planned = {
  plan: undefined,
  seen: undefined,
  agreed: undefined,
  fault: undefined,
  isPlanning: false,
  question: -1,
  of: { withheld: [], namespace: undefined },
};
const WAIT_MS = 350;
const TOO_LARGE = 413;
const TOO_MANY = 429;
/** As often as a hub lets one person plan, in the long run. */
const AGAIN_MS = 2_000;
/** A draft that nobody edits is planned again at most so often: a plan is what costs most. */
const REPLAN_MS = 10_000;

/** Why a plan is asked for: somebody has edited the draft, the fleet has moved, or what was applied was not what is. */
type Reason = 'edit' | 'fleet' | 'apply';

/** The plan of the draft, and what asks for it again once it could not be applied as it was seen. */
export function usePlan(): readonly [planned: Planned, onMoved: () => void] {
  const planned = useSignal(NOTHING);
  const latest = useRef(0);
  const asking = useRef(new AbortController());
  const askedAt = useRef(-Infinity);
  const { value } = draft;
  const { version } = useLoaded<{ readonly version: string }>(isEmptyDraft(value) ? undefined : 'reading').data ?? {};
  const seenVersion = useRef(version);
  const ask = (reason: Reason): void => {
    // It may have been cleared since the wait for this began, or somebody is writing.
    if (isEmptyDraft(draft.value) || unfinishedIn(draft.value) !== undefined) return;
    const turn = ++latest.current;
    asking.current = new AbortController();
    askedAt.current = performance.now();
    if (reason !== 'fleet') planned.value = { ...planned.value, isPlanning: true };
    void post<PlanAnswer>('plan', draft.value, asking.current.signal).then((answer) => {
      if (turn !== latest.current) return;
      if (isStatus(answer) && answer.code === TOO_MANY) {
        // One plan at once: of this person, in all tabs.
        setTimeout(() => turn === latest.current && ask(reason), AGAIN_MS);
        return;
      }
      if (isStatus(answer)) {
        planned.value = plannedBy(answer, planned.value, reason);
        return;
      }
      const { data, withheld, namespace } = answer;
      if (!('fault' in data)) keepBases(data);
      planned.value = { ...plannedBy(data, planned.value, reason), of: { withheld, namespace } };
    });
  };
  useEffect(() => {
    latest.current += 1;
    // What nobody waits for is not planned to its end.
    asking.current.abort();
    if (isEmptyDraft(value)) {
      setBases({});
      planned.value = NOTHING;
      return undefined;
    }
    const isPlanning = unfinishedIn(value) === undefined;
    planned.value = begun(planned.value, isPlanning);
    const timer = setTimeout(() => ask('edit'), WAIT_MS);
    return () => clearTimeout(timer);
  }, [value, planned]);
  useEffect(() => {
    const isFirst = seenVersion.current === undefined;
    seenVersion.current = version;
    if (isFirst || version === undefined || isEmptyDraft(draft.value)) return undefined;
    let timer = 0;
    const later = (): void => {
      const wait = Math.max(0, askedAt.current + REPLAN_MS - performance.now());
      // A plan that is under way may be of the fleet before.
      timer = window.setTimeout(() => (planned.value.isPlanning ? later() : ask('fleet')), wait);
    };
    later();
    return () => clearTimeout(timer);
  }, [version, planned]);
  return [planned.value, () => ask('apply')];
}

/** What is shown once the draft is another one: nothing of what was planned for another question. */
function begun(planned: Planned, isPlanning: boolean): Planned {
  const before = planned.question === question.value ? planned : NOTHING;
  return { ...before, question: question.value, fault: isPlanning ? before.fault : undefined, isPlanning };
}

/** What is shown after an answer: a fault keeps the plan before it. */
function plannedBy(answer: PlanAnswer | Status, before: Planned, reason: Reason): Planned {
  if (isStatus(answer)) {
    const fault = answer.code === TOO_LARGE ? 'the draft is too long: at most 256 KiB are planned' : answer.message;
    return { ...before, line: undefined, fault, isPlanning: false };
  }
  if ('fault' in answer) return { ...before, line: undefined, ...answer, isPlanning: false };
  const same = { ...before, line: undefined, plan: answer, fault: undefined, isPlanning: false };
  const { seen = answer, agreed = answer } = before;
  switch (reason) {
    case 'edit':
      return { ...same, seen: answer, agreed: answer };
    case 'fleet':
      return { ...same, seen, agreed };
    case 'apply':
      return { ...same, seen, agreed: answer };
  }
}
