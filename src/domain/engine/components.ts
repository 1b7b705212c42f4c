import type { ComponentSpec } from '../../api/generated/multiclusterengine.js';
import type { ResourceType } from '../../runtime/vocabulary/meta.js';
import { isRecord } from '../../runtime/vocabulary/json.js';
import { CATALOGUE, certificateObjectsOf, type ComponentRow, type NamedObject } from './catalogue.js';
import { fieldError, type FieldError } from './fielderror.js';
import { isMore } from './quantities.js';

/** What `spec.components` says of each component that it names, and what the operator's flag `--without` has made of it. */
export type ComponentSpecs = Readonly<Record<string, ComponentSpec & { readonly isRefused?: true }>>;

/** Whether the component runs: as `spec.components` says, else as its row in the catalogue. */
function isOn(row: ComponentRow, specs: ComponentSpecs): boolean {
  return specs[row.name]?.enabled ?? row.optional !== true;
}

/** The components that run. */
export function componentsOn(specs: ComponentSpecs): readonly ComponentRow[] {
  return CATALOGUE.filter((row) => isOn(row, specs));
}

/** A component that does not run: who turns it off, and what it means, for people. */
export interface ComponentOff {
  readonly name: string;
  readonly cause: string;
  readonly meaning: string;
}

/** The components that `spec.components` names and that do not run. One that is off by default and not named is no news. */
export function componentsOff(specs: ComponentSpecs): readonly ComponentOff[] {
  return CATALOGUE.filter((row) => specs[row.name] !== undefined && !isOn(row, specs)).map(({ name, whileOff }) => {
    const cause = `the operator's flag --without=${name} turns it off`;
    const isRefused = specs[name]?.isRefused === true;
    return isRefused
      ? { name, cause, meaning: cause }
      : { name, cause: 'spec.components turns it off', meaning: whileOff };
  });
}

/** The components that run only where they are turned on. */
export const OPTIONAL_COMPONENTS: readonly string[] = CATALOGUE.filter((row) => row.optional === true).map(
  ({ name }) => name,
);

/** The same, without the components that this operator does not run, whatever a spec says. */
export function withoutComponents(specs: ComponentSpecs, without: readonly string[]): ComponentSpecs {
  const refused = Object.entries(specs).filter(([name, { enabled }]) => enabled === true && without.includes(name));
  const off = refused.map(([name, spec]) => [name, { ...spec, enabled: false, isRefused: true as const }]);
  return { ...specs, ...Object.fromEntries(off) };
}

/**
 * The objects of serving certificates that an engine may have, by name: of the components that run, and those that the
 * status has a row of, which are removed when their component is turned off. No other is watched.
 */
export function watchedCertificates(
  specs: ComponentSpecs,
  rows: readonly { readonly kind: string; readonly name: string }[],
): readonly NamedObject[] {
  const has = ({ type, name }: { readonly type: ResourceType; readonly name: string }): boolean =>
    rows.some((row) => row.kind === type.kind && row.name === name);
  return certificateObjectsOf(CATALOGUE.filter((row) => isOn(row, specs) || certificateObjectsOf([row]).some(has)));
}

/** `components`: the list of a valid spec. */
export function componentSpecs(components: readonly ComponentSpec[] | null | undefined): ComponentSpecs {
  return Object.fromEntries((components ?? []).map((one) => [one.name, one]));
}

/** The errors of `spec.components`, by the rules of the CRD. */
export function validateComponents(value: unknown): readonly FieldError[] {
  const field = 'spec.components';
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return [fieldError(field, value, 'must be a list')];
  const names = value.map((one: unknown) => (isRecord(one) ? one['name'] : undefined));
  return value.flatMap((one: unknown, at) => {
    const isSecond = names.indexOf(names[at]) < at;
    return isSecond
      ? [fieldError(`${field}[${at}].name`, names[at], 'must not be listed twice')]
      : validateComponent(`${field}[${at}]`, one);
  });
}

function validateComponent(field: string, one: unknown): readonly FieldError[] {
  if (!isRecord(one)) return [fieldError(field, one, 'must be an object')];
  const { name, enabled, replicas } = one;
  const known = CATALOGUE.map((row) => row.name).sort();
  const rules: readonly (readonly [name: string, value: unknown, holds: boolean, text: string])[] = [
    ['name', name, known.some((other) => other === name), `must be ${known.join(' or ')}`],
    ['enabled', enabled, enabled === undefined || typeof enabled === 'boolean', 'must be true or false'],
    ['replicas', replicas, replicas === undefined || isReplicas(replicas), 'must be a whole number from 1 to 100'],
  ];
  const broken = rules.flatMap(([part, value, holds, text]) =>
    holds ? [] : [fieldError(`${field}.${part}`, value, text)],
  );
  return [...broken.slice(0, 1), ...validateResources(`${field}.resources`, one['resources'])];
}

function isReplicas(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 100;
}

function validateResources(field: string, value: unknown): readonly FieldError[] {
  if (value === undefined) return [];
  if (!isRecord(value)) return [fieldError(field, value, 'must be an object')];
  const errors = ['limits', 'requests'].flatMap((kind) => validateQuantities(`${field}.${kind}`, value[kind]));
  if (errors.length > 0) return errors;
  const [limits, requests] = ['limits', 'requests'].map((kind) => (isRecord(value[kind]) ? value[kind] : {}));
  return RESOURCES.flatMap((name) =>
    isMore(requests?.[name], limits?.[name])
      ? [fieldError(`${field}.requests.${name}`, requests?.[name], `must not be more than limits.${name}`)]
      : [],
  );
}

function validateQuantities(field: string, value: unknown): readonly FieldError[] {
  if (value === undefined) return [];
  if (!isRecord(value)) return [fieldError(field, value, 'must be an object')];
  return RESOURCES.flatMap((name) => {
    const one = value[name];
    const path = `${field}.${name}`;
    if (one === undefined) return [];
    if (!isQuantity(one)) return [fieldError(path, one, QUANTITY_RULE)];
    const least = field.endsWith('.limits') ? LEAST_LIMITS[name] : undefined;
    return least === undefined || !isMore(least, one) ? [] : [fieldError(path, one, `must be at least ${least}`)];
  });
}

function isQuantity(value: unknown): boolean {
  return (typeof value === 'string' || typeof value === 'number') && QUANTITY.test(String(value));
}

/** The resources that a component may have others of. */
const RESOURCES = ['cpu', 'memory'] as const;
/** With less no component starts. A memory of 512 is 512 bytes, and a slip. */
const LEAST_LIMITS = Object.freeze({ cpu: '10m', memory: '64Mi' });
/** No exponents: the API server expands them. */
const QUANTITY = /^[0-9]{1,12}(\.[0-9]{1,3})?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$/;
const QUANTITY_RULE = 'must be a quantity, such as 500m, 2 or 512Mi';
