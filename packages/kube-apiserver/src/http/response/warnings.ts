const MOST = 4 * 1024;
const ITEM = 256;

/**
 * Writes `Warning` headers, each text once. Where all together exceed 4,096 characters, each is cut to 256, and those
 * after the first 4,096 are dropped, as kube-apiserver does.
 */
export function warningHeaders(texts: readonly string[]): readonly string[] {
  const distinct = [...new Set(texts)].filter((text) => text !== '').map((text) => Array.from(text));
  const total = distinct.reduce((sum, text) => sum + text.length, 0);
  if (total <= MOST) return distinct.map((text) => header(text.join('')));
  const headers: string[] = [];
  let written = 0;
  for (const text of distinct) {
    if (written >= MOST) break;
    const cut = text.slice(0, ITEM);
    written += cut.length;
    headers.push(header(cut.join('')));
  }
  return headers;
}

/** Replaces characters that a header cannot contain; escapes quotes and backslashes. */
function header(text: string): string {
  const line = text
    // oxlint-disable-next-line no-control-regex
    .replace(/[\x00-\x1f\x7f]+/g, ' ')
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"');
  return `299 - "${line}"`;
}
