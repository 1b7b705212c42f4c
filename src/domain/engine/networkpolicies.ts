import { isRecord } from '../../runtime/vocabulary/json.js';
import type { MultiClusterEngineSpec } from '../../api/generated/multiclusterengine.js';
import { fieldError, type FieldError } from './fielderror.js';

/** What `spec.networkPolicies` says, with its defaults. */
export interface NetworkPolicySettings {
  readonly enabled: boolean;
  /** The ports at which the components reach the API server, in ascending order; undefined: {@link API_SERVER_PORTS}. */
  readonly apiServerPorts: readonly number[] | undefined;
}

/** The ports that the policies allow where a spec names none, as the templates have them. */
export const API_SERVER_PORTS: readonly number[] = Object.freeze([443, 6443]);
export const MOST_API_SERVER_PORTS = 8;

/** What it means for a hub that the policies are off, for people. */
export const POLICIES_OFF = 'whatever reaches their pods may connect to the components, and they to any address';

/** `given`: that of a valid spec. */
export function networkPolicySettings(given: MultiClusterEngineSpec['networkPolicies']): NetworkPolicySettings {
  const ports = given?.apiServerPorts ?? undefined;
  return { enabled: given?.enabled ?? true, apiServerPorts: ports && [...ports].sort((a, b) => a - b) };
}

/** The errors of `spec.networkPolicies`, by the rules of the CRD. */
export function validateNetworkPolicies(value: unknown): readonly FieldError[] {
  const field = 'spec.networkPolicies';
  if (value === undefined || value === null) return [];
  if (!isRecord(value)) return [fieldError(field, value, 'must be an object')];
  const { enabled, apiServerPorts: ports } = value;
  const isSwitch = enabled === undefined || enabled === null || typeof enabled === 'boolean';
  return [
    ...(isSwitch ? [] : [fieldError(`${field}.enabled`, enabled, 'must be true or false')]),
    ...(ports === undefined || ports === null ? [] : validatePorts(`${field}.apiServerPorts`, ports)),
  ];
}

function validatePorts(field: string, value: unknown): readonly FieldError[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  if (items.length === 0 || items.length > MOST_API_SERVER_PORTS)
    return [fieldError(field, value, `must be a list of 1 to ${MOST_API_SERVER_PORTS} ports`)];
  return items.flatMap((one, index) => {
    if (!isPort(one)) return [fieldError(`${field}[${index}]`, one, 'must be a port: a whole number from 1 to 65535')];
    return items.indexOf(one) < index ? [fieldError(`${field}[${index}]`, one, 'must not be listed twice')] : [];
  });
}

function isPort(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65_535;
}
