/** Writes the wire format of protobuf, piece by piece. */

const FIXED64 = 1;
const LENGTH = 2;
const MORE = 0x80;

/** A field that holds bytes: a string, a message. */
export function bytesField(number: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([...varint(number * 8 + LENGTH), ...varint(bytes.length)]), bytes]);
}

export function textField(number: number, text: string): Buffer {
  return bytesField(number, Buffer.from(text));
}

/** A field that holds a boolean or a whole number; a negative one is written as one of 64 bits. */
export function integerField(number: number, value: number | boolean): Buffer {
  return Buffer.from([...varint(number * 8), ...(Number(value) < 0 ? negative(BigInt(value)) : varint(Number(value)))]);
}

export function doubleField(number: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([Buffer.from(varint(number * 8 + FIXED64)), bytes]);
}

/** Seven bits a byte, the lowest first. */
function varint(value: number): readonly number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= MORE; rest = Math.floor(rest / MORE)) bytes.push((rest % MORE) + MORE);
  bytes.push(rest);
  return bytes;
}

function negative(value: bigint): readonly number[] {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) + MORE);
  bytes.push(Number(rest));
  return bytes;
}
