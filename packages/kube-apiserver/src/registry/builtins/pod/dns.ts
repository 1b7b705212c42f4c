import type { JsonObject } from '@multicluster-engine/values/json';
import { child, index, invalidValue, required } from '@multicluster-engine/values/schema/field';
import { byteLength } from '@multicluster-engine/values/text';
import { regexText } from '@multicluster-engine/values/formats';
import type { FieldError } from '@multicluster-engine/values/schema/fielderror';
import { checkAddress } from '../validation/ipaddress.js';
import { each, has, invalidBecause } from '../validation/checks.js';
import { structAt, textAt, textsAt } from '@multicluster-engine/values/fields';

const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_LIST_LENGTH = 2048;
const LABEL = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const WHOLE_LABEL = new RegExp(`^${LABEL}$`);
/** Quoted in messages. */
const SEARCH = `${LABEL}(\\.${LABEL})*`;
const SEARCH_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";

/** Validates `dnsConfig`, which is required where dnsPolicy is None. */
export function checkDns(spec: JsonObject, path: string): readonly FieldError[] {
  const at = child(path, 'dnsConfig');
  const config = structAt(spec, 'dnsConfig');
  const servers = textsAt(config, 'nameservers');
  if (textAt(spec, 'dnsPolicy') === 'None') {
    if (!has(spec, 'dnsConfig')) return [required(at, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    if (servers.length === 0)
      return [required(child(at, 'nameservers'), 'must provide at least one DNS nameserver when `dnsPolicy` is None')];
  }
  const errors: FieldError[] =
    servers.length > MAX_NAMESERVERS
      ? [invalidValue(child(at, 'nameservers'), servers, `must not have more than ${MAX_NAMESERVERS} nameservers`)]
      : [];
  errors.push(
    ...servers.flatMap((server, position) => checkAddress(server, index(child(at, 'nameservers'), position))),
  );
  errors.push(...searchErrors(textsAt(config, 'searches'), child(at, 'searches')));
  return [
    ...errors,
    ...each(config, 'options', at, (option, place) =>
      textAt(option, 'name') === '' ? [required(place, 'must not be empty')] : [],
    ),
  ];
}

function searchErrors(searches: readonly string[], path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (searches.length > MAX_SEARCHES)
    errors.push(invalidValue(path, searches, `must not have more than ${MAX_SEARCHES} search paths`));
  if (byteLength(searches.join(' ')) > MAX_SEARCH_LIST_LENGTH)
    errors.push(
      invalidValue(
        path,
        searches,
        `must not have more than ${MAX_SEARCH_LIST_LENGTH} characters (including spaces) in the search list`,
      ),
    );
  for (const [position, search] of searches.entries()) {
    const name = search.replace(/\.$/, '');
    if (search !== '.') errors.push(...invalidBecause(index(path, position), name, searchProblems(name)));
  }
  return errors;
}

function searchProblems(name: string): readonly string[] {
  const wrong = byteLength(name) > 253 ? ['must be no more than 253 characters'] : [];
  return name.split('.').every((label) => WHOLE_LABEL.test(label))
    ? wrong
    : [...wrong, regexText(SEARCH_TEXT, SEARCH, 'example.com')];
}
