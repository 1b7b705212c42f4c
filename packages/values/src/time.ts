const RFC3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/** A time as `metav1.Time` writes it: UTC, whole seconds. Anything else is returned unchanged. */
export function canonicalTime(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(text)) return text;
  const seconds = inUtc(text);
  return seconds === undefined ? text : `${seconds}Z`;
}

/** A time as `metav1.MicroTime` writes it: UTC, six decimals. Anything else is returned unchanged. */
export function canonicalMicroTime(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/.test(text)) return text;
  const seconds = inUtc(text);
  if (seconds === undefined) return text;
  const fraction = RFC3339.exec(text)?.[1]?.slice(1) ?? '';
  return `${seconds}.${fraction.padEnd(6, '0').slice(0, 6)}Z`;
}

/** Formats ms since the epoch as `metav1.Time`: RFC 3339 in seconds. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function inUtc(text: string): string | undefined {
  if (!RFC3339.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString().slice(0, 19);
}
