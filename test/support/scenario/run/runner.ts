import type { AnyObject, ApiAnswer, ApiRequest } from '@multicluster-engine/kube-apiserver/testing/controlplane/api';
import type { ControlPlane } from '@multicluster-engine/kube-apiserver/testing/controlplane/plane';
import { waitFor } from '@multicluster-engine/kube-apiserver/testing/wait';
import { check } from '../checks/checker.js';
import type { Frame, Violation } from '../checks/history.js';
import { fault, isMisconfigured, reasonOf } from '../checks/model.js';
import type { Observer } from './observer.js';
import { outlookOf } from '../checks/outlook.js';
import { comparable, condition, fields, keyOf, read } from '../checks/reading.js';
import { requestsFor } from '../script/requests.js';
import type { Step } from '../script/script.js';

/** Longest that a step may take to settle: three times the 30 s that the proof of an absence may take. */
export const SETTLE_MS = 90_000;

export interface RunOptions {
  readonly server: ControlPlane;
  readonly observer: Observer;
  readonly seed: number;
  /** Called before a step's writes, once the step before has settled. */
  readonly before?: (step: Step) => Promise<void> | void;
  /** Called after the step has settled. */
  readonly after?: (step: Step) => Promise<void> | void;
  /** What each step came to in a run of the same script that nothing disturbed: each must come to the same. */
  readonly reference?: readonly ReadonlyMap<string, string>[];
}

export interface Run {
  readonly frames: readonly Frame[];
  /** Per step: the decision objects, by key, as text without what differs from run to run. */
  readonly outcomes: readonly ReadonlyMap<string, string>[];
}

/** Runs the steps, each until the model's result is published at the generation that was written. */
export async function play(steps: readonly Step[], options: RunOptions): Promise<Run> {
  const frames: Frame[] = [];
  const outcomes: ReadonlyMap<string, string>[] = [];
  for (const step of steps) {
    const selected = selections(options.observer);
    const frame = { step: step.number, from: options.observer.newest, outlook: outlookOf(step, selected) };
    frames.push(frame);
    try {
      await options.before?.(step);
      await perform(step, options.server);
      await settle(step, selected, options);
      outcomes.push(outcome(options.observer));
      await options.after?.(step);
    } catch (error) {
      throw new Error(
        `${described(step, options.seed)}\n${String(error)}\n${report(check(options.observer.events, frames))}`,
        { cause: error },
      );
    }
  }
  return { frames, outcomes };
}

/** One line a violation, with seed and step: all that is needed to see it again. */
export function report(violations: readonly Violation[], seed?: number): string {
  const shown = violations.slice(0, 10).map(({ rule, step, at, placement, detail }) => {
    return `${seed === undefined ? '' : `seed ${seed} `}step ${step} at ${at}: ${placement}: ${rule}: ${detail}`;
  });
  return violations.length === 0
    ? 'no promise was broken so far'
    : [`${violations.length} broken promises`, ...shown].join('\n');
}

function described({ number, title }: Step, seed: number): string {
  return `seed ${seed}, step ${number}: ${title.length > 600 ? `${title.slice(0, 600)}…` : title}`;
}

async function perform(step: Step, server: ControlPlane): Promise<void> {
  const lists = step.writes.map((write) => requestsFor(step.before, write));
  for (let first = 0; first < lists.length; first += 10) {
    await Promise.all(lists.slice(first, first + 10).map((list) => inOrder(server, list)));
  }
}

async function inOrder(server: ControlPlane, requests: readonly ApiRequest[]): Promise<void> {
  for (const request of requests) await send(server, request);
}

/** A server that has just been started does not serve every kind at once. */
const NOT_YET = [404, 429, 500, 503];

/** Sends a request until the server carries it out; one whose answer was lost may have been, and then another is refused for that. */
export async function send(server: ControlPlane, request: ApiRequest): Promise<void> {
  const what = `${request.method ?? 'GET'} ${request.path}`;
  let unanswered = false;
  const refusal = await waitFor(`${what} to be carried out`, async (seen) => {
    const answer = await server.call(request).catch((error: unknown) => {
      unanswered = true;
      throw error;
    });
    const { status, text } = answer;
    seen(`${status} ${text}`);
    if (status < 300 || (unanswered && isDone(request, answer))) return 'none';
    return NOT_YET.includes(status) ? undefined : `${status} ${text}`;
  });
  if (refusal !== 'none') throw new Error(`${what} was refused: ${refusal}`);
}

