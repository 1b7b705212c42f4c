import { TAINTS } from '../../../src/api/names.js';
import { fields, items, number, text, type Fields } from '../../support/scenario/checks/reading.js';

/** The documented rules of time and budgets (docs/concepts/placement.md), from raw specs, apart from the product's own code. */

/** How many clusters a spec wants; Infinity for all that match. */
export function wantedBy(spec: Fields): number {
  const numbers = items(spec['predicates']).map((one) => number(one['numberOfClusters'], Infinity));
  const sum = numbers.length === 0 ? Infinity : numbers.reduce((all, one) => all + one, 0);
  return Math.min(number(spec['numberOfClusters'], Infinity), sum);
}

/** How many clusters a bound of the budget lets through, of `base`; Infinity without it. */
export function limitOf(spec: Fields, bound: 'maxRemovals' | 'maxAdditions', base: number): number {
  const value = fields(spec['disruptionBudget'])[bound];
  if (typeof value === 'string') return Math.ceil((Number.parseInt(value, 10) * base) / 100);
  return number(value, Infinity);
}

export function windowOf(spec: Fields): number {
  return number(fields(spec['disruptionBudget'])['windowSeconds'], 3_600) * 1_000;
}

/** Whether the annotation, a time and names or `*`, lets the cluster pass at `now`. Of digests, a scenario says whom they name. */
export function isReleased(annotation: string | undefined, cluster: string, now: number): boolean {
  const [until = '', list = ''] = (annotation ?? '').split('/');
  const names = list.split(',');
  return now < Date.parse(until) && (/^[*~]/.test(list) || names.includes(cluster));
}

export function isPaused(spec: Fields): boolean {
  return spec['paused'] === true;
}

/** Everything of a spec but the pause: what an edit is. */
export function contentOf(spec: Fields): string {
  return JSON.stringify({ ...spec, paused: undefined });
}

/** Whether one of the change windows is open; always without any. Not for weeks in which the clocks of a zone change. */
export function isOpen(spec: Fields, now: number): boolean {
  const windows = items(spec['changeWindows']);
  return windows.length === 0 || windows.some((one) => isOneOpen(one, now));
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const DAY_MINUTES = 24 * 60;

function isOneOpen(window: Fields, now: number): boolean {
  const [day = '', clock = ''] = text(window['start']).split(' ');
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  const period = day === '*' ? DAY_MINUTES : 7 * DAY_MINUTES;
  const start = Math.max(DAYS.indexOf(day), 0) * DAY_MINUTES + hours * 60 + minutes;
  const [, h = '0', m = '0'] = /^(?:(\d+)h)?(?:(\d+)m)?$/.exec(text(window['duration'])) ?? [];
  const passed = (localMinute(text(window['timeZone']), now) - start + 7 * DAY_MINUTES) % period;
  return passed < Number(h) * 60 + Number(m);
}

/** Minutes since Sunday 00:00, by the clock of the zone. */
function localMinute(timeZone: string, now: number): number {
  const format = { timeZone, hourCycle: 'h23', weekday: 'short', hour: 'numeric', minute: 'numeric' } as const;
  const parts = new Intl.DateTimeFormat('en-US', format).formatToParts(now);
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? '';
  return DAYS.indexOf(part('weekday')) * DAY_MINUTES + Number(part('hour')) * 60 + Number(part('minute'));
}

const HUB_TAINTS: readonly unknown[] = [TAINTS.unreachable, TAINTS.unavailable];

/** Whether the hub itself has tainted the cluster. */
export function isTaintedByHub(spec: Fields): boolean {
  return items(spec['taints']).some(({ key }) => HUB_TAINTS.includes(key));
}
