/**
 * What a Placement says of one cluster, as lists show it, in their order, and how a terminal and the page of the console mark it.
 * Data only, which the page has too.
 */
export const VERDICTS = {
  Selected: { color: 'green', tone: 'ok', shape: 'check' },
  Held: { color: 'yellow', tone: 'info', shape: 'bar' },
  Waiting: { color: 'yellow', tone: 'info', shape: 'bar' },
  NotNeeded: { color: 'yellow', tone: 'info', shape: 'ring' },
  Moved: { color: 'yellow', tone: 'quiet', shape: 'ring' },
  SpreadBlocked: { color: 'yellow', tone: 'quiet', shape: 'ring' },
  Unknown: { color: undefined, tone: 'quiet', shape: 'ring' },
  Tainted: { color: 'red', tone: 'warn', shape: 'triangle' },
  Deleting: { color: 'red', tone: 'quiet', shape: 'bar' },
  NotMember: { color: 'red', tone: 'quiet', shape: 'cross' },
  Gone: { color: 'red', tone: 'quiet', shape: 'bar' },
  NotMatched: { color: 'red', tone: 'quiet', shape: 'cross' },
} as const;

export type VerdictWord = keyof typeof VERDICTS;
