import { COLLECTION_STYLE, EVENT_ID, parseEvents, SCALAR_STYLE, YAMLException, type Event } from 'js-yaml';
import { MAX_DEPTH } from './jsonscanner.js';
import { MalformedBody } from './malformed.js';

/** The events, whose offsets count in the text; or why there are none. */
export interface Parsed {
  readonly text: string;
  readonly events: readonly Event[] | YAMLException;
  /** So many blanks more than in the source are in front of each line that has at least as many. */
  readonly width: number;
}

/** Each mended place costs a parse of the text. So many characters are parsed again at most. */
const MAX_REPEATED = 8_000_000;
/** Texts with deeper indentation are not mended: each mended line grows by as much. */
const MAX_INDENT = 1024;

/**
 * The events of a text. What Go's parser accepts and this one refuses is given the blanks that this one asks for: between
 * brackets or quotes, Go's does not look at the indentation; in front of a value in brackets it reads tabs as blanks; and after
 * a bracket, a comma or a quote it needs no blank before a comment.
 */
export function parseAsGo(text: string): Parsed {
  const width = deepest(text);
  let parsed = parse(text);
  let budget = MAX_REPEATED;
  for (;;) {
    if (!(parsed.events instanceof YAMLException)) return { ...parsed, width };
    const mended = withBlanks(parsed.text, parsed.events, width);
    budget -= parsed.text.length;
    if (mended === undefined || budget < 0) return { ...parsed, width };
    parsed = parse(mended);
  }
}

function parse(text: string): Omit<Parsed, 'width'> {
  try {
    return { text, events: parseEvents(text, { maxDepth: MAX_DEPTH }) };
  } catch (error) {
    if (error instanceof YAMLException) return { text, events: error };
    throw error;
  }
}

