import { Worker } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from '@jest/globals';

const READER = fileURLToPath(new URL('./bomb.js', import.meta.url));
const MIB = 1024 * 1024;

/** The result of each round; `ERR_WORKER_OUT_OF_MEMORY` when the heap was too small. */
async function rounds(text: string, format: 'json' | 'yaml', heapMb: number): Promise<readonly string[]> {
  const messages: string[] = [];
  const resourceLimits = { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 4 };
  const worker = new Worker(READER, { workerData: { text, format }, resourceLimits });
  worker.on('message', (one: string) => messages.push(one));
  worker.on('error', (error: NodeJS.ErrnoException) => messages.push(error.code ?? error.message));
  await new Promise((resolve) => worker.once('exit', resolve));
  return messages;
}

const fill = (unit: string, end = ''): string => unit.repeat(Math.floor((MIB - end.length) / unit.length)) + end;
const LAUGHS = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
  .split('')
  .map((key, index) => `${key}: &${key} [${Array(9).fill(`*${'abcdefgh'[index]}`).join(',')}]\n`)
  .join('')}`;

const BOMBS: readonly (readonly [string, 'json' | 'yaml', string])[] = [
  ['a billion laughs', 'yaml', LAUGHS],
  ['aliases', 'yaml', fill('*a,')],
  ['anchors', 'yaml', fill('- &a b\n')],
  ['documents', 'yaml', fill('---\na: b\n')],
  ['open brackets', 'yaml', fill('[')],
  ['open braces', 'yaml', fill('{')],
  ['dashes', 'yaml', fill('- ')],
  ['items', 'yaml', fill('- a\n')],
  ['question marks', 'yaml', fill('? ')],
  ['pairs', 'yaml', fill('a: b\n')],
  ['an open quote', 'yaml', `"${fill('a', ' ')}`],
  ['a folded text', 'yaml', `a: >\n${fill(' b\n', '')}`.slice(0, MIB)],
  ['commas', 'yaml', `[${fill('1,')}`.slice(0, MIB)],
  ['merge keys', 'yaml', fill('<<: {a: b}\n')],
  ['comments', 'yaml', fill('#\n')],
  ['blanks', 'yaml', fill(' ')],
  ['open brackets', 'json', fill('[')],
  ['open braces', 'json', fill('{"a":')],
  ['numbers', 'json', `[${fill('1,')}`.slice(0, MIB)],
  ['empty objects', 'json', `[${fill('{},')}`.slice(0, MIB)],
  ['one long text', 'json', `"${'a'.repeat(MIB - 2)}"`],
  ['escapes', 'json', `"${fill('\\u0041').slice(0, MIB - 8)}"`],
  ['keys', 'json', `{${Array.from({ length: 60_000 }, (_, index) => `"k${index}":1`).join(',')}}`],
];

describe('a body of 1 MiB', () => {
  it.each(BOMBS)(
    'a body of 1 MiB of %s in %s is parsed repeatedly within 16 MiB of heap',
    async (_what, format, text) => {
      const messages = await rounds(text, format, 16 + 8);

      expect(messages).toHaveLength(5);
      expect(messages.filter((one) => one !== 'read' && one !== 'refused')).toEqual([]);
    },
  );

  it('parsing a body of 1 MiB within 1 MiB of heap runs out of memory: the limit is effective', async () => {
    expect(await rounds(`"${'a'.repeat(MIB - 2)}"`, 'json', 1)).toContain('ERR_WORKER_OUT_OF_MEMORY');
  });
});
