import { byteLength } from '../text/go.js';

/**
 * A validation rule for names: returns the messages of all violations, in order; none for a valid name. The messages
 * are those of `k8s.io/apimachinery/pkg/api/validate/content` and `util/validation`.
 */
export type NameRule = (name: string) => readonly string[];

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const KEY = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const VALUE = `(${KEY})?`;
const CONFIG_MAP_KEY = '[-._a-zA-Z0-9]+';
const IDENTIFIER = '[A-Za-z_][A-Za-z0-9_]*';

const LABEL_TEXT =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const LABEL_1035_TEXT =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
const KEY_TEXT =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const VALUE_TEXT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const CONFIG_MAP_KEY_TEXT = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
const IDENTIFIER_TEXT =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'";

/** The messages say "characters" for names and "bytes" for label keys and values; both count UTF-8 bytes. */
function most(limit: number, unit: 'bytes' | 'characters' = 'characters'): string {
  return `must be no more than ${limit} ${unit}`;
}

/** `text (e.g. 'a',  or 'b', regex used for validation is 'r')`, as the API server formats it. */
export function regexText(text: string, regex: string, ...examples: readonly string[]): string {
  const given = examples.map((example) => `'${example}', `).join(' or ');
  return examples.length === 0
    ? `${text} (regex used for validation is '${regex}')`
    : `${text} (e.g. ${given}regex used for validation is '${regex}')`;
}

/** A DNS label. Checked without nested quantifiers: nothing backtracks over a long name. */
function isLabel(text: string): boolean {
  return /^[-a-z0-9]+$/.test(text) && !text.startsWith('-') && !text.endsWith('-');
}

function isSubdomain(text: string): boolean {
  return text.split('.').every(isLabel);
}

export function dns1123Label(name: string): readonly string[] {
  const wrong = byteLength(name) > 63 ? [most(63)] : [];
  if (isLabel(name)) return wrong;
  return [...wrong, isSubdomain(name) ? 'must not contain dots' : regexText(LABEL_TEXT, LABEL, 'my-name', '123-abc')];
}

export function dns1123Subdomain(name: string): readonly string[] {
  const wrong = byteLength(name) > 253 ? [most(253)] : [];
  return isSubdomain(name) ? wrong : [...wrong, regexText(SUBDOMAIN_TEXT, SUBDOMAIN, 'example.com')];
}

export function dns1035Label(name: string): readonly string[] {
  const wrong = byteLength(name) > 63 ? [most(63)] : [];
  return isLabel(name) && /^[a-z]/.test(name)
    ? wrong
    : [...wrong, regexText(LABEL_1035_TEXT, LABEL_1035, 'my-name', 'abc-123')];
}

/** A valid path segment of the API: names of RBAC objects. */
export function pathSegment(name: string): readonly string[] {
  return name === '.' || name === '..' ? [`may not be '${name}'`] : pathSegmentPart(name);
}

/** A valid prefix of a path segment. */
export function pathSegmentPart(name: string): readonly string[] {
  return ['/', '%'].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}

/** `prefix/name`: label keys, annotation keys (in lower case), finalizers, condition types. */
export function qualifiedName(text: string): readonly string[] {
  const parts = text.split('/');
  const rule = regexText(KEY_TEXT, KEY, 'MyName', 'my.name', '123-abc');
  if (parts.length > 2)
    return [`a valid label key ${rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const wrong: string[] = [];
  const [prefix, name = ''] = parts.length === 2 ? parts : [undefined, text];
  if (prefix === '') wrong.push('prefix part must be non-empty');
  else if (prefix !== undefined)
    wrong.push(...dns1123Subdomain(prefix).map((message) => `prefix part ${message.replace(/characters$/, 'bytes')}`));
  if (name === '') wrong.push('name part must be non-empty');
  else if (byteLength(name) > 63) wrong.push(`name part ${most(63, 'bytes')}`);
  if (!isKey(name)) wrong.push(`name part ${rule}`);
  return wrong;
}

function isKey(text: string): boolean {
  return /^[-A-Za-z0-9_.]+$/.test(text) && /^[A-Za-z0-9]/.test(text) && /[A-Za-z0-9]$/.test(text);
}

export function labelValue(text: string): readonly string[] {
  const wrong = byteLength(text) > 63 ? [most(63, 'bytes')] : [];
  return text === '' || isKey(text) ? wrong : [...wrong, regexText(VALUE_TEXT, VALUE, 'MyValue', 'my_value', '12345')];
}

/** Keys of ConfigMaps and Secrets. */
export function configMapKey(key: string): readonly string[] {
  const wrong = byteLength(key) > 253 ? [most(253)] : [];
  if (!/^[-._a-zA-Z0-9]+$/.test(key))
    wrong.push(regexText(CONFIG_MAP_KEY_TEXT, CONFIG_MAP_KEY, 'key.name', 'KEY_NAME', 'key-name'));
  if (key === '.') wrong.push("must not be '.'");
  else if (key === '..') wrong.push("must not be '..'");
  else if (key.startsWith('..')) wrong.push("must not start with '..'");
  return wrong;
}

export function identifier(text: string): readonly string[] {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text)
    ? []
    : [regexText(IDENTIFIER_TEXT, IDENTIFIER, 'my_name', 'MY_NAME', 'MyName')];
}

/**
 * Replaces a trailing dash of a generateName before validation: the dash is not the last character of the generated
 * name. (The API server cuts two characters and adds one, so the tested name is one character shorter.)
 */
export function maskTrailingDash(prefix: string): string {
  return prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix;
}
