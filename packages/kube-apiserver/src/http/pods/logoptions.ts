import type { RequestTarget } from '../target.js';
import { forbiddenField, invalidValue } from '@multicluster-engine/values/schema/field';
import { timeProblem } from '@multicluster-engine/values/text';
import { badRequest, invalid } from '../../status.js';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { integer, isTrue } from '../../verbs/options.js';

/** The options of GET …/pods/NAME/log. */
export interface PodLogOptions {
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
  /** Ms since the epoch. */
  readonly since: number | undefined;
}

/** @throws StatusError 400 for a value of another type, 422 for an invalid one. `now` in ms since the epoch. */
export function podLogOptions({ query }: RequestTarget, name: string, now: number): PodLogOptions {
  const flag = (key: string): boolean => isTrue(query.get(key) ?? 'false');
  const number = (key: string): number | undefined => integer(query.get(key) || undefined);
  const sinceTime = query.get('sinceTime') || undefined;
  const problem = sinceTime === undefined ? undefined : timeProblem(sinceTime);
  if (problem !== undefined) throw badRequest(problem);
  const sinceSeconds = number('sinceSeconds');
  const [tailLines, limitBytes] = [number('tailLines'), number('limitBytes')];
  const errors = [
    ...least(tailLines, 0, 'tailLines', 'must be greater than or equal to 0'),
    ...least(limitBytes, 1, 'limitBytes', 'must be greater than 0'),
    ...(sinceSeconds !== undefined && sinceTime !== undefined
      ? [forbiddenField('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified')]
      : least(sinceSeconds, 1, 'sinceSeconds', 'must be greater than 0')),
  ];
  if (errors.length > 0) throw invalid({ group: '', kind: 'PodLogOptions' }, name, errors);
  const since = sinceTime === undefined ? undefined : Date.parse(sinceTime);
  return {
    container: query.get('container') ?? '',
    follow: flag('follow'),
    previous: flag('previous'),
    timestamps: flag('timestamps'),
    tailLines,
    limitBytes,
    since: sinceSeconds === undefined ? since : now - sinceSeconds * 1000,
  };
}

function least(value: number | undefined, minimum: number, field: string, message: string): readonly FieldError[] {
  return value === undefined || value >= minimum ? [] : [invalidValue(field, value, message)];
}
