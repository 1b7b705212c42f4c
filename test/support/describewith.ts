import { describe } from '@jest/globals';

/** A suite that needs a program. Where one is missing it is skipped with a line on stderr; with CI=true it fails. */
export function describeWith(title: string, missing: string | undefined, body: () => void): void {
  if (missing === undefined || process.env['CI'] === 'true') {
    describe(title, () => {
      body();
    });
    return;
  }
  process.stderr.write(`not run: ${title}: ${missing}\n`);
  describe.skip(title, () => {
    body();
  });
}
