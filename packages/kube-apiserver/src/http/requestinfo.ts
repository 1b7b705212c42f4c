import type { RequestTarget } from './target.js';
import { isReadable } from '../verbs/list/listoptions.js';

/** The attributes of a request for authorization, from its path alone. */
export interface RequestInfo {
  readonly isResource: boolean;
  readonly path: string;
  /** get, list, watch, create, …; for non-resource paths the method in lower case. '' for a method without a verb. */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** The segments of the path from the resource on. */
  readonly parts: readonly string[];
  /** Whether the resource is below `namespaces/<name>/`. */
  readonly nested: boolean;
  /** Whether the path has `watch/` before the resource, the deprecated form of a watch. */
  readonly watchPath: boolean;
}

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};
/** Below a namespace, these are subresources of the namespace itself. */
const OF_NAMESPACES = ['status', 'finalize'];
const NOTHING = {
  isResource: false,
  group: '',
  version: '',
  namespace: '',
  resource: '',
  subresource: '',
  name: '',
  parts: [],
  nested: false,
  watchPath: false,
};

/** The attributes of a request; or the error of an invalid path (`/api/v1/watch`). */
export type ParsedRequest =
  | { readonly kind: 'info'; readonly info: RequestInfo }
  | { readonly kind: 'invalid'; readonly message: string };

/** Parses a path as kube-apiserver's RequestInfo does. */
export function requestInfo(method: string, target: RequestTarget): ParsedRequest {
  const { path } = target;
  const parts = path.replace(/^\/+|\/+$/g, '').split('/');
  const [prefix, ...rest] = parts;
  const grouped = prefix === 'apis';
  if ((!grouped && prefix !== 'api') || parts.length < (grouped ? 4 : 3))
    return { kind: 'info', info: { ...NOTHING, path, verb: method.toLowerCase() } };
  const [group = '', version = '', ...below] = grouped ? rest : ['', ...rest];
  const watchPath = below[0] === 'watch' || below[0] === 'proxy';
  if (watchPath && below.length < 2)
    return { kind: 'invalid', message: `unable to determine kind and namespace from url, ${target.raw}` };
  const verb = watchPath ? (below[0] ?? '') : (VERBS[method] ?? '');
  const { namespace, parts: own, nested } = namespaceOf(watchPath ? below.slice(1) : below);
  const [resource = '', name = '', subresource = ''] = own;
  const wanted = verbAndName(verb, name, target);
  const info: RequestInfo = {
    isResource: true,
    path,
    verb: wanted.verb,
    group,
    version,
    namespace,
    resource,
    subresource: verb === 'proxy' ? '' : subresource,
    name: wanted.name,
    parts: own,
    nested,
    watchPath,
  };
  return { kind: 'info', info };
}

function namespaceOf(parts: readonly string[]): Pick<RequestInfo, 'namespace' | 'parts' | 'nested'> {
  const [first, namespace, third] = parts;
  if (first !== 'namespaces' || namespace === undefined) return { namespace: '', parts, nested: false };
  const nested = third !== undefined && !OF_NAMESPACES.includes(third);
  return { namespace, parts: nested ? parts.slice(2) : parts, nested };
}

function verbAndName(
  verb: string,
  name: string,
  target: RequestTarget,
): { readonly verb: string; readonly name: string } {
  if (name !== '') return { verb, name };
  if (verb === 'delete') return { verb: 'deletecollection', name };
  if (verb !== 'get') return { verb, name };
  return { verb: isWatch(target.query.get('watch')) ? 'watch' : 'list', name: selectedName(target.query) };
}

/** The name in a field selector on metadata.name; empty without one, or where it is not a valid path segment. */
function selectedName(query: RequestTarget['query']): string {
  const selector = query.get('fieldSelector');
  // One invalid parameter makes all unreadable.
  if (selector === undefined || !isReadable(Object.fromEntries(query))) return '';
  const wanted = selector
    .split(',')
    .map((term) => /^metadata\.name==?([^=!]+)$/.exec(term)?.[1])
    .find((one) => one !== undefined);
  return wanted === undefined || /[/%]|^\.\.?$/.test(wanted) ? '' : wanted;
}

/**
 * Whether the parameter requests a watch: `watch=maybe` does; only 0, false and their spellings do not. Absent means
 * no, empty means yes (a flag).
 */
function isWatch(value: string | undefined): boolean {
  return value !== undefined && !['0', 'false'].includes(value.toLowerCase());
}
