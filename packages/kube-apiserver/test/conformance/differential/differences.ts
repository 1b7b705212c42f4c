/** The differences of two values, one line per path: `path: embedded | real`. @param most the maximum number of lines */
export function differencesBetween(embedded: unknown, real: unknown, most = 12): string[] {
  const lines: string[] = [];
  collect(embedded, real, '', lines);
  return lines.length <= most ? lines : [...lines.slice(0, most), `… and ${lines.length - most} more`];
}

function collect(a: unknown, b: unknown, path: string, lines: string[]): void {
  if (isTree(a) && isTree(b) && Array.isArray(a) === Array.isArray(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)]))
      collect(Reflect.get(a, key), Reflect.get(b, key), `${path}/${key}`, lines);
    return;
  }
  if (!Object.is(a, b)) lines.push(`  ${path}: ${shown(a)} | ${shown(b)}`);
}

function isTree(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? '(absent)';
  return text.length <= 600 ? text : `${text.slice(0, 600)}…`;
}
