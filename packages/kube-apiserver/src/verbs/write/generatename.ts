import type { Random } from '../../clock.js';

/** No vowels and no similar characters, so that no words occur. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX = 5;
const LONGEST_BASE = 58;

/** `base` and five characters; a long base is cut, so that the name is a DNS label. */
export function generateName(base: string, random: Random): string {
  let suffix = '';
  for (let at = 0; at < SUFFIX; at += 1) suffix += ALPHABET.charAt(Math.floor(random() * ALPHABET.length));
  return base.slice(0, LONGEST_BASE) + suffix;
}
