import { equal, type JsonObject } from '@multicluster-engine/values/json';
import { index, invalidValue } from '@multicluster-engine/values/schema/field';
import { internalError, invalid, unknownError } from '../../../status.js';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { fill, structsIn, textOf, type Draft } from '../draft.js';
import { textAt, textsAt } from '@multicluster-engine/values/fields';
import { checkAddresses, familyOf } from './addresses.js';
import type { ServiceAllocator } from './allocator.js';
import { allocatesNodePorts, hasNodePorts, isExternalName, needsHealthCheck, NONE } from './fields.js';

/*
 * Allocation of addresses, IP families and node ports for the spec of a Service. It precedes validation, as in
 * kube-apiserver; so its errors are thrown, and no other errors are reported with them.
 */

interface Allocation {
  readonly name: string;
  readonly allocator: ServiceAllocator;
  readonly old: JsonObject | undefined;
}

/** Allocates for a new Service. */
export function allocate(spec: Draft, options: Allocation): void {
  if (options.old === undefined && textOf(spec, 'clusterIP') !== '')
    fill(spec, 'clusterIPs', [textOf(spec, 'clusterIP')]);
  fillFamilies(spec, options);
  allocateAddress(spec, options);
  allocatePorts(spec, options);
}

/** Allocates what a changed Service needs beyond the values of the old one. */
export function reallocate(spec: Draft, options: Allocation & { readonly old: JsonObject }): void {
  fillFamilies(spec, options);
  if (isExternalName(options.old)) allocateAddress(spec, options);
  allocatePorts(spec, options);
}

function throwIfInvalid(name: string, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: '', kind: 'Service' }, name, errors);
}

/** Sets IP families and their policy. The cluster has IPv4 only. */
function fillFamilies(spec: Draft, { name, old }: Allocation): void {
  if (isExternalName(spec)) return;
  const isHeadlessWithoutSelector =
    textOf(spec, 'clusterIP') === NONE && Object.keys(asStruct(spec['selector'])).length === 0;
  const policy = old === undefined ? '' : textAt(old, 'ipFamilyPolicy');
  fill(spec, 'ipFamilyPolicy', policy || (isHeadlessWithoutSelector ? 'RequireDualStack' : 'SingleStack'));
  throwIfInvalid(name, checkAddresses(spec, old));
  throwIfInvalid(name, [...releaseFamily(spec, old), ...policyErrors(spec)]);
  if (isHeadlessWithoutSelector) {
    fillEmpty(spec, 'ipFamilies', ['IPv4']);
    const families = textsAt(spec, 'ipFamilies');
    if (families.length < 2 && textOf(spec, 'ipFamilyPolicy') !== 'SingleStack')
      spec['ipFamilies'] = families[0] === 'IPv4' ? ['IPv4', 'IPv6'] : ['IPv6', 'IPv4'];
    return;
  }
  throwIfInvalid(name, unavailableFamilyErrors(spec));
  fillEmpty(spec, 'ipFamilies', ['IPv4']);
}

/** Releases the secondary family where the policy changed to SingleStack; dropping it otherwise is an error. */
function releaseFamily(spec: Draft, old: JsonObject | undefined): readonly FieldError[] {
  const [families, before] = [textsAt(spec, 'ipFamilies'), old === undefined ? [] : textsAt(old, 'ipFamilies')];
  if (textOf(spec, 'ipFamilyPolicy') === 'SingleStack') {
    if (families.length > 1 && equal(families, before)) spec['ipFamilies'] = families.slice(0, 1);
    return [];
  }
  if (families.length === 0 || families.length >= before.length) return [];
  return [
    invalidValue(
      'spec.ipFamilyPolicy',
      textOf(spec, 'ipFamilyPolicy'),
      "must be 'SingleStack' to release the secondary IP family",
    ),
  ];
}

