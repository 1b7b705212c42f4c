import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';

import { labelOf } from './label.js';

/** The used part of Jest's result of a test file. */
interface FileResult {
  readonly testFilePath: string;
  readonly numFailingTests: number;
  readonly testExecError?: unknown;
}

/** A Jest reporter that removes the server folders of passed test files, and names those of failed ones. */
class ServerLogs {
  #failed = false;

  onTestResult(_test: unknown, result: FileResult): void {
    const failed = result.numFailingTests > 0 || (result.testExecError !== undefined && result.testExecError !== null);
    this.#failed ||= failed;
    for (const folder of foldersOf(labelOf(result.testFilePath))) {
      if (failed) keep(folder);
      else rmSync(folder, { recursive: true, force: true });
    }
  }

  onRunComplete(): void {
    if (this.#failed) for (const folder of foldersOf('shared')) keep(folder);
  }
}

function keep(folder: string): void {
  process.env['CONTROL_PLANE_KEEP'] = 'true';
  process.stderr.write(`server logs of a failed test: ${folder}\n`);
}

function foldersOf(label: string): string[] {
  const parent = process.env['CONTROL_PLANE_FOLDER'];
  if (parent === undefined) return [];
  const entries = readdirSync(parent, { withFileTypes: true });
  return entries
    .filter((one) => one.isDirectory() && one.name.slice(0, -7) === label)
    .map(({ name }) => path.join(parent, name));
}

// Jest takes a reporter as a default export.
export { ServerLogs as default };
