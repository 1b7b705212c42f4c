import type { JsonRecord } from '../../../runtime/vocabulary/json.js';
import type { Tool } from '../../command.js';

/** Tools by their inputs. */

export function inputSchema({ inputs }: Tool): JsonRecord & { readonly type: 'object' } {
  const entries = Object.entries(inputs);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
    required: entries.filter(([, { isRequired }]) => isRequired === true).map(([name]) => name),
    additionalProperties: false,
  };
}

/** The command line for valid inputs. `file`: the file with the text of an input that is given as one. */
export function commandLine({ name, inputs }: Tool, given: JsonRecord, file: string): readonly string[] {
  const words = Object.entries(inputs).flatMap(([input, { as, flag: flagName = '' }]): string[] => {
    const value = given[input];
    if (value === undefined || value === false) return [];
    if (value === true) return [`--${flagName}`];
    const word = wordOf(value);
    if (as === 'argument') return input === 'placement' ? ['placement', word] : [word];
    return [`--${flagName}=${as === 'file' ? file : word}`];
  });
  return [name, ...words, '--output=json'];
}

/** A list with commas, a number in digits. */
function wordOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordOf).join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The text of the input that is given to the command as a file. */
export function textInput({ inputs }: Tool, given: JsonRecord): string | undefined {
  const [name] = Object.entries(inputs).find(([, { as }]) => as === 'file') ?? [];
  const text = name === undefined ? undefined : given[name];
  return typeof text === 'string' ? text : undefined;
}
