import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { AFTER_WALK, commandPages, pages, readPage, TASKS, TASKS_WITH_PLUGIN, TESTS_OF_PAGES } from './documents.js';
import { blocksIn, typedBlocksIn } from './markdown.js';
import { root } from './root.js';

/** Languages of blocks that nobody types. */
const SHOWN = ['yaml', 'json', 'js', 'ts', 'text'];
const MARKER = '<!-- not run: ';
const PAGES = pages();
const COMMAND_PAGES = commandPages();
/** The lists of pages that a test runs, by their names in its text. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  TASKS,
  TASKS_WITH_PLUGIN,
  AFTER_WALK,
  commandPages: COMMAND_PAGES,
};

describe('the index of the documents', () => {
  it('the index of the documents links every page, except those that one of these pages lists', () => {
    const links = [...readPage('docs/README.md').matchAll(/\]\(([^)#]+)/g)].map(([, link = '']) => `docs/${link}`);
    const listed = /^docs\/(?:README\.md|runbooks\/.*|reference\/cli\/(?!README).*)$/;

    expect(PAGES.filter((page) => page.startsWith('docs/') && !listed.test(page) && !links.includes(page))).toEqual([]);
  });
});

describe('the commands of the documents', () => {
  it('the pages include the README and those below docs', () => {
    expect(PAGES).toEqual(expect.arrayContaining(['README.md', 'docs/README.md', 'docs/how-to/install.md']));
  });

  it.each(PAGES)('every block of commands of %s is run by a test, or says above it why it is not', (page) => {
    const unmarked = typedBlocksIn(readPage(page)).filter(({ notRun }) => notRun === undefined);
    const test = COMMAND_PAGES.includes(page) ? 'test/cli/pages.test.ts' : TESTS_OF_PAGES[page];
    if (test === undefined) {
      expect(unmarked.map(({ line }) => `${page}:${line}`)).toEqual([]);
      return;
    }
    expect(unmarked).not.toEqual([]);
    expect(existsSync(path.join(root, test))).toBe(true);
    const text = readFileSync(path.join(root, test), 'utf8');
    // By its name, or by that of a list.
    const names = Object.entries(LISTS).flatMap(([list, of]) => (of.includes(page) ? `(${list}` : []));
    expect([`'${page}'`, ...names].filter((name) => text.includes(name))).not.toEqual([]);
  });

  it.each(PAGES)('every block of %s has a language, and commands are in blocks of commands', (page) => {
    const text = readPage(page);
    const blocks = blocksIn(text);
    const others = blocks.filter((block) => !typedBlocksIn(text).some(({ line }) => line === block.line));
    expect(others.filter(({ language }) => !SHOWN.includes(language)).map(({ line }) => `${page}:${line}`)).toEqual([]);
    const prompts = others.filter(({ text: lines }) => /^\$ /m.test(lines));
    expect(prompts.map(({ line }) => `${page}:${line}`)).toEqual([]);
    const consoles = blocks.filter(({ language, text: lines }) => language === 'console' && !lines.startsWith('$ '));
    expect(consoles.map(({ line }) => `${page}:${line}`)).toEqual([]);
    expect(text.match(/^[ \t]*```/gm) ?? []).toHaveLength(2 * blocks.length);
  });

  it.each(PAGES)('the commands of %s use no variable that the page does not set', (page) => {
    const typed = typedBlocksIn(readPage(page)).filter(({ notRun }) => notRun === undefined);
    const text = typed.map((block) => block.text).join('');
    // A variable with a default value, as in ${NAME:-VALUE}, may be unset.
    const used = [...text.matchAll(/\$\{?([A-Za-z_]\w*)(?!\w|:-)/g)].map(([, name = '']) => name);
    const set = [...text.matchAll(/(?:^|[\s;])(?:for |read -r )?([A-Za-z_]\w*)(?==|;| in )/gm)].map(([, name]) => name);

    expect([...new Set(used)].filter((name) => !['HOME', 'PWD'].includes(name) && !set.includes(name))).toEqual([]);
  });

  it.each(PAGES)('every comment of %s that something is not run stands above a block of commands', (page) => {
    const text = readPage(page);
    const marked = typedBlocksIn(text).filter(({ notRun }) => notRun !== undefined);
    expect(text.split(MARKER)).toHaveLength(marked.length + 1);
  });
});
