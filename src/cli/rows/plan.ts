import { apiSource, checkNoArguments, namespaceIn, namespaceRow } from '../../runtime/flags/target.js';
import { input, WORDS, MOST, NAME, userCommand } from '../command.js';
import { outputConfig, OWN_NAMESPACE, rowsOf } from '../flags.js';
import type { PlanConfig } from '../commands/plan.js';
import type { ChangeLimit } from '../../answers/plan/report.js';
import { FlagError, type FlagRows, type Flags, type FlagValue } from '../../runtime/flags/flags.js';

/** What says something about a plan, which `--from-ocm` does not make. */
const FROM_OCM_EXCLUDES: readonly string[] = [
  'delete',
  'set',
  'lose',
  'lose-each',
  'max-removals',
  'max-additions',
  'namespace',
  'output=name',
  'output=wide',
  'kubeconfig',
  'context',
  'as',
  'offline',
  'color',
];

const FLAGS: FlagRows = {
  filename: {
    value: 'FILE',
    short: 'f',
    list: true,
    help: 'file or folder of manifests that would be applied; - is standard input',
    completes: { files: true },
  },
  recursive: {
    short: 'R',
    help: 'also read the subfolders of the folders of -f and --base',
    default: 'false',
    needs: ['filename', 'base'],
  },
  delete: {
    value: 'KIND/NAME',
    list: true,
    help: 'object that would be deleted, such as mclset/production; ns/NAME: a namespace and all in it',
  },
  set: { value: 'CHANGE', list: true, help: 'label that would be set: mcl/NAME:KEY=VALUE, or removed: mcl/NAME:KEY-' },
  'from-ocm': {
    help: 'print the Placements, sets and bindings of Open Cluster Management of -f as those of this project, and what differs',
    default: 'false',
    needs: ['filename'],
    excludes: FROM_OCM_EXCLUDES,
  },
  lose: {
    value: 'WHAT',
    list: true,
    help: 'clusters that would be lost: claim/KEY=VALUE, label/KEY=VALUE, mclset/NAME or mcl/NAME',
    excludes: ['lose-each'],
  },
  'lose-each': {
    value: 'KEY',
    help: 'what the loss of each value of claim/KEY or label/KEY does; exit code 2 when a Placement would be short',
    excludes: ['max-removals', 'max-additions'],
  },
  'max-removals': {
    value: 'MOST',
    help: 'exit with 1 when a Placement would lose more clusters than this number or percentage',
    defaultText: 'no limit',
  },
  'max-additions': {
    value: 'MOST',
    help: 'exit with 1 when a Placement would gain more clusters than this number or percentage',
    defaultText: 'no limit',
  },
  namespace: namespaceRow('namespace of objects that name none', OWN_NAMESPACE),
  ...rowsOf('output', 'kubeconfig', 'context', 'as'),
  offline: { help: 'compare the files of -f with those of --base, and send no request', default: 'false' },
  base: {
    value: 'FILE',
    help: 'with --offline: file or folder of all objects before the change',
    defaultText: 'no object',
    needs: ['offline'],
    completes: { files: true },
  },
  ...rowsOf('color'),
};

export const PLAN = userCommand({
  name: 'plan',
  summary: 'Shows what a change would do to the decisions of all Placements. Read-only.',
  tool: {
    description:
      'What a change would do to the decisions of all Placements, without making it: give manifests that would be applied, objects that would be deleted, or labels that would be set. Kind PlacementPlan.',
    narrower: 'plan a smaller change',
    inputs: {
      // A file of manifests of this size is larger than any that is applied at once.
      manifests: {
        as: 'file',
        flag: 'filename',
        schema: { type: 'string', maxLength: 4 * 1024 * 1024, description: 'YAML or JSON, as kubectl apply takes it' },
      },
      delete: input('delete', WORDS, 'objects as KIND/NAME, such as mcl/eu-1, mclset/production, ns/shop'),
      set: input('set', WORDS, 'labels of clusters: mcl/NAME:KEY=VALUE, or mcl/NAME:KEY- to remove one'),
      namespace: input('namespace', NAME, 'namespace of objects that name none'),
      maxRemovals: input('max-removals', MOST, 'more removals than this number or percentage are reported as exceeded'),
      maxAdditions: input('max-additions', MOST, 'the same for additions'),
    },
  },
  arguments: '',
  flags: FLAGS,
  exitCodes:
    '0: nothing changes; 2: some Placement does (--lose-each: would be short); 1: an error or an exceeded limit; 3: not everything could be read',
  build: (flags, { env, positional, version }) => {
    checkNoArguments(positional);
    const changes = {
      files: flags.find('filename')?.list() ?? [],
      deletions: flags.find('delete')?.list() ?? [],
      labels: flags.find('set')?.list() ?? [],
      lost: flags.find('lose')?.list() ?? [],
      loseEach: flags.findText('lose-each')?.text,
      source: sourceOf(flags),
    };
    checkChanges(changes);
    return {
      command: 'plan',
      version,
      namespace: namespaceIn(flags),
      ...changes,
      recursive: flags.get('recursive').bool(),
      isFromOcm: flags.get('from-ocm').bool(),
      maxRemovals: mostOf(flags.find('max-removals')),
      maxAdditions: mostOf(flags.find('max-additions')),
      ...outputConfig(flags, env),
    };
  },
  run: async (config) => (await import('../commands/plan.js')).runPlan(config),
});

type Changes = Pick<PlanConfig, 'files' | 'deletions' | 'labels' | 'lost' | 'loseEach' | 'source'>;

function checkChanges({ files, deletions, labels, lost = [], loseEach, source }: Changes): void {
  const losses = lost.length + (loseEach === undefined ? 0 : 1);
  if (files.length + deletions.length + labels.length + losses === 0)
    throw new FlagError('nothing would change: give --filename, --delete, --set, --lose or --lose-each');
  if (source.kind !== 'files' || source.base !== undefined) return;
  if (deletions.length + labels.length > 0) throw new FlagError('with --offline, --delete and --set need --base=FILE');
  if (files.length === 0)
    throw new FlagError('with --offline, --lose and --lose-each need --base=FILE or --filename=FILE');
}

function sourceOf(flags: Flags): PlanConfig['source'] {
  if (!flags.get('offline').bool()) return apiSource(flags);
  return { kind: 'files', base: flags.find('base')?.file('a file, a folder or -') };
}

function mostOf(flag: FlagValue | undefined): ChangeLimit | undefined {
  if (flag === undefined) return undefined;
  const match = /^(\d{1,9})(%?)$/.exec(flag.text);
  const value = Number(match?.[1]);
  if (match === null || (match[2] === '%' && value > 100))
    return flag.refuse('a number, or a percentage from 0% to 100%');
  return { kind: match[2] === '%' ? 'percent' : 'number', value };
}
