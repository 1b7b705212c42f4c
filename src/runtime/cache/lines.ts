import type { FailedCall } from '../errors.js';
import { malformed } from '../transport/apierror.js';

const NEWLINE = 0x0a;

/**
 * Splits a stream of bytes into lines. A line is decoded only when it is complete, since a chunk may end inside a UTF-8
 * character. An incomplete last line is dropped.
 * @throws ApiError Malformed when a line is longer than `limit` bytes.
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
  call: FailedCall,
): AsyncGenerator<string> {
  let pending: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      pending.push(rest.subarray(0, end));
      rest = rest.subarray(end + 1);
      const line = (pending.length === 1 ? pending[0] : undefined) ?? Buffer.concat(pending);
      pending = [];
      size = 0;
      if (line.length > limit) throw malformed(call, `a line of more than ${limit} bytes`);
      yield line.toString('utf8');
    }
    size += rest.length;
    if (size > limit) throw malformed(call, `a line of more than ${limit} bytes`);
    if (rest.length > 0) pending.push(rest);
  }
}
