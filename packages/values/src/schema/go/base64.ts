/**
 * The offset that Go's standard base64 decoder reports for invalid input, in bytes with line ends counted; undefined
 * for valid input.
 */
export function corruptOffset(text: string): number | undefined {
  const clean = /[\r\n]/.test(text) ? text.replace(/[\r\n]/g, '') : text;
  if (clean.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(clean)) return undefined;
  let quantum = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    if (char === '\n' || char === '\r') continue;
    if (char === '=') return paddingProblem(text, at, quantum);
    if (!/^[A-Za-z0-9+/]$/.test(char)) return at;
    quantum = (quantum + 1) % 4;
  }
  return quantum === 0 ? undefined : text.length - quantum;
}

/** @param quantum number of characters of the last group before the padding that begins at `at`. */
function paddingProblem(text: string, at: number, quantum: number): number | undefined {
  if (quantum < 2) return at;
  let next = skipLineEnds(text, at + 1);
  if (quantum === 2) {
    if (next >= text.length) return text.length;
    if (text[next] !== '=') return next - 1;
    next = skipLineEnds(text, next + 1);
  }
  return next < text.length ? next : undefined;
}

function skipLineEnds(text: string, from: number): number {
  let at = from;
  while (text[at] === '\n' || text[at] === '\r') at += 1;
  return at;
}
