import { AUTHENTICATED, UNAUTHENTICATED } from './authenticator.js';
import type { Attributes, Authorizer } from './authorizer.js';
import { readAccountName } from './rbac/bindings.js';
import { forbiddenBy } from './forbidden.js';
import { badRequest, quoted, StatusError } from '../status.js';
import { MASTERS, type UserInfo } from '../user.js';

/** Joins repeated headers; no header can contain it. */
export const HEADER_SEPARATOR = '\n';

type Headers = Readonly<Record<string, string | undefined>>;

/** The requested identity, before groups are added. */
interface RequestedIdentity {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

const EXTRA = 'impersonate-extra-';
const PLAIN = 'impersonate';

/** Number of remembered senders, as in kube-apiserver. */
const MAX_SENDERS = 10_000;

/**
 * Returns the user that a request acts as: the sender, where it does not impersonate. `attributes` are the sender's.
 */
export type Impersonation = (headers: Headers, attributes: Attributes) => UserInfo | StatusError;

/**
 * Tries the constrained modes (`impersonate-on:user-info:list` and `impersonate:user-info`), then plain `impersonate`;
 * the mode that last succeeded for the sender comes first. Where all fail, the error of the first one is returned.
 */
export function createImpersonation(authorizer: Authorizer): Impersonation {
  const lastModes = new Map<string, string>();
  return (headers, attributes) => {
    const wanted = wantedUser(headers);
    if (wanted === undefined || wanted instanceof StatusError) return wanted ?? attributes.user;
    const sender = attributes.user.name;
    const modes = modesOf(wanted, lastModes.get(sender));
    const problems: StatusError[] = [];
    for (const mode of modes) {
      const problem =
        mode === PLAIN
          ? check(authorizer, attributes.user, parts(wanted, PLAIN, ''))
          : checkConstrained(authorizer, { mode, wanted, attributes });
      if (problem === undefined) {
        remember(lastModes, sender, mode);
        return asUser(wanted, mode !== PLAIN);
      }
      problems.push(problem);
    }
    return problems[0] ?? attributes.user;
  };
}

function modesOf(wanted: RequestedIdentity, last: string | undefined): readonly string[] {
  const only = wanted.uid === '' && wanted.groups.length === 0 && Object.keys(wanted.extra).length === 0;
  const bound = constrainedModeOf(wanted, only);
  if (bound === undefined) return [PLAIN];
  return last === PLAIN ? [PLAIN, bound] : [bound, PLAIN];
}

function remember(modes: Map<string, string>, sender: string, mode: string): void {
  modes.delete(sender);
  modes.set(sender, mode);
  const [oldest] = modes.keys();
  if (modes.size > MAX_SENDERS && oldest !== undefined) modes.delete(oldest);
}

function wantedUser(headers: Headers): RequestedIdentity | StatusError | undefined {
  // The first of several users or uids is used.
  const [name = '', uid = ''] = ['impersonate-user', 'impersonate-uid'].map(
    (key) => headers[key]?.split(HEADER_SEPARATOR)[0],
  );
  const groups = headers['impersonate-group']?.split(HEADER_SEPARATOR) ?? [];
  const extra = Object.fromEntries(
    Object.entries(headers).flatMap(([key, value]) =>
      key.startsWith(EXTRA) ? [[unescape(key.slice(EXTRA.length)), (value ?? '').split(HEADER_SEPARATOR)]] : [],
    ),
  );
  if (name !== '') return { name, uid, groups, extra };
  if (uid === '' && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
  return badRequest(`requested ${goValue({ name, uid, groups, extra })} without impersonating a user name`);
}

function unescape(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

// As Go prints the struct, which kube-apiserver shows here.
function goValue({ uid, groups, extra }: RequestedIdentity): string {
  const list = (values: readonly string[]): string => `[]string{${values.map((one) => quoted(one)).join(', ')}}`;
  const keys = Object.keys(extra).sort();
  const map =
    keys.length === 0
      ? 'map[string][]string(nil)'
      : `map[string][]string{${keys.map((key) => `${quoted(key)}:${list(extra[key] ?? [])}`).join(', ')}}`;
  return `&user.DefaultInfo{Name:"", UID:${quoted(uid)}, Groups:${groups.length === 0 ? '[]string(nil)' : list(groups)}, Extra:${map}}`;
}

const NODE = 'system:node:';
const NODE_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function nodeName(user: string): string | undefined {
  const name = user.startsWith(NODE) ? user.slice(NODE.length) : '';
  return NODE_NAME.test(name) ? name : undefined;
}

function constrainedModeOf(wanted: RequestedIdentity, only: boolean): string | undefined {
  if (nodeName(wanted.name) !== undefined) return only ? 'arbitrary-node' : undefined;
  if (readAccountName(wanted.name) !== undefined) return only ? 'serviceaccount' : undefined;
  return 'user-info';
}

/** A part of the requested identity that needs a right of its own. */
interface Part {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

const AUTHENTICATION = 'authentication.k8s.io';

function parts(wanted: RequestedIdentity, verb: string, group: string): readonly Part[] {
  const plain = { verb, group, subresource: '', namespace: '' };
  const account = readAccountName(wanted.name);
  const node = group === '' ? undefined : nodeName(wanted.name);
  const user =
    account !== undefined
      ? { resource: 'serviceaccounts', ...account }
      : node !== undefined
        ? { resource: 'nodes', name: node }
        : { resource: 'users', name: wanted.name };
  return [
    { ...plain, ...user },
    ...(wanted.uid === '' ? [] : [{ ...plain, group: AUTHENTICATION, resource: 'uids', name: wanted.uid }]),
    ...wanted.groups.map((name) => ({ ...plain, resource: 'groups', name })),
    ...Object.entries(wanted.extra).flatMap(([subresource, values]) =>
      values.map((name) => ({ ...plain, group: AUTHENTICATION, resource: 'userextras', subresource, name })),
    ),
  ];
}

function check(authorizer: Authorizer, user: UserInfo, wanted: readonly Part[]): StatusError | undefined {
  for (const part of wanted) {
    const attributes = { ...part, user, version: 'v1' };
    const { allowed, reason } = authorizer.authorize(attributes);
    if (!allowed) return forbiddenBy(attributes, reason);
  }
  return undefined;
}

interface ConstrainedMode {
  readonly mode: string;
  readonly wanted: RequestedIdentity;
  readonly attributes: Attributes;
}

function checkConstrained(
  authorizer: Authorizer,
  { mode, wanted, attributes }: ConstrainedMode,
): StatusError | undefined {
  const on = { ...attributes, verb: `impersonate-on:${mode}:${attributes.verb}` };
  const { allowed, reason } = authorizer.authorize(on);
  if (!allowed) return forbiddenBy(on, reason);
  const verb = `impersonate:${mode}`;
  const refused = wanted.groups.includes('') ? 'impersonating the empty string group is not allowed' : undefined;
  const masters = wanted.groups.includes(MASTERS) ? `impersonating the ${MASTERS} group is not allowed` : undefined;
  const why = refused ?? masters;
  if (why === undefined) return check(authorizer, attributes.user, parts(wanted, verb, AUTHENTICATION));
  const name = refused === undefined ? MASTERS : '';
  return forbiddenBy(
    {
      user: attributes.user,
      verb,
      group: AUTHENTICATION,
      version: 'v1',
      resource: 'groups',
      subresource: '',
      namespace: '',
      name,
    },
    why,
  );
}

function asUser({ name, uid, groups, extra }: RequestedIdentity, bound: boolean): UserInfo {
  const account = readAccountName(name);
  const given =
    groups.length > 0 || account === undefined
      ? groups
      : ['system:serviceaccounts', `system:serviceaccounts:${account.namespace}`];
  const own = bound && nodeName(name) !== undefined ? ['system:nodes'] : given;
  const added =
    name === 'system:anonymous' ? UNAUTHENTICATED : own.includes(UNAUTHENTICATED) ? undefined : AUTHENTICATED;
  const all = added === undefined || own.includes(added) ? own : [...own, added];
  return { name, groups: all, ...(uid === '' ? {} : { uid }), ...(Object.keys(extra).length === 0 ? {} : { extra }) };
}
