/** Decodes the wire format of protobuf: numbered fields and their four wire types. */

export type WireValue =
  | { readonly wire: 'varint'; readonly value: bigint }
  | { readonly wire: 'fixed'; readonly bytes: Uint8Array }
  | { readonly wire: 'bytes'; readonly bytes: Uint8Array };

export interface WireField {
  readonly number: number;
  readonly value: WireValue;
}

/** The bytes are not a valid message. */
export class MalformedMessage extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'MalformedMessage';
  }
}

const MASK = (1n << 64n) - 1n;

/** The fields of a message in their order. Throws {@link MalformedMessage}. */
export function fieldsOf(bytes: Uint8Array): WireField[] {
  const fields: WireField[] = [];
  let at = 0;
  while (at < bytes.length) {
    const tag = varintAt(bytes, at);
    const number = Number(tag.value >> 3n);
    const found = valueAt(bytes, tag.end, Number(tag.value & 7n));
    if (number < 1) throw new MalformedMessage(`proto: illegal tag ${number}`);
    fields.push({ number, value: found.value });
    at = found.end;
  }
  return fields;
}

/** The numbers of a packed list. */
export function packedVarints(bytes: Uint8Array): bigint[] {
  const values: bigint[] = [];
  let at = 0;
  while (at < bytes.length) {
    const next = varintAt(bytes, at);
    values.push(next.value);
    at = next.end;
  }
  return values;
}

/** Reinterprets an unsigned 64-bit number as a signed one. */
export function signed(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}

function valueAt(bytes: Uint8Array, at: number, wire: number): { readonly value: WireValue; readonly end: number } {
  switch (wire) {
    case 0: {
      const { value, end } = varintAt(bytes, at);
      return { value: { wire: 'varint', value }, end };
    }
    case 1:
      return { value: { wire: 'fixed', bytes: slice(bytes, at, 8) }, end: at + 8 };
    case 2: {
      const { value, end } = varintAt(bytes, at);
      const length = Number(value);
      return { value: { wire: 'bytes', bytes: slice(bytes, end, length) }, end: end + length };
    }
    case 5:
      return { value: { wire: 'fixed', bytes: slice(bytes, at, 4) }, end: at + 4 };
    default:
      throw new MalformedMessage(`proto: illegal wireType ${wire}`);
  }
}

function slice(bytes: Uint8Array, at: number, length: number): Uint8Array {
  if (length > bytes.length - at) throw new MalformedMessage('unexpected EOF');
  return bytes.subarray(at, at + length);
}

function varintAt(bytes: Uint8Array, at: number): { readonly value: bigint; readonly end: number } {
  let value = 0n;
  for (let index = 0; index < 10; index += 1) {
    const byte = bytes[at + index];
    if (byte === undefined) throw new MalformedMessage('unexpected EOF');
    value |= BigInt(byte & 0x7f) << BigInt(7 * index);
    if (byte < 0x80) return { value: value & MASK, end: at + index + 1 };
  }
  throw new MalformedMessage('proto: integer overflow');
}