/** Whether a request is refused because its result exists already. */
function isDone({ method }: ApiRequest, { status, body }: ApiAnswer): boolean {
  if (method === 'POST') return status === 409 && body.reason === 'AlreadyExists';
  // An object of a kind that is not served has another condition.
  return method === 'DELETE' && status === 404 && body.reason === 'NotFound' && 'name' in fields(body['details']);
}

async function settle(step: Step, selected: Selections, { observer, reference }: RunOptions): Promise<void> {
  const wanted = reference?.[step.number - 1];
  await waitFor(
    `step ${step.number} to settle`,
    (seen) => {
      const open =
        untrusted(step, selected, observer) ??
        (wanted === undefined ? undefined : difference(wanted, outcome(observer)));
      seen(open);
      return open === undefined;
    },
    { deadlineMs: SETTLE_MS, everyMs: 15 },
  );
}

type Selections = ReadonlyMap<string, ReadonlySet<string>>;

/** What each placement has selected now: the union of the objects that it owns. */
export function selections(observer: Observer): Map<string, Set<string>> {
  const byUid = new Map<string, Set<string>>();
  const selected = new Map<string, Set<string>>();
  for (const [key, placement] of observer.objects('Placement')) {
    const union = new Set<string>();
    selected.set(key, union);
    byUid.set(placement.metadata?.uid ?? '', union);
  }
  for (const object of observer.objects('PlacementDecision').values()) {
    const seen = read('PlacementDecision', object);
    if (seen.kind === 'PlacementDecision') for (const name of seen.clusters ?? []) byUid.get(seen.owner)?.add(name);
  }
  return selected;
}

/** What the first placement that has not settled still lacks; undefined when all have. */
export function untrusted(step: Step, before: Selections, observer: Observer): string | undefined {
  const now = selections(observer);
  for (const key of now.keys()) if (!step.after.placements.has(key)) return `${key} is still there`;
  for (const key of step.after.placements.keys()) {
    const object = observer.objects('Placement').get(key);
    const was = before.get(key) ?? new Set();
    const lack =
      object === undefined ? 'is not there' : lacks(step, object, { before: was, now: now.get(key) ?? new Set() });
    if (lack !== undefined) return `${key}: ${lack}`;
  }
  return undefined;
}

interface Selection {
  readonly before: ReadonlySet<string>;
  readonly now: ReadonlySet<string>;
}

function lacks({ after }: Step, object: AnyObject, { before, now }: Selection): string | undefined {
  const key = keyOf(object);
  const seen = read('Placement', object);
  if (seen.kind !== 'Placement') return 'is no placement';
  if (seen.observedGeneration !== seen.generation)
    return `observed ${seen.observedGeneration} of generation ${seen.generation}`;
  const wrong = fault(after, key, before, now);
  if (wrong !== undefined) return wrong;
  if (seen.selected !== now.size) return `status counts ${seen.selected}, stored are ${now.size}`;
  const reason = condition(object, 'PlacementSatisfied')['reason'];
  const wanted = reasonOf(after, key, before);
  if (reason !== wanted) return `PlacementSatisfied says ${String(reason)}, not ${wanted}`;
  const placement = after.placements.get(key);
  const misconfigured = placement !== undefined && isMisconfigured(placement);
  const says = condition(object, 'PlacementMisconfigured')['status'];
  return says === (misconfigured ? 'True' : 'False') ? undefined : `PlacementMisconfigured is ${String(says)}`;
}

/** The decisions of the placements that are there now. */
export function outcome(observer: Observer): Map<string, string> {
  const found = new Map<string, string>();
  const living = new Set([...observer.objects('Placement').values()].map(({ metadata }) => metadata?.uid ?? ''));
  for (const [key, object] of observer.objects('PlacementDecision')) {
    const seen = read('PlacementDecision', object);
    if (seen.kind === 'PlacementDecision' && living.has(seen.owner)) found.set(key, JSON.stringify(comparable(object)));
  }
  return found;
}

/** The first thing in which two outcomes differ. */
export function difference(wanted: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string | undefined {
  for (const [key, value] of wanted) {
    if (now.get(key) !== value) return `${key} is\n${now.get(key) ?? 'not there'}\nand was, undisturbed,\n${value}`;
  }
  for (const key of now.keys()) if (!wanted.has(key)) return `${key} is there, and was not in the undisturbed run`;
  return undefined;
}
