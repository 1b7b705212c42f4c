import type { LocatedContainer } from '../containers.js';
import { APPARMOR, SECCOMP } from '../security/annotations.js';
import { own, type JsonObject } from '@multicluster-engine/values/json';
import { child, index, key } from '@multicluster-engine/values/schema/field';
import { goQuote } from '@multicluster-engine/values/text';
import { has } from '../../validation/checks.js';
import { listAt, numberAt, structAt, textAt } from '@multicluster-engine/values/fields';
import { parseQuantity, quantityText, roundUpToMilli } from '@multicluster-engine/values/schema/struct/quantity';

interface Template {
  readonly spec: JsonObject;
  readonly annotations: JsonObject;
  /** The path of the annotations. */
  readonly path: string;
}

export function containerWarnings(
  { container, path }: LocatedContainer,
  { spec, annotations, path: annotationsPath }: Template,
): readonly string[] {
  const name = textAt(container, 'name');
  const context = structAt(container, 'securityContext');
  const resources = structAt(container, 'resources');
  const warnings: string[] = [];
  if (!has(context, 'seccompProfile') && Object.hasOwn(annotations, SECCOMP.container + name))
    warnings.push(`${key(annotationsPath, SECCOMP.container + name)}: ${SECCOMP.text}`);
  const profile = own(annotations, APPARMOR + name);
  if (
    !has(context, 'appArmorProfile') &&
    typeof profile === 'string' &&
    !isSameProfile(structAt(structAt(spec, 'securityContext'), 'appArmorProfile'), profile)
  ) {
    warnings.push(
      `${key(annotationsPath, APPARMOR + name)}: deprecated since v1.30; use the "appArmorProfile" field instead`,
    );
  }
  for (const resource of ['memory', 'ephemeral-storage']) {
    for (const list of ['limits', 'requests'])
      warnings.push(...fractionWarnings(structAt(resources, list), resource, child(child(path, 'resources'), list)));
  }
  return [...warnings, ...variableWarnings(listAt(container, 'env'), child(path, 'env'))];
}

/** Whether an annotation and a field of the Pod set the same profile. */
function isSameProfile(profile: JsonObject, annotation: string): boolean {
  switch (textAt(profile, 'type')) {
    case 'Unconfined':
      return annotation === 'unconfined';
    case 'RuntimeDefault':
      return annotation === 'runtime/default';
    case 'Localhost':
      return annotation === `localhost/${textAt(profile, 'localhostProfile')}`;
    default:
      return false;
  }
}

/** Warns of a number of bytes that is not an integer. */
export function fractionWarnings(list: JsonObject, name: string, path: string): readonly string[] {
  const value = own(list, name);
  const quantity = typeof value === 'string' ? parseQuantity(value) : undefined;
  if (quantity === undefined || roundUpToMilli(quantity).nanos % 1_000_000_000n === 0n) return [];
  return [
    `${key(path, name)}: fractional byte value ${goQuote(quantityText(quantity))} is invalid, must be an integer`,
  ];
}

/** Warns of a variable that is defined twice, unless the second value refers to the first: `$(X)more`. */
function variableWarnings(variables: readonly JsonObject[], path: string): readonly string[] {
  const seen = new Set<string>();
  return variables.flatMap((variable, position) => {
    const name = textAt(variable, 'name');
    const value = textAt(variable, 'value');
    const isRepeated = seen.has(name);
    seen.add(name);
    const before = `$(${name})`;
    const hides = has(variable, 'valueFrom') || value === before || !value.includes(before);
    return isRepeated && hides
      ? [
          `${index(path, position)}: hides previous definition of ${goQuote(name)}, which may be dropped when using apply`,
        ]
      : [];
  });
}

interface Port {
  readonly port: JsonObject;
  readonly path: string;
}

export function portWarnings(containers: readonly LocatedContainer[]): readonly string[] {
  const ports = containers.flatMap(({ container, path }) =>
    listAt(container, 'ports').map((port, position): Port => ({ port, path: index(child(path, 'ports'), position) })),
  );
  const names = new Map<string, string>();
  const repeated = ports.flatMap(({ port, path }) => {
    const name = textAt(port, 'name');
    const first = names.get(name);
    if (name === '') return [];
    if (first !== undefined)
      return [
        `${path}: duplicate port name ${goQuote(name)} with ${first}, services and probes that select ports by name will use ${first}`,
      ];
    names.set(name, path);
    return [];
  });
  return [...overlapWarnings(ports), ...repeated];
}

/** At most this many ports of one number are compared. More ports only get no warnings. */
const MAX_COMPARED_PORTS = 100;

function overlapWarnings(ports: readonly Port[]): readonly string[] {
  const byNumber = new Map<string, Port[]>();
  return ports.flatMap((port) => {
    const name = `${numberAt(port.port, 'containerPort')}/${textAt(port.port, 'protocol')}`;
    const others = byNumber.get(name) ?? [];
    const warnings = [...hostIpWarnings(port), ...others.flatMap((other) => overlapOf(port, other))];
    byNumber.set(name, others);
    if (others.length < MAX_COMPARED_PORTS) others.push(port);
    return warnings;
  });
}

function hostIpWarnings({ port, path }: Port): readonly string[] {
  const address = textAt(port, 'hostIP');
  if (address === '' || numberAt(port, 'hostPort') !== 0) return [];
  const shown = `{Name:${textAt(port, 'name')} HostPort:0 ContainerPort:${numberAt(port, 'containerPort')} Protocol:${textAt(port, 'protocol')} HostIP:${address}}`;
  return [`${path}: hostIP set without hostPort: ${shown}`];
}

function overlapOf({ port, path }: Port, { port: other, path: place }: Port): readonly string[] {
  const [address, otherAddress] = [textAt(port, 'hostIP'), textAt(other, 'hostIP')];
  const [host, otherHost] = [numberAt(port, 'hostPort'), numberAt(other, 'hostPort')];
  if (address === otherAddress && host === otherHost) return [`${path}: duplicate port definition with ${place}`];
  if (host === 0 || otherHost === 0) return [`${path}: overlapping port definition with ${place}`];
  return host === otherHost && (address === '') !== (otherAddress === '')
    ? [`${path}: dangerously ambiguous port definition with ${place}`]
    : [];
}
