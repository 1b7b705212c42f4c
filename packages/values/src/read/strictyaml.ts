import {
  COLLECTION_STYLE,
  DEFAULT_SCALAR_STYLE_RULES,
  dump,
  EVENT_ID,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  YAMLException,
  type Event,
  type ScalarEvent,
  type ScalarLayout,
} from 'js-yaml';
import type { Json } from '../json.js';
import { RefusedText } from './malformed.js';
import { MAX_DEPTH, MAX_NODES, StrictBuilder } from './strict.js';
import { isDisputedInFlow } from './yamlevents.js';
import { UNKNOWN_ESCAPE, wordValue } from './yamlscalar.js';

/**
 * Characters that can begin or separate values, with the cost of each for the parser. A text whose cost is far above
 * the limit of values is rejected before it is parsed.
 */
const WEIGHTS: Readonly<Record<string, number>> = {
  '\n': 1,
  ',': 1,
  '[': 1,
  '{': 1,
  ':': 1,
  '&': 1,
  '*': 1,
  '!': 1,
  '|': 2,
  '>': 2,
  '?': 3,
};
const MAX_WEIGHT = 2 * MAX_NODES;
/** A directive or a document marker: checked before anything is parsed. */
const DOCUMENT_MARKER = /^(?:%|---(?=\s|$)|\.\.\.(?=\s|$))/gm;
/** The first character of a scalar that some YAML reader takes for a number. */
const NUMBER_BEGIN = /^[-+.\d]/;
/** A number in a version of YAML, without underscores. StrictBuilder rejects those that JSON writes differently. */
const NUMBER =
  /^(?:[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|0[bB][01]+|0[oO][0-7]+|0[xX][\da-fA-F]+|\.(?:inf|Inf|INF))|\.(?:nan|NaN|NAN))$/;
