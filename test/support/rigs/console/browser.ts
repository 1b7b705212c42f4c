import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterEach } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { describeWith } from '../../describewith.js';
import { CHROMIUM_PLACES, chromiumProgram } from './chromium.js';

/** Chromium of the machine, as people have it, and what no page may do in it. */

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A suite that needs Chromium. Without it it is skipped with a line on stderr; with CI=true it fails. */
export function describeWithChromium(title: string, body: () => void): void {
  const isThere = chromiumProgram() !== undefined;
  describeWith(
    title,
    isThere ? undefined : `there is no Chromium in ${CHROMIUM_PLACES.join(', ')}, nor in CHROMIUM`,
    body,
  );
}

export interface Look {
  readonly width: number;
  readonly scheme: 'light' | 'dark';
}

/** A page, and the faults that it has had: errors, violations of the policy, requests to others. */
export interface WatchedPage {
  readonly page: Page;
  readonly faults: string[];
}

export async function watchedPage(browser: Browser, { width, scheme }: Look, origin: string): Promise<WatchedPage> {
  const viewport = { width, height: width < 500 ? 740 : 860 };
  const looks = { viewport, colorScheme: scheme, reducedMotion: 'reduce', timezoneId: 'UTC' } as const;
  // A test signs its own certificates.
  const context = await browser.newContext({ ...looks, ignoreHTTPSErrors: true });
  const page = await context.newPage();
  // As long as a machine may take that runs several browsers and servers on two processors.
  page.setDefaultTimeout(60_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    // The browser reports each answer with an error code, which some pages are about.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) faults.push(`request to ${request.url()}`);
  });
  return { page, faults };
}

/** Takes what a test of this file has opened: it is closed after the test, the last first, also where the test fails. */
export function closedAfterEach(): (close: () => unknown) => void {
  const closers: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  });
  return (close) => void closers.push(close);
}

/** What axe finds wrong by WCAG 2.2 AA: rule and elements. */
export async function axeFaults(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const found: unknown = await page.evaluate(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }).then((result) =>
      result.violations.map((one) => one.id + ': ' + one.nodes.map((node) => node.html.slice(0, 160)).join(' | ')))`,
  );
  return found as readonly string[];
}

/** By how much the page is wider than its window. */
export function sidewaysPixels(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

/** Whether the page shows, or says to who hears it, a character that is not seen, or that turns others around. */
export function showsUnseen(page: Page): Promise<boolean> {
  return page.evaluate(`(() => {
    const said = ['title', 'aria-label', 'placeholder'].flatMap((name) =>
      Array.from(document.querySelectorAll('[' + name + ']'), (one) => one.getAttribute(name)));
    const written = Array.from(document.querySelectorAll('textarea'), (one) => one.value);
    return [document.body.innerText, document.title, ...said, ...written].some((text) => /[\\u0007\\u202e]/.test(text));
  })()`);
}

/** Presses Tab until what has the focus is named so. @throws Error after 80 times. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let press = 0; press < 80; press++) {
    await page.keyboard.press('Tab');
    const focused: unknown = await page.evaluate(
      `(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).trim()`,
    );
    if (name.test(String(focused))) return;
  }
  throw new Error(`80 times Tab led to nothing named ${String(name)}`);
}