function withBlanks(text: string, { reason, mark }: YAMLException, width: number): string | undefined {
  const at = mark?.position ?? 0;
  if (text.charAt(at) === '#' && /[[\]{},"']/.test(text.charAt(at - 1))) return inserted(text, at, 1);
  if (reason !== 'deficient indentation') return undefined;
  const start = Math.max(text.lastIndexOf('\n', at - 1), text.lastIndexOf('\r', at - 1)) + 1;
  const head = text.slice(start, at);
  if (head.trim() !== '') return withoutTabs(text, start, at);
  if (width > MAX_INDENT) return undefined;
  if (head.startsWith(' '.repeat(width)) || /^(?:---|\.\.\.)(?:\s|$)/.test(text.slice(start, start + 4)))
    return undefined;
  return inserted(text, start, width);
}

/** A key with a bracket behind it, up to the first value. */
const OPENED = /^ *(?:- +)*[\w./-]+:[\t ]*[[{][\t ]*$/;

/** With blanks for the tabs in front of a bracket or a value at `at`, whose line has its key in front of that. */
function withoutTabs(text: string, start: number, at: number): string | undefined {
  const head = text.slice(start, at);
  const tabs = /\t[\t ]*$/.exec(head)?.[0] ?? (OPENED.test(head) ? head : '');
  if (!tabs.includes('\t')) return undefined;
  return text.slice(0, at - tabs.length) + tabs.replaceAll('\t', ' ') + text.slice(at);
}

function inserted(text: string, at: number, blanks: number): string {
  return text.slice(0, at) + ' '.repeat(blanks) + text.slice(at);
}

/** A column behind the blanks of all lines, and behind all keys whose value begins with a bracket or a quote. */
function deepest(text: string): number {
  let most = 0;
  for (const line of text.split(/[\r\n]/)) {
    most = Math.max(most, line.search(/[^ ]|$/), Math.min(line.search(/[[{"']/), MAX_INDENT - 1));
  }
  return most + 1;
}

/** A line that begins with blanks and a tab, and what comes first in it. */
const TAB_LINE = /^( *)\t[\t ]*([^\r\n]?)/gm;
const END = /^(?:---|\.\.\.)(?=\s|$)/m;

/**
 * Refuses, as Go's parser does, a line of a block that begins with a tab even if nothing or only a comment follows, and a tab
 * behind a word that is not as deep as the word's next line has to be.
 * @throws MalformedBody
 */
export function refuseTabs({ text, width }: Omit<Parsed, 'events'>, events: readonly Event[]): void {
  const lines = [...text.matchAll(TAB_LINE)];
  if (lines.length === 0) return;
  const tokens = tokensOf(text, events);
  let gap = new Gap(text, NOTHING);
  let next = 0;
  for (const { index, 1: blanks = '', 2: first = '' } of lines) {
    while ((tokens[next]?.start ?? Infinity) < index) next += 1;
    const before = tokens[next - 1] ?? NOTHING;
    if (before !== gap.token) gap = new Gap(text, before);
    gap.readTo(index);
    if (before !== NOTHING && gap.hasEnd) return;
    if (gap.allows(blanks.length % width, first)) continue;
    const line = text.slice(0, index).split('\n').length;
    throw new MalformedBody(`yaml: line ${line}: found a tab character that violates indentation`);
  }
}

interface Token {
  readonly start: number;
  readonly end: number;
  /** The number of brackets that are open behind it. */
  readonly flows: number;
  /** The least indentation of what continues it. */
  readonly indent: number;
  readonly isWord: boolean;
}
const NOTHING: Token = { start: 0, end: 0, flows: 0, indent: 0, isWord: false };

/** What stands behind a token, up to a line. */
class Gap {
  hasEnd = false;
  readonly token: Token;
  readonly #text: string;
  #at: number;
  #isBlank = true;
  #isInside = false;
  #closed = 0;

  constructor(text: string, token: Token) {
    this.#text = text;
    this.token = token;
    this.#at = token.end;
  }

  readTo(index: number): void {
    this.#isInside = index < this.token.end;
    if (index <= this.#at) return;
    const more = this.#text.slice(this.#at, index);
    this.#at = index;
    this.hasEnd ||= END.test(more);
    this.#isBlank &&= more.trim() === '';
    this.#closed += more.replaceAll(/#.*/g, '').match(/[\]}]/g)?.length ?? 0;
  }

  /** Whether a tab may stand in this column, in front of this character or the end of the line. */
  allows(column: number, following: string): boolean {
    const { isWord, indent, flows } = this.token;
    if (isWord && this.#isBlank) return column >= indent;
    return this.#isInside || flows > this.#closed || !['', '#'].includes(following);
  }
}

function tokensOf(text: string, events: readonly Event[]): readonly Token[] {
  const tokens: Token[] = [];
  const open = [{ flows: 0, indent: 0 }];
  const add = (start: number, end: number, isWord = false): void => {
    if (start >= 0) tokens.push({ start, end, isWord, ...(open.at(-1) ?? NOTHING) });
  };
  for (const event of events) {
    if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) {
      const isFlow = event.style === COLLECTION_STYLE.FLOW;
      const { flows, indent } = open.at(-1) ?? NOTHING;
      open.push(
        isFlow
          ? { flows: flows + 1, indent }
          : { flows, indent: event.start - text.lastIndexOf('\n', event.start - 1) },
      );
      if (isFlow) add(event.start, event.start + 1);
    } else if (event.type === EVENT_ID.SCALAR) {
      add(event.valueStart, event.valueEnd + (isQuoted(event.style) ? 1 : 0), event.style === SCALAR_STYLE.PLAIN);
    } else if (event.type === EVENT_ID.ALIAS) add(event.anchorStart, event.anchorEnd);
    else if (event.type === EVENT_ID.POP && open.length > 1) open.pop();
  }
  return tokens;
}

function isQuoted(style: number): boolean {
  return style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED;
}

/** Line breaks of YAML 1.1, which the parser of events takes for letters. */
const OTHER_BREAK = /[\u0085\u2028\u2029]/;

/** @throws MalformedBody */
export function refuseOtherBreaks(text: string): void {
  const at = text.search(OTHER_BREAK);
  if (at === -1) return;
  const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0');
  const line = text.slice(0, at).split('\n').length;
  throw new MalformedBody(
    `yaml: line ${line}: U+${code} is a line break in YAML 1.1: write it as "\\u${code.toLowerCase()}"`,
  );
}
