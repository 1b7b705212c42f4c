/** A body that cannot be parsed. The message is that of Go's decoder. */
export class MalformedBody extends Error {
  override readonly name = 'MalformedBody';
}

/** A text that is no JSON, unlike JSON whose values cannot be kept. */
export class JsonSyntaxError extends MalformedBody {
  /** Where Go's scanner was: `after object key`. */
  readonly where: string;
  /** The offset of the character that cannot stand there, or of the string, number or word that is wrong. */
  readonly at: number;

  constructor(message: string, where: string, at: number) {
    super(message);
    this.where = where;
    this.at = at;
  }
}

/** A text that rules stricter than kubectl's refuse. */
export class RefusedText extends MalformedBody {
  /** The place, such as `spec.list[0].name`, whose rule the message is; undefined where it is about the whole text. */
  readonly field: string | undefined;

  constructor(message: string, field?: string) {
    super(message);
    this.field = field;
  }
}

/** @throws MalformedBody when a double cannot represent an integer of 64 bits exactly. */
export function exactNumber(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value;
  if (!Number.isFinite(value))
    throw new MalformedBody(`json: cannot unmarshal number ${text.slice(0, 400)} into Go value of type float64`);
  if (!/^-?\d{1,19}$/.test(text) || BigInt(text) === BigInt(value)) return value;
  const big = BigInt(text);
  if (big !== BigInt.asIntN(64, big)) return value;
  throw new MalformedBody(
    `json: cannot unmarshal number ${text} into Go value of type int64: integers beyond 2^53 are not kept exactly here`,
  );
}
