import { FlagError, type FlagRows, type Flags } from './flags.js';

/** Where the objects come from: an API server, or files. */
export type ObjectSource =
  | {
      readonly kind: 'api';
      /** File with the API server's address and credentials; undefined: the usual kubeconfig rules. */
      readonly kubeconfig: string | undefined;
      readonly context: string | undefined;
      /** User to impersonate. */
      readonly impersonate: string | undefined;
    }
  | {
      readonly kind: 'files';
      /** A file or folder; `-` is standard input. */
      readonly path: string;
    };

/** The configuration of `multicluster-engine explain`. */
export interface ExplainConfig {
  readonly command: 'explain';
  /** Release of this program. */
  readonly version: string;
  readonly placement: string;
  /** Undefined: that of the kubeconfig's context, else `default`. */
  readonly namespace: string | undefined;
  /** The only cluster to explain; undefined: all. */
  readonly cluster: string | undefined;
  /** How many clusters that match no predicate are shown. */
  readonly nearest: number;
  readonly output: 'text' | 'json' | 'yaml';
  /** `auto`: on a terminal. */
  readonly color: 'auto' | 'always' | 'never';
  readonly source: ObjectSource;
}

interface ExplainEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly positional: readonly string[];
  readonly version: string;
}

export const EXPLAIN_ARGUMENTS = 'placement NAME';

export const EXPLAIN_FLAGS: FlagRows = {
  namespace: {
    value: 'NAMESPACE',
    short: 'n',
    help: 'namespace of the Placement',
    defaultText: 'that of the context, else default',
  },
  cluster: { value: 'NAME', help: 'explain this cluster alone', defaultText: 'all' },
  nearest: {
    value: 'K',
    help: 'show this many of the clusters that match no predicate, 0 to 10000',
    default: '10',
  },
  output: { value: 'FORMAT', short: 'o', help: 'json or yaml', defaultText: 'text' },
  kubeconfig: { value: 'FILE', help: 'kubeconfig of the API server', defaultText: 'the usual kubeconfig rules' },
  context: { value: 'NAME', help: 'context of the kubeconfig', defaultText: 'its current context' },
  as: { value: 'USER', help: 'user to impersonate' },
  offline: { help: 'read the objects of -f, and send no request', default: 'false' },
  filename: { value: 'FILE', short: 'f', help: 'with --offline: a file or folder; - is standard input' },
  color: { value: 'WHEN', help: 'auto, always or never; auto heeds NO_COLOR', default: 'auto' },
};

/** @throws FlagError with the flag or argument, its value and the rule. */
export function explain(flags: Flags, { env, positional, version }: ExplainEnvironment): ExplainConfig {
  const color = flags.get('color').oneOf(['auto', 'always', 'never'] as const);
  const plain = color === 'auto' && (env['NO_COLOR'] ?? '') !== '';
  return {
    command: 'explain',
    version,
    placement: placementIn(positional),
    namespace: flags.find('namespace')?.matching(/^[^/%]+$/, 'the name of a namespace'),
    cluster: flags.find('cluster')?.matching(/^[^/%]+$/, 'the name of a cluster'),
    nearest: flags.get('nearest').integer(0, 10_000),
    output: flags.find('output')?.oneOf(['json', 'yaml'] as const) ?? 'text',
    color: plain ? 'never' : color,
    source: sourceOf(flags),
  };
}

/** The name in `placement NAME` or `placement/NAME`. */
function placementIn(positional: readonly string[]): string {
  const [kind = '', name = '', ...more] = positional.length === 1 ? (positional[0] ?? '').split('/') : positional;
  const valid = /^placements?$/i.test(kind) && name !== '' && !/[/%]/.test(name) && more.length === 0;
  if (valid) return name;
  const given = positional.length === 0 ? 'none' : JSON.stringify(positional.join(' '));
  throw new FlagError(`the arguments must be ${EXPLAIN_ARGUMENTS}, got ${given}`);
}

function sourceOf(flags: Flags): ObjectSource {
  const file = flags.find('filename');
  const isOffline = flags.get('offline').bool();
  if (!isOffline && file !== undefined) throw new FlagError('--filename needs --offline');
  if (!isOffline) {
    return {
      kind: 'api',
      kubeconfig: flags.find('kubeconfig')?.matching(/^.+$/s, 'a file'),
      context: flags.find('context')?.matching(/^.+$/s, 'a context'),
      impersonate: flags.find('as')?.matching(/^[\x20-\x7e]+$/, 'a user name'),
    };
  }
  const online = ['kubeconfig', 'context', 'as'].find((name) => flags.find(name) !== undefined);
  if (online !== undefined) throw new FlagError(`--${online} cannot be used with --offline`);
  if (file === undefined) throw new FlagError('--offline needs --filename=FILE');
  return { kind: 'files', path: file.matching(/^[^\0]+$/s, 'a file, a folder or -') };
}
