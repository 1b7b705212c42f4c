import { labelValue, qualifiedName } from '@multicluster-engine/values/formats';
import { badRequest, quoted } from '../status.js';
import { firstWhere } from '../store/memory/keyindex.js';

export type Operator = '=' | '==' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

/** One condition on the labels of an object. */
export interface Requirement {
  readonly key: string;
  readonly operator: Operator;
  /** Sorted, without duplicates. */
  readonly values: readonly string[];
}

/** All requirements must match; an empty list matches everything. */
export type LabelSelector = readonly Requirement[];

type Labels = Readonly<Record<string, string>> | undefined;

export function matchesLabels(selector: LabelSelector, labels: Labels): boolean {
  return selector.every((requirement) => matchesRequirement(requirement, labels));
}

function matchesRequirement({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return value !== undefined && includesSorted(values, value);
    case '!=':
    case 'notin':
      return value === undefined || !includesSorted(values, value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'gt':
    case 'lt':
      return compares(operator, value, values[0]);
  }
}

/** Binary search in a sorted list: there may be a hundred thousand values, and as many objects. */
function includesSorted(values: readonly string[], wanted: string): boolean {
  return values[firstWhere(values, (value) => value >= wanted)] === wanted;
}

const INTEGER = /^[+-]?\d+$/;

function compares(operator: 'gt' | 'lt', value: string | undefined, bound: string | undefined): boolean {
  if (value === undefined || bound === undefined || !INTEGER.test(value) || !INTEGER.test(bound)) return false;
  return operator === 'gt' ? BigInt(value) > BigInt(bound) : BigInt(value) < BigInt(bound);
}

/**
 * Parses a label selector (`a=b,c in (d,e),!f`). Throws 400 in the words of `labels.Parse` of apimachinery, as
 * kube-apiserver continues them.
 */
export function parseLabelSelector(text: string | undefined): LabelSelector {
  if (text === undefined || text === '') return [];
  const requirements = new Parser(text).parse();
  return requirements.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

type Kind = 'error' | 'end' | 'word' | ')' | '(' | ',' | '!' | '==' | '=' | '>' | '<' | '!=' | 'in' | 'notin';

interface Token {
  readonly kind: Kind;
  readonly text: string;
}

const SPACE = ' \t\r\n';
const SPECIAL = '=!(),><';
/** Ends the input where a token would start; after a word or a symbol it is skipped. */
const NUL = '\0';
const BREAKS = SPACE + SPECIAL + NUL;
const SYMBOLS: readonly Kind[] = [')', '(', ',', '!', '==', '=', '>', '<', '!='];

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    while (at < text.length && SPACE.includes(text.charAt(at))) at += 1;
    if (at >= text.length || text[at] === NUL) return [...tokens, { kind: 'end', text: '' }];
    const token = SPECIAL.includes(text.charAt(at)) ? symbolAt(text, at) : wordAt(text, at);
    tokens.push(token);
    at += token.text.length;
    if (text[at] === NUL) at += 1;
    if (token.kind === 'error') return [...tokens, { kind: 'end', text: '' }];
  }
}

/** The longest symbol at the position, up to where the characters so far are none: `!=(` is `!=` and `(`. */
function symbolAt(text: string, at: number): Token {
  const two = SYMBOLS.find((symbol) => symbol.length === 2 && text.startsWith(symbol, at));
  const one = two ?? SYMBOLS.find((symbol) => text.startsWith(symbol, at));
  return one === undefined ? { kind: 'error', text: text.charAt(at) } : { kind: one, text: one };
}

function wordAt(text: string, at: number): Token {
  let end = at;
  while (end < text.length && !BREAKS.includes(text.charAt(end))) end += 1;
  const word = text.slice(at, end);
  return { kind: word === 'in' || word === 'notin' ? word : 'word', text: word };
}

const BINARY: Readonly<Partial<Record<Kind, Operator>>> = {
  in: 'in',
  notin: 'notin',
  '=': '=',
  '==': '==',
  '!=': '!=',
  '>': 'gt',
  '<': 'lt',
};

