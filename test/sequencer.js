// The order in which Jest starts test files: the longest first, so that no worker is alone with one of them at the end.
// Jest knows durations of an earlier run alone, and a fresh checkout has none: there it goes by the size of a file.
import { readFileSync } from 'node:fs';
import Sequencer from '@jest/test-sequencer';

/** End-to-end tests of over a minute, the longest first. */
const LONGEST = [
  'standalone.test',
  'docs.slow',
  'docshub',
  'demofleet.slow',
  'console/pages',
  'cures',
  'helm',
  'failover',
  'twohubs',
  'quiet',
  'mainjobupkeep',
  'standaloneuse',
].map((name) => `/dist/test/e2e/${name}.`);

// oxlint-disable-next-line import/no-default-export -- Jest takes the default export
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const ranks = new Map(tests.map(({ path }) => [path, rankOf(path)]));
    return super.sort(tests).sort((a, b) => ranks.get(a.path) - ranks.get(b.path));
  }
}

function rankOf(path) {
  const rank = LONGEST.findIndex((name) => path.includes(name));
  if (rank >= 0) return rank;
  const isLong = path.endsWith('.slow.test.js') || readFileSync(path, 'utf8').includes('describeWithServer');
  return LONGEST.length + (isLong ? 0 : 1);
}
