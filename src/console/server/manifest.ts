import { randomBytes } from 'node:crypto';
import { DEFAULT_SCALAR_STYLE_RULES, dump, SCALAR_STYLE, type ScalarStyleRule } from 'js-yaml';
import { withoutManagedFields } from '../../runtime/client/object.js';
import type { RawObject } from '../../runtime/vocabulary/meta.js';
import { LAST_APPLIED } from '../../api/names.js';
import { yamlText } from '../../answers/output.js';
import { escapeUnseen, hasUnseen } from '../wire/unseen.js';
import { isRecord } from '../../runtime/vocabulary/json.js';

/** Objects as somebody would write and apply them. */

export function manifestText(object: RawObject): string {
  return escapedYaml(manifestOf(object), yamlText);
}

/** As `kubectl get -o yaml` prints it, without managedFields: its fields in the order of the alphabet. */
export function objectText(object: RawObject): string {
  return escapedYaml(withoutManagedFields(object), (one) =>
    dump(one, { lineWidth: -1, noRefs: true, sortKeys: true, seqNoIndent: true, scalarStyleRules: STYLES }),
  );
}

/** Go's library writes what would be read as another type in double quotes, and all else in single ones. */
const STYLES: readonly ScalarStyleRule[] = [
  ...Object.values(DEFAULT_SCALAR_STYLE_RULES),
  (layout) => {
    const isWord = /^[\w.+:~-]*$/.test(layout.node.value);
    if (layout.style === SCALAR_STYLE.SINGLE_QUOTED && isWord) layout.style = SCALAR_STYLE.DOUBLE_QUOTED;
  },
];

/** What is not seen, or turns other characters around, is written as an escape. */
function escapedYaml(value: object, print: (value: object) => string): string {
  const text = print(value);
  if (!text.split('\n').some(hasUnseen)) return text;
  // A text with what YAML cannot print stands in double quotes: the mark for the backslash of an escape, which nobody can have
  // written before.
  const nonce = randomBytes(8).toString('hex');
  const [mark, printed] = [`\u0002${nonce}`, String.raw`\x02${nonce}`];
  return print(withMarks(value, mark) as object).replaceAll(printed, '\\');
}

function withMarks(value: unknown, mark: string): unknown {
  if (Array.isArray(value)) return value.map((one) => withMarks(one, mark));
  if (isRecord(value)) {
    const entries = Object.entries(value).map((entry) => entry.map((one) => withMarks(one, mark)) as [string, unknown]);
    return Object.fromEntries(entries);
  }
  if (typeof value !== 'string') return value;
  const escaped = (one: string): string => `${mark}${escapeUnseen(one).slice(1)}`;
  return Array.from(value, (one) => (/[\n\t]/.test(one) || !hasUnseen(one) ? one : escaped(one))).join('');
}

/** Without status and what the API server sets. */
export function manifestOf({ apiVersion, kind, metadata, spec }: RawObject): object {
  const { name, namespace, labels, annotations = {} } = metadata;
  const { [LAST_APPLIED]: _last, ...others } = annotations;
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(Object.keys(others).length === 0 ? {} : { annotations: others }),
    },
    ...(spec === undefined ? {} : { spec }),
  };
}
