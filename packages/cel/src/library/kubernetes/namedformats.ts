import { Library } from '../../language/signature.js';
import {
  dns1035Label,
  dns1123Label,
  dns1123Subdomain,
  labelValue,
  maskTrailingDash,
  qualifiedName,
  type NameRule,
} from '@multicluster-engine/values/formats/names';
import { hasFormat } from '@multicluster-engine/values/formats/formats';
import { noSuchOverload } from '../../language/error.js';
import { Opaque, Optional, ValueList } from '../../language/value.js';
import { urlProblem } from './url.js';
import { textOf } from '../operators.js';

/** A name rule as a value: `format.dns1123Label()`. */
class NamedFormat extends Opaque {
  readonly typeName = 'kubernetes.NamedFormat';
  readonly name: string;
  readonly rule: NameRule;
  private readonly size: number;

  constructor(name: string, rule: NameRule, size: number) {
    super();
    this.name = name;
    this.rule = rule;
    this.size = size;
  }

  /** The length of the longest pattern of the rule. */
  override get costSize(): number {
    return this.size;
  }

  equals(other: Opaque): boolean {
    return other instanceof NamedFormat && other.name === this.name;
  }
}

const prefixed =
  (rule: NameRule): NameRule =>
  (text) =>
    rule(maskTrailingDash(text));
const ofFormat =
  (format: string, problem: string): NameRule =>
  (text) =>
    hasFormat(format, text) ? [] : [problem];

/** The length of the longest date and time pattern in the API server's format library. */
const MOMENT_PATTERN = 118;

const FORMATS: readonly (readonly [string, NameRule, number])[] = [
  ['dns1123Label', dns1123Label, 30],
  ['dns1123Subdomain', dns1123Subdomain, 60],
  ['dns1035Label', dns1035Label, 30],
  ['qualifiedName', qualifiedName, 60],
  ['dns1123LabelPrefix', prefixed(dns1123Label), 30],
  ['dns1123SubdomainPrefix', prefixed(dns1123Subdomain), 60],
  ['dns1035LabelPrefix', prefixed(dns1035Label), 30],
  ['labelValue', labelValue, 40],
  ['uri', uriRule, 1103],
  ['uuid', ofFormat('uuid', 'does not match the UUID format'), 66],
  ['byte', ofFormat('byte', 'invalid base64'), 84],
  ['date', ofFormat('date', 'invalid date'), MOMENT_PATTERN],
  ['datetime', ofFormat('datetime', 'invalid datetime'), MOMENT_PATTERN],
];

function uriRule(text: string): readonly string[] {
  const problem = urlProblem(text);
  return problem === undefined ? [] : [problem];
}

/** The Kubernetes library of named formats. */
export function formats(): Library {
  const library = new Library();
  const byName = new Map(FORMATS.map(([name, rule, size]) => [name, new NamedFormat(name, rule, size)]));
  for (const [name, format] of byName)
    library.add(`format.${name}`, `^format.${name}(): kubernetes.NamedFormat`, () => format);
  library.add('format-named', '^format.named(string): optional(kubernetes.NamedFormat)', ([name]) => {
    const format = byName.get(textOf(name));
    return format === undefined ? Optional.none : new Optional(format);
  });
  library.add(
    'format-validate',
    'kubernetes.NamedFormat.validate(string): optional(list(string))',
    ([format, text]) => {
      if (!(format instanceof NamedFormat)) throw noSuchOverload();
      const problems = format.rule(textOf(text));
      return problems.length === 0 ? Optional.none : new Optional(new ValueList([...problems]));
    },
  );
  return library;
}
