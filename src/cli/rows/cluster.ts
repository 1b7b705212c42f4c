import { TARGET_FLAGS, targetConfig } from '../../runtime/flags/target.js';
import { userCommand } from '../command.js';
import { CLUSTER_NAMES, nameIn, outputConfig, rowsOf, refuseArguments, SET_NAME, SET_NAMES } from '../flags.js';
import { ManagedClusters, ManagedClusterSets } from '../../api/resources.js';
import { releasedImage } from '../../api/published.js';
import { nameAmong } from '../../answers/meant.js';
import { FlagError, type Flags, type FlagValue } from '../../runtime/flags/flags.js';

const JOINABLE_NAME = /^(?=.{1,63}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
/** The name of a ServiceAccount that every namespace has: no agent is called so. */
const NO_CLUSTER = 'default';
/** The flags of each action of `cluster`, besides {@link TARGET_FLAGS}. */
const ACTION_FLAGS: Readonly<Record<string, readonly string[]>> = {
  add: ['set', 'hub-url', 'valid', 'renew', 'image', 'api-endpoint', 'argo-cd', 'argo-cd-namespace', 'cluster-context'],
  remove: ['force'],
  list: ['output', 'color'],
};

export const CLUSTER = userCommand({
  name: 'cluster',
  summary: 'Lets a cluster join (prints the manifest for it) or leave, or lists all clusters.',
  arguments: 'add NAME|remove NAME|list',
  flags: {
    set: {
      value: 'SET',
      help: 'add: value of the cluster set label',
      excludes: ['renew'],
      completes: SET_NAMES,
    },
    'hub-url': { value: 'URL', help: 'add: address of the hub for the agent', defaultText: 'that of the kubeconfig' },
    valid: { value: 'DURATION', help: 'add: how long the cluster may join, 10m to 24h', default: '1h' },
    renew: {
      help: 'add: invalidate all tokens of a cluster that has joined, and let it join again',
      default: 'false',
    },
    image: { value: 'IMAGE', help: 'add: image of the agent', defaultText: 'that of this release, if it is one' },
    'api-endpoint': { value: 'URL', help: 'add: address that the cluster reports as its own' },
    'argo-cd': {
      value: 'NAMESPACES',
      list: true,
      help: 'add: namespaces of the cluster that Argo CD on the hub may deploy to, with tokens that the agent hands over',
    },
    'argo-cd-namespace': {
      value: 'NAMESPACE',
      help: 'add: namespace of Argo CD on the hub',
      default: 'argocd',
      needs: ['argo-cd'],
      completes: { live: 'namespaces' },
    },
    'cluster-context': {
      value: 'CONTEXT',
      help: 'add: context of the kubeconfig for the cluster, with the address and certificates that Argo CD uses',
      defaultText: 'NAME',
      needs: ['argo-cd'],
      completes: { live: 'contexts' },
    },
    force: { help: 'remove: even while decisions name the cluster', default: 'false' },
    ...rowsOf('output', 'color'),
    ...TARGET_FLAGS,
  },
  actionFlags: ACTION_FLAGS,
  completes: [{ words: Object.keys(ACTION_FLAGS) }, CLUSTER_NAMES],
  build: (flags, given) => {
    const [action = '', ...rest] = given.positional;
    const allowed = ACTION_FLAGS[action];
    const named = nameAmong(rest, ManagedClusters);
    if (allowed === undefined || (action === 'list' ? rest.length > 0 : named === undefined))
      return refuseArguments(given.positional, 'add NAME, remove NAME or list');
    const others = Object.values(ACTION_FLAGS).flat();
    const other = others.find((name) => flags.isSet(name) && !allowed.includes(name));
    if (other !== undefined) throw new FlagError(`--${other} cannot be used with cluster ${action}`);
    const base = targetConfig(flags, given);
    switch (action) {
      case 'add':
        return { command: 'cluster add', ...base, ...joining(flags, named ?? '', base.version) };
      case 'list':
        return { command: 'cluster list', ...base, ...outputConfig(flags, given.env) };
      default: {
        const cluster = nameIn(rest, 'remove NAME');
        return { command: 'cluster remove', ...base, cluster, force: flags.get('force').bool() };
      }
    }
  },
  run: async (config) => (await import('../commands/cluster/run.js')).runCluster(config),
});

/** What `cluster add` says of the cluster and its agent. */
function joining(flags: Flags, cluster: string, version: string) {
  if (!JOINABLE_NAME.test(cluster) || cluster === NO_CLUSTER)
    throw new FlagError(
      `the name of a cluster must be a DNS name of at most 63 characters other than ${NO_CLUSTER}, got ${JSON.stringify(cluster)}`,
    );
  return {
    cluster,
    clusterSet: setIn(flags.find('set')),
    hubUrl: flags.find('hub-url')?.httpsUrl(),
    validSeconds: validSeconds(flags.get('valid')),
    renew: flags.get('renew').bool(),
    image: requiredImage(flags.find('image'), version),
    apiEndpoint: flags.find('api-endpoint')?.httpsUrl(),
    argoCd: argoCd(flags, cluster),
  };
}

/** What `cluster add` says of Argo CD; undefined: it gets no access. */
function argoCd(flags: Flags, cluster: string) {
  const namespaces = flags.find('argo-cd');
  if (namespaces === undefined) return undefined;
  return {
    namespaces: namespaces.list().map((name) => namespaces.with(name).namespace()),
    argoCdNamespace: flags.get('argo-cd-namespace').namespace(),
    context: flags.find('cluster-context')?.text ?? cluster,
  };
}

function setIn(flag: FlagValue | undefined): string | undefined {
  const name = flag && nameAmong([flag.text], ManagedClusterSets);
  return name === undefined ? undefined : flag?.with(name).matching(SET_NAME, 'the name of a cluster set');
}

/** In whole minutes: some API servers turn 3607 seconds, which clients in pods ask for, into a year. */
function validSeconds(given: FlagValue): number {
  const ms = given.duration('10m', '24h', '30m or 1h');
  return ms % 60_000 === 0 ? ms / 1_000 : given.refuse('a duration of whole minutes');
}

/** The image of the flag, else that of this release. */
function requiredImage(flag: FlagValue | undefined, version: string): string {
  const image = flag?.image() ?? releasedImage(version);
  if (image !== undefined) return image;
  throw new FlagError(
    `--image is required, since no image of version ${version} is published: ` +
      'name the one that you have built and pushed, such as registry.example.com/multicluster-engine:TAG',
  );
}
