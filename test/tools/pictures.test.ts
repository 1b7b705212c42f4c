import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { root } from '../support/repository/root.js';
import { drawPicture } from '../../tools/picture.js';

describe('a picture', () => {
  it('a picture has each box with its lines, and an arrow from edge to edge in the column of the narrower box', () => {
    const svg = drawPicture('# note\nbox a 0 0 1 | A & B | second\nbox b 0 1 2 | wide\n\narrow a b | goes\n', 'Title');

    expect(svg).toContain('<title>Title</title>');
    expect(svg.match(/<rect x="\d+" y="\d+" width="\d+"/g)).toEqual([
      '<rect x="20" y="20" width="250"',
      '<rect x="20" y="160" width="540"',
    ]);
    expect(svg).toMatch(/font-weight="bold">A &amp; B<\/text>\n<text [^>]*>second</);
    expect(svg).toContain('<line x1="145" y1="104" x2="145" y2="160"');
    expect(svg).toContain('>goes</text>');
  });

  it.each([
    ['box a 0 0 | no span', 'a picture has no line like this'],
    ['circle a', 'a picture has no line like this'],
    ['box a 0 0 1\narrow a b', 'lacks a box'],
    ['box a 0 0 1\nbox b 1 1 1\narrow a b', 'would not be vertical'],
  ])('the text %j of a picture is rejected', (source, error) => {
    expect(() => drawPicture(source, '')).toThrow(error);
  });
});

describe('docs/pictures/first-decision.cast', () => {
  const [header = '', ...events] = readFileSync(path.join(root, 'docs/pictures/first-decision.cast'), 'utf8')
    .trim()
    .split('\n');
  const printed = events.map((line): unknown[] => JSON.parse(line));
  const text = printed.map((event) => String(event[2])).join('');

  it('the recording is of asciinema version 2, and its times do not decrease', () => {
    expect(JSON.parse(header)).toMatchObject({ version: 2, width: 110, height: 32 });
    const times = printed.map(([at]) => Number(at));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(printed.every((event) => event.length === 3 && event[1] === 'o')).toBe(true);
  });

  it('every recorded command is one of the README, and the last decision is that of the README', () => {
    const page = readFileSync(path.join(root, 'README.md'), 'utf8');
    const commands = [...text.matchAll(/^\$ (kubectl .*)\r$/gm)].map(([, command = '']) => command);
    expect(commands.length).toBeGreaterThan(8);
    expect(commands.filter((command) => !page.includes(`$ ${command}\n`))).toEqual([]);
    expect(text.trimEnd().split('\r\n').at(-1)).toBe('edge-eu-2 prod-eu-2 prod-eu-1');
    expect(page).toContain('edge-eu-2 prod-eu-2 prod-eu-1\n');
  });

  it('the recording has no path of the machine that it was made on', () => {
    expect(text).not.toMatch(/\/tmp\/|\/root\/|\/home\/|\.\.\//);
  });
});
