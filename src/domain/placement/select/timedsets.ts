import { selects } from '../../clusters/selector.js';
import { windowsAt, type ChangeWindow, type WindowsAt } from '../spec/changewindows.js';
import { type Cause } from './decision.js';
import { endOf, type ClosedWindow, type Holder, type Pause } from './holders.js';
import type { Eligibility } from './eligible.js';
import type { PlacementSnapshot, SetView } from './snapshot.js';

/**
 * `spec.paused` and `spec.changeWindows` of ManagedClusterSets: who owns clusters is seldom who owns a Placement. While a set of a
 * cluster is paused or outside of its windows, the cluster neither comes in nor leaves by what somebody chose. It counts which sets
 * the cluster is in, bound to the namespace or not: a binding that is deleted by mistake must not take clusters out.
 */
export interface TimedSets {
  /** Whether there is such a set. */
  readonly isAny: boolean;
  /** What keeps an elective change of the cluster waiting, by set. `cause`: why it leaves; undefined for one that comes in. */
  readonly holding: (name: string, cause?: Cause) => readonly Holder[];
  /** When the first window opens or ends, ms since the epoch, of the sets of clusters that were asked for; undefined without. */
  readonly until: () => number | undefined;
}

const NO_SETS: TimedSets = { isAny: false, holding: () => [], until: () => undefined };

export function timedSetsOf(snapshot: PlacementSnapshot, { eligible }: Eligibility): TimedSets {
  const { timedSets, selected, candidates, now } = snapshot;
  // Most hubs have none.
  if (timedSets.length === 0) return NO_SETS;
  const sets = [...timedSets].sort((a, b) => (a.name < b.name ? -1 : 1));
  // To find the next window takes far longer than to ask whether a cluster is in the set.
  const states = new Map<SetView, State>();
  const stateIn = (set: SetView): State => {
    const state = states.get(set) ?? stateOf(set, now);
    states.set(set, state);
    return state;
  };
  // Where a cluster was that is in no eligible set any more is not known, nor where one is while a selector is unreadable.
  const mayHave = ({ name, selector }: SetView, cause: Cause | undefined): boolean =>
    cause !== undefined && (cause === 'NotMember' || selector.kind === 'unreadable') && eligible.includes(name);
  const holding = (name: string, cause?: Cause): readonly Holder[] => {
    const labels = (selected.get(name) ?? candidates.view(name))?.labels ?? {};
    const own = sets.filter((set) => mayHave(set, cause) || selects(set.name, set.selector, labels));
    return own.map(stateIn).filter((state) => state.kind !== 'open');
  };
  const until = (): number | undefined => {
    const times = [...states.values()].flatMap((state) => (state.kind === 'open' ? state.until : endOf(state)) ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  };
  return { isAny: true, holding, until };
}

type OpenWindow = Extract<WindowsAt, { kind: 'open' }>;
type State = Pause | ClosedWindow | OpenWindow;

function stateOf({ name: set, times }: SetView, now: number): State {
  const { paused = false, windows = [], problem } = times ?? {};
  if (paused) return { kind: 'Pause', set, ...(problem && { problem }) };
  const window = windowOf(windows, now);
  return window.kind === 'open' ? window : { ...window, set };
}

/** The next window, or the one that is open; for at least one window. `now`: ms since the epoch. */
export function windowOf(windows: readonly ChangeWindow[], now: number): ClosedWindow | OpenWindow {
  const found = windowsAt(windows, now);
  return found.kind === 'open' ? found : { kind: 'Window', opens: found.at, text: found.text };
}
