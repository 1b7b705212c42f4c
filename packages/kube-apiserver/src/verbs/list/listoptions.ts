import { forbiddenField, notSupported } from '@multicluster-engine/values/schema/field';
import { invalid } from '../../status.js';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { parseFields } from '../../selectors/fields.js';
import { integer, isTrue } from '../options.js';
import { parseLabelSelector, type LabelSelector } from '../../selectors/labels.js';
import type { Query } from '../verbs.js';

/** Validated parameters of a list or a watch, with the defaults of the legacy forms. */
export interface ListOptions {
  readonly limit: number;
  readonly continue: string;
  readonly resourceVersion: string;
  readonly match: '' | 'Exact' | 'NotOlderThan';
  readonly bookmarks: boolean;
  /** undefined for a list, and for a watch that starts from a revision. */
  readonly initialEvents: boolean | undefined;
  readonly timeoutSeconds: number | undefined;
  /** Parsed: a selector may have a hundred thousand values, and is not parsed twice. */
  readonly labels: LabelSelector;
}

const MATCH = 'resourceVersionMatch';

/** Throws 400 for an invalid number, 422 ListOptions for an invalid combination. */
export function listOptions(query: Query, verb: 'list' | 'watch'): ListOptions {
  const { timeoutSeconds, limit, labels } = readParameters(query);
  const { continue: token = '', resourceVersion = '', resourceVersionMatch: requestedMatch = '' } = query;
  const sent = query.sendInitialEvents === undefined ? undefined : isTrue(query.sendInitialEvents);
  const legacy =
    verb === 'watch' &&
    sent === undefined &&
    requestedMatch === '' &&
    (resourceVersion === '' || resourceVersion === '0');
  const match = legacy ? 'NotOlderThan' : requestedMatch;
  const initialEvents = legacy ? true : sent;
  const errors =
    verb === 'watch'
      ? checkWatch(match, initialEvents, token)
      : checkList(match, initialEvents, token, resourceVersion);
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
  return {
    limit: Math.max(limit, 0),
    continue: token,
    resourceVersion,
    match: match === 'Exact' || match === 'NotOlderThan' ? match : '',
    bookmarks: query.allowWatchBookmarks !== undefined && isTrue(query.allowWatchBookmarks),
    initialEvents,
    timeoutSeconds,
    labels,
  };
}

/** Parses the parameters with a syntax. Throws 400, which precedes errors of combinations. */
function readParameters(query: Query): Pick<ListOptions, 'timeoutSeconds' | 'limit' | 'labels'> {
  const timeoutSeconds = integer(query.timeoutSeconds);
  const limit = integer(query.limit) ?? 0;
  const labels = parseLabelSelector(query.labelSelector);
  parseFields(query.fieldSelector);
  return { timeoutSeconds, limit, labels };
}

/** Whether the parameters of a list can be parsed. */
export function isReadable(query: Query): boolean {
  try {
    readParameters(query);
    return true;
  } catch {
    return false;
  }
}

function checkList(match: string, initialEvents: boolean | undefined, token: string, revision: string): FieldError[] {
  const errors: FieldError[] = [];
  if (match !== '') {
    if (revision === '')
      errors.push(forbiddenField(MATCH, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    if (token !== '') errors.push(forbiddenField(MATCH, 'resourceVersionMatch is forbidden when continue is provided'));
    if (match !== 'Exact' && match !== 'NotOlderThan')
      errors.push(notSupported(MATCH, match, ['Exact', 'NotOlderThan', '']));
    if (match === 'Exact' && revision === '0') {
      errors.push(forbiddenField(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (initialEvents !== undefined)
    errors.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  return errors;
}

function checkWatch(match: string, initialEvents: boolean | undefined, token: string): FieldError[] {
  const errors: FieldError[] = [];
  if (initialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(forbiddenField(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (match === '') return errors;
  if (initialEvents === undefined) {
    errors.push(
      forbiddenField(MATCH, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
    );
  }
  if (match !== 'NotOlderThan') errors.push(notSupported(MATCH, match, ['NotOlderThan']));
  if (token !== '') errors.push(forbiddenField(MATCH, 'resourceVersionMatch is forbidden when continue is provided'));
  return errors;
}
