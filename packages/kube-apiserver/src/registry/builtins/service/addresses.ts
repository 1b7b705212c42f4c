import type { Json, JsonObject } from '@multicluster-engine/values/json';
import { duplicate, index, invalidValue, notSupported, required } from '@multicluster-engine/values/schema/field';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { checkAddress, parseAddress } from '../validation/ipaddress.js';
import { has } from '../validation/checks.js';
import { textAt, textsAt } from '@multicluster-engine/values/fields';
import { isExternalName, isHeadless, NONE } from './fields.js';

const FAMILIES = ['IPv4', 'IPv6'];
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
const FIELD = 'spec.clusterIPs';

/** Validates clusterIP, clusterIPs, ipFamilies and ipFamilyPolicy against each other. `old` is undefined for a new Service. */
export function checkAddresses(spec: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
  if (isExternalName(spec)) return [];
  const addresses = textsAt(spec, 'clusterIPs');
  const errors: FieldError[] = [...pairErrors(textAt(spec, 'clusterIP'), addresses), ...familyErrors(spec)];
  const wrong = addressErrors(addresses, new Set(old === undefined ? [] : textsAt(old, 'clusterIPs')));
  errors.push(...wrong);
  if (addresses.length > 2) errors.push(invalidValue(FIELD, addresses, 'may only hold up to 2 values'));
  if (wrong.length > 0) return errors;
  if (addresses.length > 1 && !isDualStack(addresses))
    errors.push(invalidValue(FIELD, addresses, 'may specify no more than one IP for each IP family'));
  return isHeadless(spec) ? errors : [...errors, ...mismatches(addresses, textsAt(spec, 'ipFamilies'))];
}

function pairErrors(address: string, addresses: readonly string[]): readonly FieldError[] {
  if (address === '')
    return addresses.length === 0
      ? []
      : [invalidValue(FIELD, addresses, 'must be empty when `clusterIP` is not specified')];
  if (addresses.length === 0) return [required(FIELD)];
  return addresses[0] === address ? [] : [invalidValue(FIELD, addresses, 'first value must match `clusterIP`')];
}

function familyErrors(spec: JsonObject): readonly FieldError[] {
  const seen = new Set<string>();
  const errors: FieldError[] = [];
  for (const [at, family] of textsAt(spec, 'ipFamilies').entries()) {
    const path = index('spec.ipFamilies', at);
    if (!FAMILIES.includes(family)) errors.push(notSupported(path, family, FAMILIES));
    if (seen.has(family)) errors.push(duplicate(path, family));
    seen.add(family);
  }
  const policy = textAt(spec, 'ipFamilyPolicy');
  return has(spec, 'ipFamilyPolicy') && !POLICIES.includes(policy)
    ? [...errors, notSupported('spec.ipFamilyPolicy', policy, POLICIES)]
    : errors;
}

function addressErrors(addresses: readonly string[], known: ReadonlySet<string>): readonly FieldError[] {
  return addresses.flatMap((address, at) => {
    if (at > 0 || address !== NONE) return checkAddress(address, index(FIELD, at), known);
    return addresses.length > 1 ? [invalidValue(FIELD, addresses, "'None' must be the first and only value")] : [];
  });
}

export function familyOf(address: string): string {
  return parseAddress(address)?.bits === 128 ? 'IPv6' : 'IPv4';
}

function isDualStack(addresses: readonly string[]): boolean {
  return new Set(addresses.map(familyOf)).size === 2;
}

function mismatches(addresses: readonly string[], families: readonly string[]): readonly FieldError[] {
  return addresses.flatMap((address, at) => {
    const family = families[at];
    if (family === undefined || !FAMILIES.includes(family) || familyOf(address) === family) return [];
    return [
      invalidValue(index(FIELD, at), address, `expected an ${family} value as indicated by \`ipFamilies[${at}]\``),
    ];
  });
}

/** The primary address and family of a Service are immutable while its type has addresses. */
export function checkAddressChange(spec: JsonObject, old: JsonObject): readonly FieldError[] {
  if (isExternalName(spec) || isExternalName(old)) return [];
  const [now, before] = [isHeadless(spec), isHeadless(old)];
  return [...(now && before ? [] : addressChange(spec, old)), ...(now || before ? [] : familyChange(spec, old))];
}

function addressChange(spec: JsonObject, old: JsonObject): readonly FieldError[] {
  const [next, before] = [textsAt(spec, 'clusterIPs'), textsAt(old, 'clusterIPs')];
  if (before.length === next.length) {
    return before.flatMap((address, at) =>
      address === next[at] ? [] : [invalidValue(index(FIELD, at), next, 'may not change once set')],
    );
  }
  const errors: FieldError[] = [];
  if (before.length > next.length && next.length === 0)
    errors.push(invalidValue(index(FIELD, 0), nullIfEmpty(next), 'primary clusterIP can not be unset'));
  if (before.length > 0 && next.length > 0 && next[0] !== before[0])
    errors.push(invalidValue(index(FIELD, 0), next, 'may not change once set'));
  if (before.length > next.length && next.length === 1 && textAt(spec, 'ipFamilyPolicy') !== 'SingleStack') {
    errors.push(
      invalidValue(
        'spec.ipFamilyPolicy',
        spec['ipFamilyPolicy'],
        "must be set to 'SingleStack' when releasing the secondary clusterIP",
      ),
    );
  }
  return errors;
}

function familyChange(spec: JsonObject, old: JsonObject): readonly FieldError[] {
  const path = index('spec.ipFamilies', 0);
  const [next, before] = [textsAt(spec, 'ipFamilies'), textsAt(old, 'ipFamilies')];
  if (before.length === next.length)
    return before.flatMap((family, at) =>
      family === next[at] ? [] : [invalidValue(path, next, 'may not change once set')],
    );
  const errors: FieldError[] = [];
  const moved = next.length > 0 && before.length > 0 && next[0] !== before[0];
  if (moved) errors.push(invalidValue(path, textsAt(spec, 'clusterIPs'), 'may not change once set'));
  if (before.length > next.length && next.length === 1 && textAt(spec, 'ipFamilyPolicy') !== 'SingleStack') {
    errors.push(
      invalidValue(
        'spec.ipFamilyPolicy',
        spec['ipFamilyPolicy'],
        "must be set to 'SingleStack' when releasing the secondary ipFamily",
      ),
    );
  }
  return errors;
}

function nullIfEmpty(list: readonly string[]): Json {
  return list.length === 0 ? null : list;
}
