/** Prefix of the folder names of a test file's servers, by which the reporter finds the logs of a failed one. */
export function labelOf(testPath: string): string {
  return testPath
    .replace(/^.*[/\\]test[/\\]/, '')
    .replace(/\.test\.[jt]s$/, '')
    .replaceAll(/[^a-z0-9]+/gi, '-');
}
