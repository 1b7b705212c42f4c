import { isAction, type Action } from '../../answers/actions/action.js';
import { isRecord, textField } from '../../runtime/vocabulary/json.js';
import { PATH_NAME } from '../../runtime/vocabulary/names.js';
import type { Meaning } from '../wire/find.js';
import { GROUPING } from '../wire/fleet.js';
import type { Draft } from '../wire/plan.js';

/** What requests ask for, read from their query and body. */

/** An error of a request, with its HTTP code and headers of the answer. */
export class RequestError extends Error {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  /** What was probably meant. */
  readonly meant: readonly Meaning[];

  constructor(
    code: number,
    message: string,
    headers: Readonly<Record<string, string>> = {},
    meant: RequestError['meant'] = [],
  ) {
    super(message);
    this.code = code;
    this.headers = headers;
    this.meant = meant;
  }
}

const MOST_ROWS = 500;
const DEFAULT_ROWS = 100;
const MOST_CHANGES = 64;

/** `KIND/NAME` or `KIND/NAMESPACE/NAME`; empty: all. */
export function aboutIn(query: URLSearchParams): readonly string[] {
  const about = (query.get('about') ?? '').split('/').filter((part) => part !== '');
  if (about.length !== 1 && about.length <= 3 && about.every((part) => PATH_NAME.test(part))) return about;
  throw new RequestError(400, 'about: want KIND/NAME or KIND/NAMESPACE/NAME');
}

export function draftIn(body: unknown): Draft {
  if (!isRecord(body) || typeof body['manifests'] !== 'string') throw new RequestError(400, 'manifests: want a text');
  const lists = (['labels', 'drains', 'losses', 'each'] as const).map((name) => [name, textsIn(body[name], name)]);
  const action = actionIn(body['action']);
  return { manifests: body['manifests'], ...Object.fromEntries(lists), ...(action && { action }) } as Draft;
}

function actionIn(value: unknown): Action | undefined {
  if (value === undefined) return undefined;
  const [kind, namespace, name] = ['kind', 'namespace', 'name'].map((one) => textField(value, one));
  if (kind === undefined || !isAction(kind)) throw new RequestError(400, `action: ${JSON.stringify(kind)}: unknown`);
  return { kind, namespace: namespace ?? '', name: name ?? '' };
}

function textsIn(value: unknown, name: string): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  if (list.length > MOST_CHANGES) throw new RequestError(400, `${name}: at most ${MOST_CHANGES}, got ${list.length}`);
  return list.map((one) => {
    if (typeof one !== 'string') throw new RequestError(400, `${name}: want texts`);
    return one;
  });
}

export function windowOf(query: URLSearchParams): { readonly after: number; readonly limit: number } {
  return {
    after: numberIn(query, 'after', 0, Number.MAX_SAFE_INTEGER),
    limit: numberIn(query, 'limit', DEFAULT_ROWS, MOST_ROWS),
  };
}

function numberIn(query: URLSearchParams, name: string, otherwise: number, most: number): number {
  const text = query.get(name);
  if (text === null) return otherwise;
  const value = Number(text);
  if (/^\d{1,9}$/.test(text) && value <= most) return value;
  throw new RequestError(400, `${name}: ${JSON.stringify(text)}: must be a whole number from 0 to ${most}`);
}

export function groupIn(query: URLSearchParams): string {
  const group = query.get('group') ?? 'set';
  if (GROUPING.test(group)) return group;
  throw new RequestError(400, `group: ${JSON.stringify(group)}: want set, health, label:KEY or claim:KEY`);
}