function policyErrors(spec: Draft): readonly FieldError[] {
  const addresses = textsAt(spec, 'clusterIPs');
  const families = [...textsAt(spec, 'ipFamilies')];
  const errors: FieldError[] = [];
  if (textOf(spec, 'ipFamilyPolicy') === 'SingleStack') {
    const text = (what: string): string =>
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`;
    if (addresses.length === 2) errors.push(invalidValue('spec.ipFamilyPolicy', 'SingleStack', text('cluster IPs')));
    if (families.length === 2) errors.push(invalidValue('spec.ipFamilyPolicy', 'SingleStack', text('IP families')));
  }
  for (const [at, address] of addresses.entries()) {
    if (address === NONE) break;
    const family = familyOf(address);
    if (at < families.length) continue;
    if (family === 'IPv4') families.push(family);
    else
      errors.push(invalidValue(index('spec.clusterIPs', at), addresses, `${family} is not configured on this cluster`));
  }
  if (families.length > 0) spec['ipFamilies'] = families;
  return errors;
}

function unavailableFamilyErrors(spec: Draft): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (textOf(spec, 'ipFamilyPolicy') === 'RequireDualStack')
    errors.push(
      invalidValue('spec.ipFamilyPolicy', 'RequireDualStack', 'this cluster is not configured for dual-stack services'),
    );
  for (const [at, family] of textsAt(spec, 'ipFamilies').entries()) {
    if (family !== 'IPv4')
      errors.push(invalidValue(index('spec.ipFamilies', at), family, 'not configured on this cluster'));
  }
  return errors;
}

function allocateAddress(spec: Draft, { name, allocator }: Allocation): void {
  const given = textsAt(spec, 'clusterIPs');
  if (isExternalName(spec) || given[0] === NONE) return;
  const [wanted] = given;
  if (wanted === undefined || wanted === '') {
    const next = allocator.nextAddress();
    if (next === undefined)
      throw internalError(`failed to allocate a serviceIP for Service ${JSON.stringify(name)}: range is full`);
    spec['clusterIP'] = next;
    spec['clusterIPs'] = [next];
    return;
  }
  const problem = allocator.addressProblem(wanted);
  if (problem !== undefined)
    throwIfInvalid(name, [invalidValue('spec.clusterIPs', given, `failed to allocate IP ${wanted}: ${problem}`)]);
  spec['clusterIP'] = wanted;
}

function allocatePorts(spec: Draft, options: Allocation): void {
  const ports = hasNodePorts(spec);
  const check = needsHealthCheck(spec) && !isSet(spec['healthCheckNodePort']);
  const claims = needsHealthCheck(spec) && !check && (options.old === undefined || !needsHealthCheck(options.old));
  if (!ports && !check && !claims) return;
  const taken = new Set(options.allocator.takenPorts());
  if (ports) allocateNodePorts(spec, options, taken);
  if (claims) checkRequestedHealthCheckPort(Number(spec['healthCheckNodePort']), options, taken);
  if (check) spec['healthCheckNodePort'] = freePort(options, taken);
}

/** Allocates node ports. Service ports with the same number and different protocols share one node port. */
function allocateNodePorts(spec: Draft, options: Allocation, taken: Set<number>): void {
  const { old } = options;
  const current = new Set(old === undefined ? [] : structsIn(old as Draft, 'ports').map((port) => port['nodePort']));
  const byPort = new Map<unknown, number>();
  const given = new Set<number>();
  const seen = new Set<string>();
  for (const [at, port] of structsIn(spec, 'ports').entries()) {
    const wanted = port['nodePort'];
    if (typeof wanted === 'number' && wanted !== 0) {
      if (!current.has(wanted) && !given.has(wanted))
        checkRequestedPort(wanted, `${index('spec.ports', at)}.nodePort`, { ...options, taken });
      byPort.set(port['port'], wanted);
      given.add(wanted);
    } else if (allocatesNodePorts(spec)) {
      const number = (old === undefined ? byPort.get(port['port']) : undefined) ?? freePort(options, taken);
      byPort.set(port['port'], number);
      given.add(number);
      port['nodePort'] = number;
    }
    if (old !== undefined) checkDuplicateNodePort(port, seen);
  }
}

/** In an update, a repeated pair of protocol and node port is an internal error of kube-apiserver. */
function checkDuplicateNodePort(port: Draft, seen: Set<string>): void {
  const text = `{${textOf(port, 'protocol')} ${Number(port['nodePort'])}}`;
  if (seen.has(text)) throw unknownError(`duplicate nodePort: ${text}`);
  seen.add(text);
}

function checkRequestedHealthCheckPort(port: number, { allocator }: Allocation, taken: ReadonlySet<number>): void {
  const problem = allocator.portProblem(port, taken);
  if (problem !== undefined)
    throw internalError(`failed to allocate requested HealthCheck NodePort ${port}: ${problem}`);
}

function isSet(port: unknown): boolean {
  return typeof port === 'number' && port !== 0;
}

function checkRequestedPort(
  port: number,
  path: string,
  { name, allocator, taken }: Allocation & { readonly taken: ReadonlySet<number> },
): void {
  const problem = allocator.portProblem(port, taken);
  if (problem !== undefined) throwIfInvalid(name, [invalidValue(path, port, problem)]);
}

function freePort({ allocator }: Allocation, taken: Set<number>): number {
  const port = allocator.nextPort(taken);
  if (port === undefined) throw internalError('failed to allocate a nodePort: range is full');
  taken.add(port);
  return port;
}

function fillEmpty(spec: Draft, field: string, value: string[]): void {
  if (textsAt(spec, field).length === 0) spec[field] = value;
}

function asStruct(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
