import type { Schema } from '@multicluster-engine/values/schema/schema';

/** Tokens of a path: single delimiters, whole quoted names, other text. */
const TOKEN = /'(?:\\.|[^'\\])*'|[.[\]]|[^.[\]]+/g;

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  "'": "'",
  '\\': '\\',
};

/**
 * The fieldPath of a rule (`.spec.names['a.b']`) in the form that is appended to the path of the value
 * (`spec.names[a.b]`); undefined when the schema has no such field.
 */
export function rulePath(path: string, schema: Schema): string | undefined {
  const tokens = path.match(TOKEN) ?? [];
  let node: Schema | undefined = schema;
  let text = '';
  for (let at = 0; at < tokens.length;) {
    const bracket = tokens[at] === '[';
    const name = bracket ? quoted(tokens[at + 1]) : tokens[at + 1];
    if (name === undefined || (!bracket && tokens[at] !== '.') || (bracket && tokens[at + 2] !== ']')) return undefined;
    const step: { schema: Schema; named: boolean } | undefined = stepInto(node, name);
    if (step === undefined) return undefined;
    node = step.schema;
    if (step.named) text += text === '' ? name : `.${name}`;
    else text += `[${name}]`;
    at += bracket ? 3 : 2;
  }
  return text;
}

function stepInto(
  { properties, additionalProperties }: Schema,
  name: string,
): { schema: Schema; named: boolean } | undefined {
  if (properties !== undefined) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return schema === undefined ? undefined : { schema, named: true };
  }
  if (additionalProperties === undefined) return undefined;
  return { schema: typeof additionalProperties === 'boolean' ? {} : additionalProperties, named: false };
}

function quoted(token: string | undefined): string | undefined {
  if (token === undefined || !/^'.*'$/s.test(token) || token.length < 2) return undefined;
  let valid = true;
  const name = token.slice(1, -1).replace(/\\([^])/g, (_, char: string) => {
    const escape = Object.hasOwn(ESCAPES, char) ? ESCAPES[char] : undefined;
    valid &&= escape !== undefined;
    return escape ?? '';
  });
  return valid ? name : undefined;
}
