import { writeSync } from 'node:fs';
import { openStore } from '../../../src/store/open.js';
import { systemClock } from '../../../src/clock.js';
import { thing } from './things.js';

/**
 * Writes to the store in a folder until it is killed. Prints each write before it starts (`try <revision> put|remove
 * <key> <data>`) and after it is acknowledged (`ack <revision>`).
 */
const WRITERS = 32;
const KEYS = 200;
const [folder = '', seed = '0'] = process.argv.slice(2);
let state = Number(seed);
/** Lost output needs no flush: a write counts as acknowledged only when it was printed. */
const say = (text: string): void => void writeSync(1, text);

const store = await openStore({
  folder,
  clock: systemClock,
  log: { segment: 256 * 1024, garbage: 128 * 1024 },
  onFatal: (error) => {
    throw error;
  },
});
store.watch('things', store.revision, ({ revision }) => say(`watched ${revision}\n`));
say(`open ${store.revision}\n`);
await Promise.all(Array.from({ length: WRITERS }, write));

async function write(): Promise<void> {
  for (;;) {
    const key = `k${pick(KEYS)}`;
    const type = store.newest('things', key) !== undefined && pick(4) === 0 ? 'remove' : 'put';
    const data = `${pick(1_000_000)}-`.padEnd(pick(800), 'x');
    const entry = await store[type]('things', key, (revision) => {
      say(`try ${revision} ${type} ${key} ${data}\n`);
      return thing(key, revision, data);
    });
    say(`ack ${entry.revision}\n`);
  }
}

function pick(choices: number): number {
  state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
  return (state >>> 8) % choices;
}
