import type { Overload } from './declaration.js';
import * as type from './celtype.js';
import type { CelType } from './celtype.js';

const SIMPLE: Readonly<Record<string, CelType>> = {
  dyn: type.DYN,
  null: type.NULL,
  bool: type.BOOL,
  int: type.INT,
  uint: type.UINT,
  double: type.DOUBLE,
  string: type.STRING,
  bytes: type.BYTES,
  duration: type.DURATION,
  timestamp: type.TIMESTAMP,
};

/** Types of the Kubernetes libraries that are opaque to the type checker; other names with a dot are structs. */
const OPAQUE: ReadonlySet<string> = new Set(['net.IP', 'net.CIDR']);

type Run = Overload['run'];

/**
 * Functions declared by signature: `string.indexOf(string, int): int`, `size(list(A)): int`, `optional.of(A):
 * optional(A)`.
 */
export class Library {
  readonly functions = new Map<string, Overload[]>();

  /** @param signature `receiver.name(types): type` for a method; `^name(types): type` for a name that contains dots. */
  add(id: string, signature: string, run: Run): this {
    const { name, member, parameters, result } = readSignature(signature);
    const known = this.functions.get(name) ?? [];
    this.functions.set(name, [...known, { id, member, parameters, result, run }]);
    return this;
  }
}

function readSignature(signature: string): { name: string; member: boolean; parameters: CelType[]; result: CelType } {
  const reader = new Reader(signature);
  const plain = reader.take('^');
  const receiver = plain ? undefined : reader.receiver();
  const name = reader.until('(');
  const rest = reader.list(')');
  reader.expect(':');
  const result = reader.type();
  return {
    name,
    member: receiver !== undefined,
    parameters: receiver === undefined ? rest : [receiver, ...rest],
    result,
  };
}

class Reader {
  private position = 0;

  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  take(mark: string): boolean {
    while (this.text[this.position] === ' ') this.position++;
    if (!this.text.startsWith(mark, this.position)) return false;
    this.position += mark.length;
    return true;
  }

  expect(mark: string): void {
    if (!this.take(mark)) throw new Error(`signature ${this.text}: ${mark} missing at ${this.position}`);
  }

  until(mark: string): string {
    const end = this.text.indexOf(mark, this.position);
    if (end < 0) throw new Error(`signature ${this.text}: ${mark} missing`);
    const found = this.text.slice(this.position, end);
    this.position = end + mark.length;
    return found;
  }

  /** Parses `type.` before a method name: it ends at the last dot outside parentheses before the arguments. */
  receiver(): CelType | undefined {
    let depth = 0;
    let dot = -1;
    for (let index = 0; index < this.text.length; index++) {
      const char = this.text[index];
      if (char === ':' && depth === 0) break;
      if (char === '(') depth++;
      else if (char === ')') depth--;
      else if (char === '.' && depth === 0) dot = index;
    }
    if (dot < 0) return undefined;
    const inner = new Reader(this.text.slice(0, dot));
    this.position = dot + 1;
    return inner.type();
  }

  list(end: string): CelType[] {
    const found: CelType[] = [];
    if (this.take(end)) return found;
    do found.push(this.type());
    while (this.take(','));
    this.expect(end);
    return found;
  }

  type(): CelType {
    this.take(' ');
    const [name] = /^[A-Za-z_.0-9]+/.exec(this.text.slice(this.position)) ?? [''];
    this.position += name.length;
    const parameters = this.text[this.position] === '(' && this.take('(') ? this.list(')') : [];
    return namedType(name, parameters);
  }
}

function namedType(name: string, parameters: readonly CelType[]): CelType {
  const [first = type.DYN, second = type.DYN] = parameters;
  if (name === 'list') return type.listOf(first);
  if (name === 'map') return type.mapOf(first, second);
  if (name === 'optional') return type.optionalOf(first);
  if (name === 'type') return type.typeOf(first);
  const simple = SIMPLE[name];
  if (simple !== undefined) return simple;
  if (/^[A-Z]$/.test(name)) return type.parameter(name);
  if (!name.includes('.')) throw new Error(`signature: no type ${name}`);
  return OPAQUE.has(name) ? type.opaque(name) : type.struct(name);
}
