import type { ComponentSpec } from '../../api/generated/multiclusterengine.js';
import type { ResourceType } from '../../runtime/vocabulary/meta.js';
import { isRecord } from '../../runtime/vocabulary/json.js';
import { CATALOGUE, certificateObjectsOf, type ComponentRow, type NamedObject } from './catalogue.js';
import { fieldError, type FieldError } from './fielderror.js';

/** What `spec.components` says of each component that it names. */
export type ComponentSpecs = Readonly<Record<string, ComponentSpec>>;

/** Whether the component runs: as `spec.components` says, else as its row in the catalogue. */
export function isOn(row: ComponentRow, specs: ComponentSpecs): boolean {
  return specs[row.name]?.enabled ?? row.optional !== true;
}

/** The components that run. */
export function componentsOn(specs: ComponentSpecs): readonly ComponentRow[] {
  return CATALOGUE.filter((row) => isOn(row, specs));
}

/** The components that `spec.components` names and that do not run. One that is off by default and not named is no news. */
export function componentsOff(specs: ComponentSpecs): readonly ComponentRow[] {
  return CATALOGUE.filter((row) => specs[row.name] !== undefined && !isOn(row, specs));
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
  const { name, enabled } = one;
  const known = CATALOGUE.map((row) => row.name).sort();
  if (!known.some((other) => other === name))
    return [fieldError(`${field}.name`, name, `must be ${known.join(' or ')}`)];
  if (enabled !== undefined && typeof enabled !== 'boolean')
    return [fieldError(`${field}.enabled`, enabled, 'must be true or false')];
  return [];
}
