/** Whether the times that an agent writes agree with the clock of the hub. */
export type ClockState = 'synced' | 'off';

const TOLERATED_MS = 60_000;
/** A clock that was off counts as synced again only below this, so that one at the limit does not flap. */
const SYNCED_AGAIN_MS = 50_000;

/** The state of a clock that is `offMs` ahead of the hub's, or behind it when negative. `before`: its last state. */
export function clockState(offMs: number, before: ClockState | undefined): ClockState {
  const limit = before === 'off' ? SYNCED_AGAIN_MS : TOLERATED_MS;
  return Math.abs(offMs) <= limit ? 'synced' : 'off';
}
