import { CLI_API_VERSION, documentText, INCOMPLETE, linesText, type OutputFormat } from '../../answers/output.js';
import { painted, type Color } from '../../answers/table.js';
import type { CheckResult, CheckStatus } from './result.js';

export interface CheckOptions {
  readonly output: OutputFormat;
  readonly colored: boolean;
  /** Whether these are the checks before an installation. */
  readonly pre: boolean;
}

const MARKS: Readonly<Record<CheckStatus, { readonly text: string; readonly color: Color }>> = {
  Passed: { text: '✓', color: 'green' },
  Warning: { text: '!', color: 'yellow' },
  Failed: { text: '×', color: 'red' },
  Unknown: { text: '?', color: 'yellow' },
};

export function checkText(results: readonly CheckResult[], { output, colored, pre }: CheckOptions): string {
  switch (output) {
    case 'text':
    case 'wide':
      return linesText(results.map((one) => lineOf(one, colored)));
    case 'name':
      return linesText(
        results.filter(({ status }) => status === 'Failed' || status === 'Unknown').map(({ name }) => name),
      );
    default:
      return documentText(
        { apiVersion: CLI_API_VERSION, kind: 'CheckReport', pre, checks: results.map(fields) },
        output,
      );
  }
}

/** 1 when a check failed; else 3 when one is not known, since what was not checked is not well; 0 with warnings too. */
export function checkExitCode(results: readonly CheckResult[]): number {
  const isAny = (wanted: CheckStatus): boolean => results.some(({ status }) => status === wanted);
  if (isAny('Failed')) return 1;
  return isAny('Unknown') ? INCOMPLETE : 0;
}

function lineOf({ status, message, remedy }: CheckResult, colored: boolean): string {
  return `${painted(MARKS[status], colored)} ${message}${remedy === undefined ? '' : `: ${remedy}`}`;
}

function fields({ name, status, message, remedy }: CheckResult): object {
  return { name, status, message, ...(remedy === undefined ? {} : { remedy }) };
}
