import { own, type Json, type JsonObject } from '@multicluster-engine/values/json';
import { child, forbiddenField, invalidValue, notSupported, required } from '@multicluster-engine/values/schema/field';
import { regexText } from '@multicluster-engine/values/formats';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { has, invalidBecause, nonNegative, portNameProblems, portNumber } from '../../validation/checks.js';
import { listAt, structAt, textAt, textsAt } from '@multicluster-engine/values/fields';

export const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;

const NUMBERS = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];
const SCHEMES = ['HTTP', 'HTTPS'];
const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'];

interface ProbeOptions {
  readonly name: (typeof PROBES)[number];
  /** terminationGracePeriodSeconds of the pod. */
  readonly grace: Json | undefined;
}

export function checkProbe(probe: JsonObject, { name, grace }: ProbeOptions, path: string): readonly FieldError[] {
  const errors = [
    ...checkHandler(probe, grace, path),
    ...NUMBERS.flatMap((field) => nonNegative(own(probe, field), child(path, field))),
  ];
  const gracePeriod = own(probe, 'terminationGracePeriodSeconds');
  const at = child(path, 'terminationGracePeriodSeconds');
  if (typeof gracePeriod === 'number' && gracePeriod <= 0)
    errors.push(invalidValue(at, gracePeriod, 'must be greater than 0'));
  if (name === 'readinessProbe') {
    if (typeof gracePeriod === 'number')
      errors.push(invalidValue(at, gracePeriod, 'must not be set for readinessProbes'));
    return errors;
  }
  const success = own(probe, 'successThreshold');
  if (success !== 1) errors.push(invalidValue(child(path, 'successThreshold'), success ?? 0, 'must be 1'));
  return errors;
}

export function checkLifecycle(lifecycle: JsonObject, grace: Json | undefined, path: string): readonly FieldError[] {
  return ['postStart', 'preStop']
    .filter((name) => has(lifecycle, name))
    .flatMap((name) => checkHandler(structAt(lifecycle, name), grace, child(path, name)));
}

/** A probe or hook has exactly one handler. */
function checkHandler(handler: JsonObject, grace: Json | undefined, path: string): readonly FieldError[] {
  const handlers = HANDLERS.filter((name) => has(handler, name));
  const [first, ...more] = handlers;
  if (first === undefined) return [required(path, 'must specify a handler type')];
  return [
    ...checkAction(first, structAt(handler, first), grace, child(path, first)),
    ...more.map((name) => forbiddenField(child(path, name), 'may not specify more than 1 handler type')),
  ];
}

function checkAction(name: string, action: JsonObject, grace: Json | undefined, path: string): readonly FieldError[] {
  switch (name) {
    case 'exec':
      return textsAt(action, 'command').length === 0 ? [required(child(path, 'command'))] : [];
    case 'httpGet':
      return checkHttp(action, path);
    case 'sleep':
      return checkSleep(own(action, 'seconds'), grace, path);
    default:
      return checkPort(own(action, 'port'), child(path, 'port'));
  }
}

function checkHttp(action: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = textAt(action, 'path') === '' ? [required(child(path, 'path'))] : [];
  errors.push(...checkPort(own(action, 'port'), child(path, 'port')));
  const scheme = textAt(action, 'scheme');
  if (!SCHEMES.includes(scheme)) errors.push(notSupported(child(path, 'scheme'), scheme, SCHEMES));
  const rule = regexText(
    "a valid HTTP header must consist of alphanumeric characters or '-'",
    '[-A-Za-z0-9]+',
    'X-Header-Name',
  );
  const wrong = listAt(action, 'httpHeaders')
    .map((header) => textAt(header, 'name'))
    .filter((header) => !/^[-A-Za-z0-9]+$/.test(header));
  return [...errors, ...wrong.map((header) => invalidValue(child(path, 'httpHeaders'), header, rule))];
}

function checkPort(port: Json | undefined, path: string): readonly FieldError[] {
  return typeof port === 'string' ? invalidBecause(path, port, portNameProblems(port)) : portNumber(port ?? 0, path);
}

function checkSleep(seconds: Json | undefined, grace: Json | undefined, path: string): readonly FieldError[] {
  if (typeof seconds !== 'number' || typeof grace !== 'number' || (seconds >= 0 && seconds <= grace)) return [];
  return [invalidValue(path, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${grace})`)];
}
