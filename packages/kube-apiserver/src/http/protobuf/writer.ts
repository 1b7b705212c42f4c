const FIXED64 = 1;
const LENGTH = 2;
const MORE = 0x80;

/**
 * Encodes the wire format of protobuf backwards: what is written last comes first. So the length of a message is known
 * when its prefix is written, and nothing is copied.
 */
export class Writer {
  #buffer: Buffer;
  #start: number;

  constructor(size = 1024) {
    this.#buffer = Buffer.allocUnsafe(size);
    this.#start = size;
  }

  /** The bytes written so far. */
  finish(): Buffer {
    return this.#buffer.subarray(this.#start);
  }

  bytes(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length);
    this.#buffer.set(bytes, this.#start);
  }

  /** A length-delimited field with the bytes that `content` writes. */
  field(number: number, content: () => void): void {
    const end = this.#length();
    content();
    this.#varint(this.#length() - end);
    this.#tag(number, LENGTH);
  }

  text(number: number, text: string): void {
    const length = Buffer.byteLength(text);
    this.#makeRoom(length);
    this.#buffer.write(text, this.#start);
    this.#varint(length);
    this.#tag(number, LENGTH);
  }

  /** A boolean or integer field; a negative number has 64 bits. */
  integer(number: number, value: number | boolean): void {
    if (Number(value) < 0) this.#negative(BigInt(value));
    else this.#varint(Number(value));
    this.#tag(number, 0);
  }

  double(number: number, value: number): void {
    this.#makeRoom(8);
    this.#buffer.writeDoubleLE(value, this.#start);
    this.#tag(number, FIXED64);
  }

  #length(): number {
    return this.#buffer.length - this.#start;
  }

  #makeRoom(count: number): void {
    if (this.#start < count) {
      const written = this.finish();
      this.#buffer = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, written.length + count));
      this.#start = this.#buffer.length - written.length;
      this.#buffer.set(written, this.#start);
    }
    this.#start -= count;
  }

  #tag(number: number, wire: number): void {
    this.#varint(number * 8 + wire);
  }

  /** A varint: seven bits per byte, the lowest first. */
  #varint(value: number): void {
    let count = 1;
    for (let rest = value; rest >= MORE; rest = Math.floor(rest / MORE)) count += 1;
    this.#makeRoom(count);
    let rest = value;
    for (let at = this.#start; at < this.#start + count - 1; at += 1) {
      this.#buffer[at] = (rest % MORE) + MORE;
      rest = Math.floor(rest / MORE);
    }
    this.#buffer[this.#start + count - 1] = rest;
  }

  #negative(value: bigint): void {
    const bytes: number[] = [];
    let rest = BigInt.asUintN(64, value);
    for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) + MORE);
    this.bytes(Uint8Array.from([...bytes, Number(rest)]));
  }
}

const SMALL = 64;

/** A length-delimited field on its own. */
export function bytesField(number: number, bytes: Uint8Array): Buffer {
  return piece(bytes.length + SMALL, (writer) => writer.field(number, () => writer.bytes(bytes)));
}

export function textField(number: number, text: string): Buffer {
  return piece(text.length + SMALL, (writer) => writer.text(number, text));
}

export function integerField(number: number, value: number | boolean): Buffer {
  return piece(SMALL, (writer) => writer.integer(number, value));
}

export function doubleField(number: number, value: number): Buffer {
  return piece(SMALL, (writer) => writer.double(number, value));
}

function piece(size: number, write: (writer: Writer) => void): Buffer {
  const writer = new Writer(size);
  write(writer);
  return writer.finish();
}
