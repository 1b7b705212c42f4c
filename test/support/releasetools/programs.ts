import { describeWithBuiltProgram } from '../programs/built.js';

/** Runs the program to its end; returns its exit code and all that it printed. */
export type Run = (...args: readonly string[]) => { readonly code: number | null; readonly output: string };

/** A suite that runs a program of build.sh. Where it cannot be built, it is skipped with a line on stderr; with CI=true it fails. */
export function describeWithReleaseTool(name: string, body: (run: Run) => void): void {
  describeWithBuiltProgram(name, { folder: 'releasetools', args: [name] }, (run) => {
    body((...args) => {
      const { code, stdout, stderr } = run(args);
      return { code, output: stdout + stderr };
    });
  });
}
