import { readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { panels } from '../deploy/monitoring/expressions.js';
import { masked, stepsIn } from '../support/repository/markdown.js';
import { root } from '../support/repository/root.js';

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

  it('every recorded command is one of the README, and the recording ends as the README begins', () => {
    const page = readFileSync(path.join(root, 'README.md'), 'utf8');
    const commands = [...text.matchAll(/^\$ ((?:kubectl|node) .*)\r$/gm)].map(([, command = '']) => command);
    expect(commands.length).toBeGreaterThan(8);
    expect(commands.filter((command) => !page.includes(`$ ${command}\n`))).toEqual([]);
    const [explain] = stepsIn(page);
    expect(commands.at(-1)).toBe(explain?.command);
    const shown = text.slice(text.lastIndexOf('$ ')).split('\r\n').slice(1);
    expect(masked(shown)).toEqual(masked(explain?.output ?? []));
  });

  it('the recording has no path of the machine that it was made on', () => {
    expect(text).not.toMatch(/\/tmp\/|\/root\/|\/home\/|\.\.\//);
  });
});

describe('docs/pictures/dashboard.svg', () => {
  const picture = readFileSync(path.join(root, 'docs/pictures/dashboard.svg'), 'utf8');

  it('the picture has the title of each row and panel of the dashboard, in their order', () => {
    const titles = [...picture.matchAll(/<g class="b"><text[^>]*>([^<]*)</g)].map(([, title]) => title);
    expect(titles).toEqual(panels().map(({ title }) => title));
  });

  it('every panel of the picture has figures', () => {
    expect(picture).not.toMatch(/No data|NaN|undefined/);
  });

  it('the picture is not larger than 150 KB', () => {
    expect(picture.length).toBeLessThan(150_000);
  });
});
