import { readFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { FILES } from './exchange/files.js';
import { Player } from './exchange/player.js';
import { installThings } from './exchange/things.js';
import { readExchanges, type Exchange } from './exchange/transcript.js';
import { describeConformance } from './suite.js';

const SCENARIO_MS = 300_000;

describeConformance('recorded requests', {}, (target) => {
  let player: Player;
  beforeAll(async () => {
    await installThings(target());
    player = new Player(target());
  });
  afterAll(() => player.close());

  describe.each(FILES)('$title', ({ name, file }) => {
    it.each(readExchanges(readFileSync(file, 'utf8')).map((scenario, at) => ({ ...scenario, at })))(
      '$title',
      async ({ exchanges, at }) => {
        const answers = await player.play({ exchanges }, `exchange-${name}-${at}`);
        for (const [index, exchange] of exchanges.entries()) {
          expect(shown(exchange, answers[index] ?? [])).toEqual(shown(exchange, exchange.response));
        }
      },
      SCENARIO_MS,
    );
  });
});

/** A response with its request, so that a failure shows the request. JSON is parsed, so that it shows the path. */
function shown({ method, target, headers, body }: Exchange, answer: readonly string[]): unknown {
  return {
    request: [`${method} ${target}`, ...headers.map((pair) => pair.join(': ')), body ?? ''],
    answer: answer.map(read),
  };
}

function read(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
