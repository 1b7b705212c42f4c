import { isUtf8 as isValidUtf8 } from 'node:buffer';
import { SCALAR_STYLE, YAMLException, type Event, type ScalarEvent } from 'js-yaml';
import { MalformedBody } from './malformed.js';
import { parseAsGo, refuseTabs, type Parsed } from './yamlmend.js';

/**
 * The YAML events of a text, at least those of its first document. Errors after that are ignored: the API server does
 * not parse that far. Their offsets count in the text that is returned, which may have more blanks than the source.
 * @throws MalformedBody
 */
export function eventsOf(source: string): { readonly text: string; readonly events: readonly Event[] } {
  const [first] = source.matchAll(SEPARATOR);
  if (first?.[0] === '...' && isHead(source.slice(0, first.index))) throw new MalformedBody(NO_CONTENT);
  const whole = parseAsGo(source);
  if (!(whole.events instanceof YAMLException)) return checked(whole, whole.events);
  const document = firstDocument(whole.text, whole.events.reason, whole.events.mark?.position ?? 0);
  const parsed = document === undefined ? whole : parseAsGo(document);
  const { events } = parsed;
  if (!(events instanceof YAMLException)) return checked(parsed, events);
  const line = events.mark?.line;
  throw new MalformedBody(`yaml: ${line === undefined ? '' : `line ${line + 1}: `}${events.reason.slice(0, 200)}`);
}

function checked(
  parsed: Parsed,
  events: readonly Event[],
): { readonly text: string; readonly events: readonly Event[] } {
  refuseTabs(parsed, events);
  return { text: parsed.text, events };
}

const UTF16 = [
  { mark: [0xff, 0xfe], decoder: new TextDecoder('utf-16le') },
  { mark: [0xfe, 0xff], decoder: new TextDecoder('utf-16be') },
];
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** The text of YAML: UTF-16 where it begins with its byte order mark, else UTF-8, whose invalid bytes become U+FFFD. */
export function decodeYaml(bytes: Uint8Array): { readonly text: string; readonly isUtf8: boolean } {
  const wide = UTF16.find(({ mark }) => mark.every((byte, index) => bytes[index] === byte));
  return wide === undefined
    ? { text: UTF8.decode(bytes), isUtf8: isValidUtf8(bytes) }
    : { text: wide.decoder.decode(bytes), isUtf8: true };
}

/** Characters that YAML allows in escaped form only. JSON allows them. */
const UNPRINTABLE = /[^\t\n\r\u0020-\u007e\u0085\u00a0-\ufffd]/;

/**
 * The part of a text that the API server's YAML parser reads: all of it, or the first document where invalid characters
 * follow that.
 * @param encoding whether the bytes were valid UTF-8; invalid bytes were decoded to U+FFFD.
 * @throws MalformedBody
 */
export function readableText(text: string, { isUtf8 }: { readonly isUtf8: boolean }): string {
  const places = [text.search(UNPRINTABLE), isUtf8 ? -1 : text.indexOf('\ufffd')].filter((place) => place !== -1);
  if (places.length === 0) return text;
  const first = firstDocument(text, 'character', Math.min(...places));
  if (first !== undefined) return first;
  throw new MalformedBody(`yaml: ${isUtf8 ? 'control characters are not allowed' : 'invalid leading UTF-8 octet'}`);
}

const SEPARATOR = /^(?:---|\.\.\.)(?=\s|$)/gm;
const NO_CONTENT = 'yaml: did not find expected node content';

/** Whether there are only directives, comments and blanks. */
function isHead(text: string): boolean {
  return text.split(/[\r\n]/).every((line) => /^\s*(?:[#%]|$)/.test(line));
}

/** What Go's parser looks at after a document, and cannot be the begin of anything: a quote that is not closed, and signs. */
const NO_TOKEN = /^(?:[@`%]|"(?:[^"\\]|\\.)*$|'(?:[^']|'')*$)/s;

/** A colon that follows a key on a later line, and what may stand between the two. */
const LATE_COLON = /^["']?(?:[^\S\n]*(?:#.*)?\n)+[^\S\n]*:/;

/**
 * Whether a scalar in a flow collection is a word or a key to this parser, and not to Go's: a word that begins with a colon, has
 * a question mark or ends before a colon that no blank follows; a key whose colon is on another line.
 */
export function isDisputedInFlow(text: string, { style, valueStart, valueEnd }: ScalarEvent): boolean {
  if (valueStart < 0) return false;
  const rest = text.slice(valueEnd);
  const isPlain = style === SCALAR_STYLE.PLAIN;
  const isWord = isPlain && /^:|\?/.test(text.slice(valueStart, valueEnd));
  return isWord || LATE_COLON.test(rest) || (isPlain && /^:[,[\]{}]/.test(rest));
}

/** @throws MalformedBody for a scalar that {@link isDisputedInFlow} */
export function refuseFlowScalar(text: string, event: ScalarEvent): void {
  if (isDisputedInFlow(text, event)) throw new MalformedBody(NO_CONTENT);
}

/** The block size in which the API server's parser reads and checks its input. */
const BLOCK = 512;
/** The length of a document separator and the character after it. */
const AHEAD = 4;

/** The first document, if the error comes after it and after the block in which it ends; otherwise undefined. */
function firstDocument(text: string, reason: string, wrong: number): string | undefined {
  const isCharacter = /character|null byte/.test(reason);
  if (reason.startsWith('end of the stream or a document separator'))
    return isHead(text.slice(0, wrong)) || NO_TOKEN.test(text.slice(wrong)) ? undefined : text.slice(0, wrong);
  let from = 0;
  let begun = false;
  for (const { 0: separator, index } of text.matchAll(SEPARATOR)) {
    if (index > wrong) return undefined;
    if (begun || !isHead(text.slice(from, index)))
      return isCharacter && isRead(text, wrong, index) ? undefined : text.slice(0, index);
    begun = separator === '---';
    from = index + 3;
  }
  return undefined;
}

/** Whether a parser that reads up to the separator at `end` has read the character at `place`. */
function isRead(text: string, place: number, end: number): boolean {
  const read = Math.ceil(Buffer.byteLength(text.slice(0, end + AHEAD)) / BLOCK) * BLOCK;
  return Buffer.byteLength(text.slice(0, place)) < read;
}
