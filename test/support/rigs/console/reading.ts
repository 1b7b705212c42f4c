import type { Page } from 'playwright-core';

/** What a screen reader gets of a page: the accessibility tree of Chromium, a line for each node that says something. */

interface Value {
  readonly value?: unknown;
}

interface Node {
  readonly nodeId: string;
  readonly ignored: boolean;
  readonly role?: Value;
  readonly name?: Value;
  readonly description?: Value;
  readonly properties?: readonly { readonly name: string; readonly value: Value }[];
  readonly childIds?: readonly string[];
}

/** They hold others, and say nothing themselves. */
const SILENT = new Set(['generic', 'none', 'LineBreak', 'RootWebArea', 'MenuListPopup', 'LabelText']);
/** What they hold is their name. */
const NAMED = new Set(['button', 'columnheader', 'DisclosureTriangle', 'heading', 'link', 'option', 'rowheader']);
/** Of these it is that of what they hold. */
const UNNAMED = new Set(['row', 'cell']);
/** Those that are said when they hold; of what is not expanded it is said, too. */
const STATES = new Set(['disabled', 'invalid', 'pressed', 'selected']);

/** In the order in which it is read, indented by what holds it. */
export async function readingOf(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes }: { readonly nodes: readonly unknown[] } = await session.send('Accessibility.getFullAXTree');
  // The protocol names the fields.
  const list = nodes as readonly Node[];
  const all = new Map(list.map((one) => [one.nodeId, one]));
  const lines: string[] = [];
  /** Texts beside each other are one. */
  let text: { readonly indent: string; readonly parts: string[] } | undefined;
  const add = (line: string): void => {
    if (text !== undefined) lines.push(`${text.indent}${JSON.stringify(text.parts.join(' '))}`);
    text = undefined;
    lines.push(line);
  };
  const visit = (id: string, indent: string, isSaid: boolean): void => {
    const node = all.get(id);
    const role = textOf(node?.role);
    if (node === undefined || role === 'InlineTextBox') return;
    if (role === 'StaticText') {
      const words = textOf(node.name);
      if (isSaid || words === '') return;
      if (text?.indent !== indent) {
        if (text !== undefined) lines.push(`${text.indent}${JSON.stringify(text.parts.join(' '))}`);
        text = { indent, parts: [] };
      }
      text.parts.push(words);
      return;
    }
    const isSilent = node.ignored || (SILENT.has(role) && !isExplained(node));
    if (!isSilent) add(indent + lineOf(node));
    const isNamed = NAMED.has(role) && textOf(node.name) !== '';
    for (const child of node.childIds ?? []) visit(child, isSilent ? indent : `${indent}  `, isSaid || isNamed);
  };
  visit(list[0]?.nodeId ?? '', '', false);
  add('');
  return lines.slice(0, -1);
}

/** A word that one can go to, and then hears the meaning of. */
function isExplained({ description, properties = [] }: Node): boolean {
  return (
    textOf(description) !== '' && properties.some(({ name, value }) => name === 'focusable' && value.value === true)
  );
}

function lineOf({ role, name, description, properties = [] }: Node): string {
  const words = UNNAMED.has(textOf(role)) ? '' : textOf(name);
  const states = properties.flatMap(({ name: state, value: { value } }) => {
    if (state === 'expanded') return [value === true ? 'expanded' : 'collapsed'];
    if (state === 'level' && textOf(role) === 'heading') return [`level ${String(value)}`];
    return STATES.has(state) && (value === true || value === 'true') ? [state] : [];
  });
  const line = [textOf(role), words && JSON.stringify(words), states.length > 0 && `(${states.join(', ')})`];
  const explained = textOf(description);
  return `${line.filter(Boolean).join(' ')}${explained === '' ? '' : `: ${explained}`}`;
}

function textOf(value: Value | undefined): string {
  return typeof value?.value === 'string' ? value.value.trim() : '';
}
