/** Reads the parts of an ExportTraceServiceRequest that tests look at: opentelemetry/proto/trace/v1/trace.proto. */

export interface ReceivedSpan {
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'other';
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a root. */
  readonly parentSpanId: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly status: 'unset' | 'error' | 'other';
  /** The attributes of the service. */
  readonly resource: Readonly<Record<string, string | number>>;
}

/** The values of each field of a message by its number: bytes of nested messages and texts, or numbers. */
type Message = ReadonlyMap<number, readonly (Buffer | number)[]>;

export function spansIn(request: Buffer): ReceivedSpan[] {
  return messages(parse(request), 1).flatMap((resourceSpans) => {
    const [resource = new Map()] = messages(resourceSpans, 1);
    const attributes = attributesOf(messages(resource, 1));
    const spans = messages(resourceSpans, 2).flatMap((scopeSpans) => messages(scopeSpans, 2));
    return spans.map((span) => spanOf(span, attributes));
  });
}

function spanOf(span: Message, resource: ReceivedSpan['resource']): ReceivedSpan {
  const [status = new Map()] = messages(span, 15);
  return {
    name: bytes(span, 5).toString(),
    kind: (['other', 'internal', 'server'] as const)[number(span, 6)] ?? 'other',
    traceId: bytes(span, 1).toString('hex'),
    spanId: bytes(span, 2).toString('hex'),
    parentSpanId: bytes(span, 4).toString('hex'),
    attributes: attributesOf(messages(span, 9)),
    status: (['unset', 'other', 'error'] as const)[number(status, 3)] ?? 'other',
    resource,
  };
}

function attributesOf(pairs: readonly Message[]): Record<string, string | number> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [value = new Map()] = messages(pair, 2);
      return [bytes(pair, 1).toString(), value.has(1) ? bytes(value, 1).toString() : number(value, 3)];
    }),
  );
}

function messages(message: Message, field: number): Message[] {
  return (message.get(field) ?? []).filter((value) => Buffer.isBuffer(value)).map(parse);
}

function bytes(message: Message, field: number): Buffer {
  const [value] = message.get(field) ?? [];
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
}

function number(message: Message, field: number): number {
  const [value] = message.get(field) ?? [];
  return typeof value === 'number' ? value : 0;
}

function parse(data: Buffer): Message {
  const fields = new Map<number, (Buffer | number)[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = data.readUInt8(at++);
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  const value = (wire: number): Buffer | number => {
    if (wire === 0) return varint();
    const length = wire === 2 ? varint() : wire === 1 ? 8 : 4;
    return data.subarray(at, (at += length));
  };
  while (at < data.length) {
    const tag = varint();
    const found = fields.get(tag >> 3) ?? [];
    fields.set(tag >> 3, [...found, value(tag & 7)]);
  }
  return fields;
}
