const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * The age of a time as kubectl prints it: `119s`, `3m5s`, `10m`, `7h59m`, `47h`, `7d23h`, `729d`, `2y1d`.
 * @param time RFC 3339; a missing time yields `<unknown>`; `<invalid>` stands for an invalid one, and for one two seconds or more ahead
 * @param now ms since the epoch
 */
export function humanAge(time: string | undefined, now: number): string {
  if (time === undefined || time === '') return '<unknown>';
  const then = Date.parse(time);
  return Number.isNaN(then) ? '<invalid>' : humanDuration(now - then);
}

/** A duration in ms with two or three significant figures, like `HumanDuration` of apimachinery. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / SECOND);
  if (seconds < -1) return '<invalid>';
  if (seconds <= 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(ms / MINUTE);
  if (minutes < 10) return twoUnits(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(ms / HOUR);
  if (hours < 8) return twoUnits(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (days < 8) return twoUnits(days, 'd', hours % 24, 'h');
  if (days < 730) return `${days}d`;
  const years = Math.trunc(days / 365);
  return years < 8 ? twoUnits(years, 'y', days % 365, 'd') : `${years}y`;
}

function twoUnits(large: number, unit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${unit}` : `${large}${unit}${small}${smallUnit}`;
}
