import type { LoggedRequest } from '@multicluster-engine/kube-apiserver/testing/controlplane/audit';
import { Bindings } from './bindings.js';
import { Departures } from './departures.js';
import { Outages } from './outages.js';
import { inWords, type Right } from './rights.js';

/** What is wrong with the requests of some servers' logs; all empty when everything is as it should be. */
export interface Findings {
  /** Requests that no rule covers, each kind once. */
  readonly uncovered: readonly string[];
  /** Requests that were refused although no right had been removed, each kind once. */
  readonly refused: readonly string[];
  /** Rights that no request used, by role. */
  readonly unused: readonly string[];
}

/** The rights of every authenticated user, by the default roles of Kubernetes. */
const EVERYBODY = ['system:basic-user', 'system:discovery', 'system:public-info-viewer'].map(
  (name) => `ClusterRole ${name}`,
);

/** What is run with the rights of somebody else: the gateway has the tokens of its callers, commands are those of people. */
const OTHERS =
  'gateway|check|cluster add|cluster list|cluster remove|clusterset bind|completion|cordon|uncordon|drain|explain|plan|' +
  'release|status|tree|who-selects|console';

/** User agents of this product that have rights of deploy/. */
const OURS = new RegExp(`^multicluster-engine/(?!.*\\((${OTHERS})\\)$)`);

/** Whose requests they may be. */
const USERS =
  /^system:serviceaccount:(multicluster-engine-operator:multicluster-engine-(operator|inventories)|[^:]+:placement-controller)$/;

/** Refusals at admission that tests bring about: nothing that a right would change. */
const BROUGHT_ABOUT = [
  /exceeded quota/,
  /because it is being terminated/,
  /while custom resource definition is terminating/,
];

/**
 * Compares the requests of this product with the rights of `deploy/`. `logs`: one a server, whole, in order. `spared`: what
 * need not be used, as `role: right`.
 */
export function judge(
  logs: Iterable<readonly LoggedRequest[]>,
  rights: readonly Right[],
  spared: ReadonlySet<string> = new Set(),
): Findings {
  const uncovered = new Set<string>();
  const refused = new Set<string>();
  const used = new Set<Right>();
  for (const log of logs) {
    const bindings = new Bindings(log);
    const outages = new Outages(log);
    const departures = new Departures(log);
    for (const one of log) {
      if (!OURS.test(one.userAgent) || (one.code === 401 && departures.at(one.receivedAt))) continue;
      if (!USERS.test(one.user)) uncovered.add(`${asked(one)} as ${one.user}`);
      else if (one.code === 401 || one.code === 403) {
        if (!outages.at(one.answeredAt) && !isExpected(one, rights, bindings))
          refused.add(`${asked(one)} in "${one.namespace}": ${one.message}`);
      } else if (!cover(one, rights, used)) uncovered.add(`${asked(one)} (${one.allowedBy})`);
    }
  }
  const unused = rights.filter((right) => !used.has(right)).map((right) => `${right.role}: ${inWords(right)}`);
  return {
    uncovered: [...uncovered].sort(),
    refused: [...refused].sort(),
    unused: unused.filter((one) => !spared.has(one)).sort(),
  };
}

/** Notes the rights that a request used; false where there is none. */
function cover(one: LoggedRequest, rights: readonly Right[], used: Set<Right>): boolean {
  const role = /of ((?:Cluster)?Role) "([^"]+)"/.exec(one.allowedBy)?.slice(1).join(' ') ?? '';
  if (EVERYBODY.includes(role)) return true;
  const needed = verbsOf(one).map((verb) => rights.filter((right) => right.role === role && gives(right, verb, one)));
  for (const right of needed.flat()) used.add(right);
  if (one.code < 300 && /^(cluster)?rolebindings$/.test(one.resource) && verbsOf(one).includes('create')) {
    // A binding is named like its role, and creating it needs `bind` on that role.
    for (const right of rights) if (right.verb === 'bind' && right.name === one.name) used.add(right);
  }
  return needed.every((found) => found.length > 0);
}

/** Server-side apply of an object that does not exist needs `create` too. */
function verbsOf({ verb, code }: LoggedRequest): readonly string[] {
  return verb === 'patch' && code === 201 ? ['patch', 'create'] : [verb];
}

function gives(right: Right, verb: string, one: LoggedRequest): boolean {
  return (
    right.verb === verb &&
    right.group === one.apiGroup &&
    right.resource === resourceOf(one) &&
    (right.name === '' || right.name === one.name)
  );
}

function isExpected(one: LoggedRequest, rights: readonly Right[], bindings: Bindings): boolean {
  if (one.code === 401) return false;
  // A missing role is a reason, too, but none for allowing.
  if (one.allowedBy.startsWith('RBAC: allowed')) return BROUGHT_ABOUT.some((text) => text.test(one.message));
  const needed = rights.filter((right) => ['create', one.verb].includes(right.verb) && gives(right, right.verb, one));
  return needed.length > 0 && needed.every(({ role }) => !bindings.held(role, one.namespace, one.answeredAt));
}

function resourceOf({ resource, subresource, uri }: LoggedRequest): string {
  if (resource === '') return uri;
  return subresource === '' ? resource : `${resource}/${subresource}`;
}

function asked(one: LoggedRequest): string {
  return inWords({ verb: one.verb, group: one.apiGroup, resource: resourceOf(one), name: '' });
}
