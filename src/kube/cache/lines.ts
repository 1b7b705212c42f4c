import type { FailedCall } from '../../runtime/errors.js';
import { malformed } from '../apierror.js';

const NEWLINE = 0x0a;

/**
 * Cuts a stream of bytes at its newlines. A line is decoded only when it is whole, so that neither an event nor a
 * UTF-8 character is harmed by where the chunks end. What follows the last newline is dropped: it was cut off.
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