/** A line with a tab and perhaps a comment alone, and line breaks of YAML 1.1 that are letters in YAML 1.2. */
const DISPUTED_BLANK = /^ *\t[\t ]*(?:#.*)?$|[\u0085\u2028\u2029]/m;
const STYLES = [quoteNumber, ...Object.values(DEFAULT_SCALAR_STYLE_RULES)];

type Property = Extract<Event, { readonly tagStart: number }>;

/**
 * Parses one YAML document without anchors, aliases, tags, directives and merge keys, and with scalars that every YAML reader
 * reads alike: what it accepts, kubectl reads as the same object.
 * @throws RefusedText
 */
export function readStrictYaml(text: string): Json {
  checkSize(text);
  checkBlanks(text);
  const events = eventsOf(text);
  const documents = events.filter((event) => event.type === EVENT_ID.DOCUMENT);
  if (documents.length > 1) throw new RefusedText('the body must hold one document');
  checkFlow(events, text);
  const builder = new StrictBuilder();
  for (const event of events) addEvent(event, text, builder);
  return builder.result();
}

/** A value as YAML that every version reads alike and that `readStrictYaml` accepts. */
export function writeYaml(value: unknown): string {
  return dump(value, { lineWidth: -1, noRefs: true, scalarStyleRules: STYLES });
}

/** Quotes a string that would be read as a number. */
function quoteNumber(layout: ScalarLayout): void {
  const { node, presenterOptions } = layout;
  const text = node.tag === presenterOptions.schema.defaultScalarTag.tagName;
  if (text && layout.style === SCALAR_STYLE.PLAIN && isNumber(node.value)) layout.style = SCALAR_STYLE.SINGLE_QUOTED;
}

function checkIsJson(source: string, builder: StrictBuilder): void {
  if (!isJson(source))
    throw builder.errorHere(
      'the escapes of a slash and of surrogates are those of JSON: readers of YAML disagree on them',
    );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isNumber(text: string): boolean {
  return NUMBER_BEGIN.test(text) && NUMBER.test(text.replaceAll('_', ''));
}

function checkSize(text: string): void {
  // A bare CR ends a line in YAML, but readers differ on it.
  if (/\r(?!\n)/.test(text)) throw new RefusedText('lines must end in LF or CR LF');
  const markers: readonly string[] = text.match(DOCUMENT_MARKER) ?? [];
  if (markers.some((marker) => marker === '%')) throw new RefusedText('YAML directives are not allowed');
  // After JSON, and before anything, the end of a document is an error to kubectl.
  const ends = markers.includes('...') && /^\s*(?:#.*\n\s*)*(?:\{|\.\.\.)/.test(text);
  if (ends || markers.length > 2) throw new RefusedText('the body must hold one document');
  let weight = 0;
  for (let at = 0; at < text.length; at++) weight += WEIGHTS[text[at] ?? ''] ?? 0;
  if (weight > MAX_WEIGHT)
    throw new RefusedText(
      `the body is too large for YAML: at most ${MAX_NODES} values, and ${MAX_WEIGHT} line ends and characters that can separate values, also inside strings; JSON has no such limit`,
    );
}

/** JSON may have both: kubectl reads it as JSON. */
function checkBlanks(text: string): void {
  const [found] = DISPUTED_BLANK.exec(text) ?? [];
  if (found === undefined || isJson(text)) return;
  const message = found.includes('\t')
    ? 'a line with a tab and no value: readers of YAML disagree on it'
    : `U+${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')} has to be escaped: readers of YAML disagree on it`;
  throw new RefusedText(message);
}

function eventsOf(text: string): readonly Event[] {
  try {
    return parseEvents(text, { maxDepth: MAX_DEPTH });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { line = 0, column = 0 } = error.mark ?? {};
    const why = error.reason.slice(0, 200);
    throw new RefusedText(`the body is not valid YAML: line ${line + 1}, column ${column + 1}: ${why}`);
  }
}

/** Within brackets, other readers end words at other places, and want a key and its colon on one line. */
function checkFlow(events: readonly Event[], source: string): void {
  const isFlow: boolean[] = [];
  for (const event of events) {
    if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE)
      isFlow.push(event.style === COLLECTION_STYLE.FLOW);
    else if (event.type === EVENT_ID.POP) isFlow.pop();
    else if (event.type === EVENT_ID.SCALAR && isFlow.at(-1) === true) checkFlowScalar(event, source);
  }
}

function checkFlowScalar(event: ScalarEvent, source: string): void {
  if (!isDisputedInFlow(source, event)) return;
  const text = source.slice(event.valueStart, Math.min(event.valueEnd, event.valueStart + 100));
  throw new RefusedText(
    `${JSON.stringify(text)}: put it in quotes, with its colon on the same line: readers of YAML disagree on it`,
  );
}

function addEvent(event: Event, source: string, builder: StrictBuilder): void {
  switch (event.type) {
    case EVENT_ID.DOCUMENT:
      return;
    case EVENT_ID.ALIAS:
      throw builder.errorHere('YAML aliases are not allowed');
    case EVENT_ID.MAPPING:
    case EVENT_ID.SEQUENCE:
      checkProperties(event, builder);
      if (builder.expectsKey) throw builder.errorHere('a key must be a string');
      builder.open(event.type === EVENT_ID.MAPPING ? 'object' : 'array');
      return;
    case EVENT_ID.SCALAR:
      checkProperties(event, builder);
      addScalar(event, source, builder);
      return;
    case EVENT_ID.POP:
      builder.close();
  }
}

function checkProperties(event: Property, builder: StrictBuilder): void {
  if (event.anchorStart >= 0) throw builder.errorHere('YAML anchors are not allowed');
  if (event.tagStart >= 0) throw builder.errorHere('YAML tags are not allowed');
}

function addScalar(event: ScalarEvent, source: string, builder: StrictBuilder): void {
  const text = event.valueStart < 0 ? '' : getScalarValue(source, event);
  const plain = event.style === SCALAR_STYLE.PLAIN;
  if (event.style === SCALAR_STYLE.DOUBLE_QUOTED && UNKNOWN_ESCAPE.test(source.slice(event.valueStart, event.valueEnd)))
    checkIsJson(source, builder);
  const word = plain ? wordValue(text) : undefined;
  if (builder.expectsKey) {
    if (plain && text === '<<') throw builder.errorHere('YAML merge keys are not allowed');
    if (plain && (word !== undefined || isNumber(text)))
      throw builder.errorHere('a key must be a string: put it in quotes');
    builder.key(text);
  } else if (!plain || (word === undefined && !isNumber(text))) {
    builder.text(text);
  } else if (word === undefined) {
    builder.number(text);
  } else if (word === null || /^(?:true|false)$/i.test(text)) {
    builder.scalar(word);
  } else {
    throw builder.errorHere(`${text}: write true or false, or put it in quotes: readers of YAML disagree on it`);
  }
}