/** A recursive descent parser; `in` and `notin` are words where no operator is possible. */
class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  parse(): Requirement[] {
    const requirements: Requirement[] = [];
    for (;;) {
      const { kind, text } = this.#peek();
      if (kind === 'end') return requirements;
      if (kind !== 'word' && kind !== '!')
        throw badRequest(`found '${text}', expected: !, identifier, or 'end of string'`);
      requirements.push(this.#requirement());
      const after = this.#next();
      if (after.kind === 'end') return requirements;
      if (after.kind !== ',') throw badRequest(`found '${after.text}', expected: ',' or 'end of string'`);
      const follows = this.#peek();
      if (follows.kind !== 'word' && follows.kind !== '!')
        throw badRequest(`found '${follows.text}', expected: identifier after ','`);
    }
  }

  #requirement(): Requirement {
    const negated = this.#peek().kind === '!';
    if (negated) this.#next();
    const { kind, text: key } = this.#next();
    if (kind !== 'word') throw invalidSelector(`found '${key}', expected: identifier`);
    const problems = qualifiedName(key);
    if (problems.length > 0) throw invalidSelector(`<nil>: Invalid value: ${quoted(key)}: ${problems.join('; ')}`);
    const after = this.#peek().kind;
    if (negated) return { key, operator: '!', values: [] };
    if (after === 'end' || after === ',') return { key, operator: 'exists', values: [] };
    return this.#binary(key);
  }

  #binary(key: string): Requirement {
    const token = this.#take();
    const operator = BINARY[token.kind];
    if (operator === undefined) throw invalidSelector(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
    const values = operator === 'in' || operator === 'notin' ? this.#values() : [this.#value()];
    const sorted = [...new Set(values)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    checkValues(key, operator, sorted);
    return { key, operator, values: sorted };
  }

  #value(): string {
    const kind = this.#peek().kind;
    if (kind === 'end' || kind === ',') return '';
    const { kind: taken, text } = this.#next();
    if (taken !== 'word') throw invalidSelector(`found '${text}', expected: identifier`);
    return text;
  }

  #values(): string[] {
    const open = this.#next();
    if (open.kind !== '(') throw invalidSelector(`found '${open.text}' expected: '('`);
    const first = this.#peek();
    if (first.kind === ')') {
      this.#next();
      return [''];
    }
    if (first.kind !== 'word' && first.kind !== ',')
      throw invalidSelector(`found '${first.text}', expected: ',', ')' or identifier`);
    const values = this.#identifiers();
    if (this.#next().kind !== ')') throw invalidSelector(`found '${first.text}', expected: ')'`);
    return values;
  }

  /** A list in which empty values are omitted: `(,a)`, `(a,,b)`, `(a,)`. */
  #identifiers(): string[] {
    const values: string[] = [];
    for (;;) {
      const { kind, text } = this.#next();
      const follows = this.#peek();
      if (kind === 'word') {
        values.push(text);
        if (follows.kind === ')') return values;
        if (follows.kind !== ',') throw invalidSelector(`found '${follows.text}', expected: ',' or ')'`);
        continue;
      }
      if (kind !== ',') throw invalidSelector(`found '${text}', expected: ',', or identifier`);
      if (values.length === 0 || follows.kind === ',') values.push('');
      if (follows.kind === ')') return [...values, ''];
    }
  }

  /** The next token where a value or a key is possible. */
  #peek(): Token {
    const token = this.#tokens[Math.min(this.#at, this.#tokens.length - 1)] ?? { kind: 'end', text: '' };
    return token.kind === 'in' || token.kind === 'notin' ? { kind: 'word', text: token.text } : token;
  }

  #next(): Token {
    const token = this.#peek();
    this.#at += 1;
    return token;
  }

  /** The next token where an operator is required. */
  #take(): Token {
    const token = this.#tokens[Math.min(this.#at, this.#tokens.length - 1)] ?? { kind: 'end', text: '' };
    this.#at += 1;
    return token;
  }
}

function checkValues(key: string, operator: Operator, values: readonly string[]): void {
  const problems: string[] = [];
  values.forEach((value, index) => {
    if ((operator === 'gt' || operator === 'lt') && !INTEGER.test(value)) {
      problems.push(
        `values[${index}]: Invalid value: ${quoted(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
      );
    }
  });
  values.forEach((value, index) => {
    const wrong = labelValue(value);
    if (wrong.length > 0)
      problems.push(`values[${index}][${key}]: Invalid value: ${quoted(value)}: ${wrong.join('; ')}`);
  });
  if (problems.length > 0) throw invalidSelector(problems.length === 1 ? problems.join() : `[${problems.join(', ')}]`);
}

function invalidSelector(why: string): Error {
  return badRequest(`unable to parse requirement: ${why}`);
}
