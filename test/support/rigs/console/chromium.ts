import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/** Chromium of the machine, as people have it. */

export const CHROMIUM_PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export function chromiumProgram(): string | undefined {
  return [process.env['CHROMIUM'] ?? '', ...CHROMIUM_PLACES].find((file) => file !== '' && existsSync(file));
}

export function launchChromium(): Promise<Browser> {
  const executablePath = chromiumProgram();
  if (executablePath === undefined) throw new Error(`there is no Chromium: install Debian's package, or set CHROMIUM`);
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}
