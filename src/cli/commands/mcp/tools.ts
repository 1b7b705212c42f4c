import type { JsonRecord } from '../../../runtime/vocabulary/json.js';

/** A tool: a command that only reads, with the inputs that it takes. */
export interface Tool {
  /** That of the command. */
  readonly name: string;
  readonly description: string;
  /** What to ask for when the answer is too long. */
  readonly narrower: string;
  readonly inputs: Readonly<Record<string, Input>>;
}

interface Input {
  /** How it is given to the command. `file`: the text is in a file whose name is the value of the flag. */
  readonly as: 'argument' | 'flag' | 'list' | 'file';
  readonly flag?: string;
  readonly isRequired?: boolean;
  /** Of JSON Schema. */
  readonly schema: JsonRecord;
}

const NAME = { type: 'string', pattern: '^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$' };
const WORDS = { type: 'array', maxItems: 100, items: { type: 'string', pattern: '^[^,\\s]{1,600}$' } };
const MOST = { type: 'string', pattern: '^[0-9]{1,9}%?$' };
/** A file of manifests of this size is larger than any that is applied at once. */
const MOST_TEXT = 4 * 1024 * 1024;

const NAMESPACE = flag('namespace', NAME, 'namespace of the Placements; default: that of the kubeconfig, or all');
const PLACEMENT = { ...flag('', NAME, 'name of the Placement'), as: 'argument' } as const;
const CLUSTER = { ...flag('', NAME, 'name of the ManagedCluster'), as: 'argument', isRequired: true } as const;
const ALL = flag('all-namespaces', { type: 'boolean' }, 'objects of all namespaces');

export const TOOLS: readonly Tool[] = [
  {
    name: 'explain',
    description:
      'Why each cluster is selected by a Placement or not: verdict, the requirement that it fails, what would have to change. Kind PlacementExplanation.',
    narrower: 'ask for one cluster',
    inputs: {
      placement: { ...PLACEMENT, isRequired: true },
      namespace: NAMESPACE,
      cluster: flag('cluster', NAME, 'explain only this cluster'),
      nearest: flag(
        'nearest',
        { type: 'integer', minimum: 0, maximum: 10_000 },
        'how many of the clusters that match no predicate are shown; default: 10; not with cluster',
      ),
    },
  },
  {
    name: 'plan',
    description:
      'What a change would do to the decisions of all Placements, without making it: give manifests that would be applied, objects that would be deleted, or labels that would be set. Kind PlacementPlan.',
    narrower: 'plan a smaller change',
    inputs: {
      manifests: {
        as: 'file',
        flag: 'filename',
        schema: { type: 'string', maxLength: MOST_TEXT, description: 'YAML or JSON, as kubectl apply takes it' },
      },
      delete: list('delete', 'objects as KIND/NAME, such as mcl/eu-1, mclset/production, ns/shop'),
      set: list('set', 'labels of clusters: mcl/NAME:KEY=VALUE, or mcl/NAME:KEY- to remove one'),
      namespace: flag('namespace', NAME, 'namespace of objects that name none'),
      maxRemovals: flag('max-removals', MOST, 'more removals than this number or percentage are reported as exceeded'),
      maxAdditions: flag('max-additions', MOST, 'the same for additions'),
    },
  },
  {
    name: 'who-selects',
    description: 'Which Placements select a cluster, and what they would select without it. Kind ClusterSelections.',
    narrower: 'name a namespace',
    inputs: { cluster: CLUSTER, namespace: NAMESPACE },
  },
  {
    name: 'tree',
    description: 'The selected clusters of Placements by cluster set, with phase and counts. Kind FleetTree.',
    narrower: 'name a namespace, or a placement; explain one cluster',
    inputs: { placement: PLACEMENT, namespace: NAMESPACE, allNamespaces: ALL },
  },
  {
    name: 'history',
    description: 'Which clusters came into a decision and left it, when and why. Kind PlacementHistory.',
    narrower: 'see the decision objects',
    inputs: { placement: { ...PLACEMENT, isRequired: true }, namespace: NAMESPACE },
  },
  {
    name: 'check',
    description:
      'What is wrong with an installation: definitions, engine, controllers, certificate, fleet. Kind CheckReport.',
    narrower: 'name a namespace',
    inputs: {
      namespace: flag('namespace', NAME, 'only Placements of this namespace'),
      pre: flag('pre', { type: 'boolean' }, 'check what an installation needs, before it is made'),
    },
  },
];

function flag(name: string, schema: JsonRecord, description: string): Input {
  return { as: 'flag', flag: name, schema: { ...schema, description } };
}

function list(name: string, description: string): Input {
  return { as: 'list', flag: name, schema: { ...WORDS, description } };
}

export function inputSchema({ inputs }: Tool): JsonRecord & { readonly type: 'object' } {
  const entries = Object.entries(inputs);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
    required: entries.filter(([, { isRequired }]) => isRequired === true).map(([name]) => name),
    additionalProperties: false,
  };
}

/** The command line for valid inputs. `file`: the file with the text of an input that is given as one. */
export function commandLine({ name, inputs }: Tool, given: JsonRecord, file: string): readonly string[] {
  const words = Object.entries(inputs).flatMap(([input, { as, flag: flagName = '' }]): string[] => {
    const value = given[input];
    if (value === undefined || value === false) return [];
    if (value === true) return [`--${flagName}`];
    const word = wordOf(value);
    if (as === 'argument') return input === 'placement' ? ['placement', word] : [word];
    return [`--${flagName}=${as === 'file' ? file : word}`];
  });
  return [name, ...words, '--output=json'];
}

/** A list with commas, a number in digits. */
function wordOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordOf).join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The text of the input that is given to the command as a file. */
export function textInput({ inputs }: Tool, given: JsonRecord): string | undefined {
  const [name] = Object.entries(inputs).find(([, { as }]) => as === 'file') ?? [];
  const text = name === undefined ? undefined : given[name];
  return typeof text === 'string' ? text : undefined;
}
