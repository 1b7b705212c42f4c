import type { JsonRecord } from '../runtime/vocabulary/json.js';
import { commandRow, type Command, type CommandRow } from '../runtime/flags/commands.js';

/** What registers a command for users: what it takes, what runs it, and how assistants are told of it. */

/** A command that only reads, as a tool with the inputs that it takes. */
interface ToolRow {
  readonly description: string;
  /** What to ask for when the answer is too long. */
  readonly narrower: string;
  readonly inputs: Readonly<Record<string, Input>>;
}

/** What a command has that assistants are offered. */
export interface Offered {
  readonly tool?: ToolRow;
}

export interface Tool extends ToolRow {
  /** That of the command. */
  readonly name: string;
}

/** `run` imports what runs the command, which neither help nor another command does; it returns the exit code. */
export function userCommand<const C extends { readonly command: string }>(
  row: Command<C> & Offered & { readonly run: (config: C) => Promise<number> },
): CommandRow<C> & Offered {
  return commandRow(row, row.run);
}

/** The tools among the commands. */
export function toolsOf(commands: readonly (Offered & Pick<Tool, 'name'>)[]): readonly Tool[] {
  return commands.flatMap(({ name, tool }) => (tool === undefined ? [] : [{ name, ...tool }]));
}

/** Given by a flag of the command, unless `as` says otherwise. `file`: the text is in a file whose name the flag has. */
interface Input {
  readonly as?: 'argument' | 'file';
  readonly flag?: string;
  readonly isRequired?: boolean;
  /** Of JSON Schema. */
  readonly schema: JsonRecord;
}

export const NAME = { type: 'string', pattern: '^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$' };
export const WORDS = { type: 'array', maxItems: 100, items: { type: 'string', pattern: '^[^,\\s]{1,600}$' } };
export const MOST = { type: 'string', pattern: '^[0-9]{1,9}%?$' };

const OWN = 'namespace of the Placements; default: that of the kubeconfig, or all';
export const NAMESPACE = input('namespace', NAME, OWN);
export const PLACEMENT = { ...input('', NAME, 'name of the Placement'), as: 'argument' } as const;
export const CLUSTER = { ...input('', NAME, 'name of the ManagedCluster'), as: 'argument', isRequired: true } as const;
export const ALL = input('all-namespaces', { type: 'boolean' }, 'objects of all namespaces');

export function input(flag: string, schema: JsonRecord, description: string): Input {
  return { flag, schema: { ...schema, description } };
}
