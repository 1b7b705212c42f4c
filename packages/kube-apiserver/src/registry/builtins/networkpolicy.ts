import { own, type JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import {
  child,
  forbiddenField,
  index,
  invalidValue,
  notSupported,
  required,
} from '@multicluster-engine/values/schema/field';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { checkRange, contains, parseRange, rangeWarnings } from './validation/ipaddress.js';
import { each, has, invalidBecause, portNameProblems, portNumber, whenSet } from './validation/checks.js';
import { fill, structsIn, ensureStruct, type Draft } from './draft.js';
import { listAt, structAt, textAt, textsAt } from '@multicluster-engine/values/fields';
import type { Kind } from './kind.js';
import { checkSelector } from './validation/labelselector.js';

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const TYPES = ['Ingress', 'Egress'];
/** The field of the rules, and the field of the peers of a rule. */
const DIRECTIONS = [
  ['ingress', 'from'],
  ['egress', 'to'],
] as const;

export const NETWORK_POLICY: Kind = {
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  namespaced: true,
  definition: 'io.k8s.api.networking.v1.NetworkPolicy',
  shortNames: ['netpol'],
  generation: 'spec',
  emptySpecIsChange: true,
  defaults: policyDefaults,
  validate: (policy) => validate(policy, new Set()),
  validateUpdate: (next, old) => validate(next, new Set(ipBlocksOf(old).flatMap(({ block }) => rangesOf(block)))),
  warnings: (policy) =>
    ipBlocksOf(policy).flatMap(({ block, path }) => [
      ...rangeWarnings(textAt(block, 'cidr'), child(path, 'cidr')),
      ...textsAt(block, 'except').flatMap((range, at) => rangeWarnings(range, index(child(path, 'except'), at))),
    ]),
};

function policyDefaults(policy: Draft): void {
  const spec = ensureStruct(policy, 'spec');
  for (const rule of [...structsIn(spec, 'ingress'), ...structsIn(spec, 'egress')]) {
    for (const port of structsIn(rule, 'ports')) fill(port, 'protocol', 'TCP');
  }
  const types = spec['policyTypes'];
  if (Array.isArray(types) && types.length > 0) return;
  spec['policyTypes'] = structsIn(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
}

interface LocatedIpBlock {
  readonly block: JsonObject;
  readonly path: string;
}

function ipBlocksOf(policy: KubeObject): readonly LocatedIpBlock[] {
  const spec = structAt(policy, 'spec');
  return DIRECTIONS.flatMap(([direction, peers]) =>
    listAt(spec, direction).flatMap((rule, at) =>
      listAt(rule, peers).flatMap((peer, position) => {
        const path = `${index(`spec.${direction}`, at)}.${index(peers, position)}.ipBlock`;
        return has(peer, 'ipBlock') ? [{ block: structAt(peer, 'ipBlock'), path }] : [];
      }),
    ),
  );
}

function rangesOf(block: JsonObject): readonly string[] {
  return [textAt(block, 'cidr'), ...textsAt(block, 'except')];
}

/** @param known ranges of the old object, which are not validated again */
function validate(policy: KubeObject, known: ReadonlySet<string>): readonly FieldError[] {
  const spec = structAt(policy, 'spec');
  const rules = DIRECTIONS.flatMap(([direction, peers]) =>
    each(spec, direction, 'spec', (rule, path) => [
      ...each(rule, 'ports', path, checkPort),
      ...each(rule, peers, path, (peer, at) => checkPeer(peer, at, known)),
    ]),
  );
  return [...checkSelector(structAt(spec, 'podSelector'), 'spec.podSelector'), ...rules, ...typeErrors(spec)];
}

function typeErrors(spec: JsonObject): readonly FieldError[] {
  const types = textsAt(spec, 'policyTypes');
  if (types.length > TYPES.length)
    return [invalidValue('spec.policyTypes', types, 'may not specify more than two policyTypes')];
  return types.flatMap((type, at) =>
    TYPES.includes(type) ? [] : [notSupported(index('spec.policyTypes', at), type, TYPES)],
  );
}

function checkPort(port: JsonObject, path: string): readonly FieldError[] {
  const protocol = own(port, 'protocol');
  const errors: FieldError[] = [];
  if (typeof protocol === 'string' && !PROTOCOLS.includes(protocol))
    errors.push(notSupported(child(path, 'protocol'), protocol, PROTOCOLS));
  const [number, end] = [own(port, 'port'), own(port, 'endPort')];
  const at = child(path, 'endPort');
  if (typeof number === 'number') {
    errors.push(...portNumber(number, child(path, 'port')));
    if (typeof end !== 'number') return errors;
    if (end < number) errors.push(invalidValue(at, number, 'must be greater than or equal to `port`'));
    return [...errors, ...portNumber(end, at)];
  }
  if (typeof number === 'string') {
    if (typeof end === 'number') errors.push(invalidValue(at, end, 'may not be specified when `port` is non-numeric'));
    return [...errors, ...invalidBecause(child(path, 'port'), number, portNameProblems(number))];
  }
  return typeof end === 'number'
    ? [...errors, invalidValue(at, end, 'may not be specified when `port` is not specified')]
    : errors;
}

function checkPeer(peer: JsonObject, path: string, known: ReadonlySet<string>): readonly FieldError[] {
  const parts = ['podSelector', 'namespaceSelector', 'ipBlock'].filter((name) => has(peer, name));
  const errors: FieldError[] = [
    ...whenSet(peer, 'podSelector', path, checkSelector),
    ...whenSet(peer, 'namespaceSelector', path, checkSelector),
    ...whenSet(peer, 'ipBlock', path, (block, at) => checkIpBlock(block, at, known)),
  ];
  if (parts.length === 0) errors.push(required(path, 'must specify a peer'));
  if (parts.length > 1 && has(peer, 'ipBlock'))
    errors.push(forbiddenField(path, 'may not specify both ipBlock and another peer'));
  return errors;
}

function checkIpBlock(block: JsonObject, path: string, known: ReadonlySet<string>): readonly FieldError[] {
  const cidr = textAt(block, 'cidr');
  if (cidr === '') return [required(child(path, 'cidr'))];
  const errors = [...checkRange(cidr, child(path, 'cidr'), known)];
  const range = parseRange(cidr);
  if (range === undefined) return errors;
  for (const [at, except] of textsAt(block, 'except').entries()) {
    const place = index(child(path, 'except'), at);
    errors.push(...checkRange(except, place, known));
    const part = parseRange(except);
    if (part === undefined || (contains(range, part.address) && part.prefix > range.prefix)) continue;
    errors.push(invalidValue(place, except, 'must be a strict subset of `cidr`'));
  }
  return errors;
}
