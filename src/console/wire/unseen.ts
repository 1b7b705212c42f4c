/** Characters that are not seen, that turn the others around, or that a terminal acts on. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/u;

export function hasUnseen(text: string): boolean {
  return UNSEEN.test(text);
}

/** As YAML and JSON write them in double quotes; YAML alone beyond 16 bits. */
export function escapeUnseen(text: string): string {
  return text.replace(new RegExp(UNSEEN, 'gu'), (one) => {
    const code = (one.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
  });
}
