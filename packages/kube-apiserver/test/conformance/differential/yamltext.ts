import type { Dice } from '../../../testing/random.js';
import { isFields, type Value } from './features.js';

/** Plain scalars that YAML parsers interpret differently. */
const SCALARS = [
  'yes',
  'No',
  'on',
  'OFF',
  'y',
  'n',
  'true',
  'TRUE',
  'tRue',
  '~',
  'null',
  'Null',
  '017',
  '0o17',
  '0x1F',
  '0b11',
  '1_000',
  '-0',
  '+5',
  '1e3',
  '1.0',
  '1.50',
  '.5',
  '5.',
  '.inf',
  '-.INF',
  '.nan',
  '190:20:30',
  '2024-01-01',
  '2024-01-01T00:00:00Z',
  '2024-01-01 10:00:00 +1',
  '=',
  '<<',
  '"\\u00e9\\n"',
  "'it''s'",
  '!!str 5',
  '!!int "7"',
  '!!float 2',
  '!!binary AAEC',
  '!own 5',
  '"a\\/b"',
  '|\n  text\n',
  '>-\n  folded\n  text\n',
  '-',
  'a: b',
  'a #b',
  '@x',
  '*none',
  '{a: b',
  '[a',
  '"open',
  '\ta',
] as const;

/** Keys that are not plain text. */
const KEYS = [
  '1',
  'true',
  'null',
  '1.5',
  'yes',
  '2024-01-01',
  '~',
  '"quoted"',
  "'single'",
  '<<',
  '? a',
  '[a]',
  '{a: b}',
] as const;

/** The probability of a scalar that differs from the value. */
const ODD = 0.012;
const HEADS = ['# a comment\n', '---\n', '--- # first\n', '%YAML 1.1\n---\n', '\uFEFF', '\n\n', '---\n---\n'] as const;
const TAILS = ['...\n', '---\n', '---\nkind: Other\n', '# end', '\n\n', '---\n# nothing\n', '\0'] as const;

/** Formats a value as YAML in a random style, sometimes with errors. */
export function yamlText(dice: Dice, value: Value): string {
  const head = dice.chance(0.25) ? dice.pick(HEADS) : '';
  const body = dice.chance(0.15) ? `${flow(dice, value)}\n` : block(dice, value, '');
  const tail = dice.chance(0.15) ? dice.pick(TAILS) : '';
  const text = `${head}${body}${tail}`;
  return dice.chance(0.03) ? text.replaceAll('\n', '\r\n') : text;
}

function block(dice: Dice, value: Value, indent: string): string {
  if (isFields(value) && Object.keys(value).length > 0)
    return Object.entries(value)
      .map(([key, item]) => member(dice, indent, key, item))
      .join('');
  if (Array.isArray(value) && value.length > 0)
    return value.map((item: Value) => `${indent}-${nested(dice, item, `${indent}  `)}`).join('');
  return `${indent}${scalar(dice, value)}\n`;
}

function member(dice: Dice, indent: string, key: string, item: Value): string {
  const name = dice.chance(ODD / 2) ? dice.pick(KEYS) : keyText(key);
  const line = `${indent}${name}:${nested(dice, item, `${indent}  `)}`;
  const before = dice.chance(0.02) ? `${indent}# about ${key}\n` : '';
  return `${before}${line}${dice.chance(ODD) ? line : ''}`;
}

function nested(dice: Dice, item: Value, indent: string): string {
  const isTree = (isFields(item) && Object.keys(item).length > 0) || (Array.isArray(item) && item.length > 0);
  if (isTree && dice.chance(0.85)) return `${dice.chance(ODD) ? ' &anchor' : ''}\n${block(dice, item, indent)}`;
  const text = isTree ? flow(dice, item) : scalar(dice, item);
  if (dice.chance(ODD)) return ` &anchor ${text}\n`;
  if (dice.chance(ODD / 2)) return ' *anchor\n';
  return text === '' ? '\n' : ` ${text}${dice.chance(0.03) ? ' # why' : ''}\n`;
}

function flow(dice: Dice, value: Value): string {
  if (isFields(value))
    return `{${Object.entries(value)
      .map(([key, item]) => `${keyText(key)}: ${flow(dice, item)}`)
      .join(', ')}${dice.chance(0.1) ? ',' : ''}}`;
  if (Array.isArray(value)) return `[${value.map((item: Value) => flow(dice, item)).join(', ')}]`;
  return JSON.stringify(value);
}

function keyText(key: string): string {
  return /^[A-Za-z][A-Za-z0-9_.-]*$/.test(key) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(key)
    ? key
    : JSON.stringify(key);
}

function scalar(dice: Dice, value: Value): string {
  if (dice.chance(ODD)) return dice.pick(SCALARS);
  if (value === null) return dice.pick(['null', '~', '']);
  if (typeof value !== 'string') return JSON.stringify(value);
  const isPlain = /^[a-z][A-Za-z0-9._/-]*$/.test(value) && !/^(y|n|yes|no|on|off|true|false|null)$/i.test(value);
  if (isPlain && dice.chance(0.7)) return value;
  return /^[\w ./:-]*$/.test(value) && dice.chance(0.4) ? `'${value}'` : JSON.stringify(value);
}
