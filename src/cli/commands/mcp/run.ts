import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  type CallToolResult,
  type Tool as McpTool,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';

import { clip } from '../../../domain/conditions.js';
import { systemClock, type Clock, type Timer } from '../../../runtime/clock.js';
import { asError, codeOf, errorText } from '../../../runtime/errors.js';
import { endTree } from '../../../runtime/process/endtree.js';
import { standardError } from '../../../runtime/log/standardoutput.js';
import { parseJson, isRecord, type JsonRecord } from '../../../runtime/vocabulary/json.js';
import type { TargetConfig } from '../../../runtime/flags/target.js';
import { Slots } from '../../../runtime/http/slots.js';
import { PROGRAM } from '../../program.js';
import { UNREAD_EXIT_CODE } from '../../terminal/print.js';
import { cutDocument, type Cut } from './cut.js';
import type { Tool } from '../../command.js';
import { commandLine, inputSchema, textInput } from './tools.js';

/** Commands that run at a time: each is a process of some 80 MiB. */
const AT_A_TIME = 4;
const MOST_OUTPUT = 32 * 1024 * 1024;
/** The longest time of a call, including its wait for others: the SDK's clients give up after 60 s. */
const LONGEST_MS = 50_000;
/** The time between two notifications to a client that asks for progress. */
const PROGRESS_MS = 5_000;
/** The most characters of the JSON of an answer: some 16,000 tokens of a model, where a client allows 25,000. */
const MOST_ANSWER = 48 * 1024;
/**
 * The most bytes of one message. It may have a text of manifests as long as its input allows, and JSON six bytes per character.
 */
const MOST_MESSAGE = 32 * 1024 * 1024;
/** The most characters that are shown of a command's standard error. */
const MOST_NOTE = 4 * 1024;
const INSTRUCTIONS =
  'Answers about the hub of a fleet of Kubernetes clusters: which clusters Placements select, why, and what a change would do. Nothing is ever changed. Each result is a JSON document.';

interface Ended {
  /** Null: it was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Serves the tools on standard input and output, until one of them ends; returns the exit code. */
export async function runMcp(config: TargetConfig, program: Pick<McpTools, 'tools' | 'entryPoint'>): Promise<number> {
  const ending = new AbortController();
  const server = createMcpServer(config, { ...program, clock: systemClock, ending: ending.signal });
  const transport = new StdioServerTransport(undefined, undefined, { maxBufferSize: MOST_MESSAGE });
  const ended = endOf(server, transport);
  await server.connect(transport);
  const exitCode = await ended;
  ending.abort();
  await server.close();
  return exitCode;
}

export interface McpTools {
  readonly tools: readonly Tool[];
  /** The program whose commands are run: main.js. */
  readonly entryPoint: string;
  readonly clock: Clock;
  /** Ends all calls. */
  readonly ending: AbortSignal;
}

/**
 * The server of the tools. Each call runs the command in a process of its own: that prints the same as for people, reads no
 * input, and its memory goes with it. A call ends within 50 s.
 */
export function createMcpServer(config: TargetConfig, { tools: all, entryPoint, clock, ending }: McpTools): Server {
  const { version } = config;
  const server = new Server({ name: PROGRAM, version }, { capabilities: { tools: {} }, instructions: INSTRUCTIONS });
  const slots = new Slots(AT_A_TIME);
  const hubFlags = hubFlagsOf(config);
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: all.map(described) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendNotification }) => {
    const tool = all.find(({ name }) => name === params.name);
    if (tool === undefined) return failed(`there is no tool ${JSON.stringify(params.name)}`);
    const given = params.arguments ?? {};
    const problem = problemOf(tool, given);
    if (problem !== undefined) return failed(problem);
    const progressToken = params._meta?.progressToken;
    const notify = (progress: Progress): void => {
      if (progressToken === undefined) return;
      const notification = { method: 'notifications/progress' as const, params: { progressToken, ...progress } };
      sendNotification(notification).catch(() => undefined);
    };
    const limit = limited(clock, tool, notify);
    const stop = AbortSignal.any([signal, ending, limit.signal]);
    try {
      return await withSlot(slots, stop, () =>
        withFile(textInput(tool, given), async (file) => {
          const words = [entryPoint, ...commandLine(tool, given, file), ...hubFlags];
          return resultOf(tool, await run(words, stop));
        }),
      );
    } catch (error) {
      if (!limit.signal.aborted) throw error;
      return failed(limit.lateText());
    } finally {
      limit.end();
    }
  });
  return server;
}

interface Progress {
  readonly progress: number;
  readonly total: number;
  readonly message: string;
}

/** Counts the seconds of a call, and tells them to `notify`. */
function limited(clock: Clock, { name, narrower }: Tool, notify: (progress: Progress) => void) {
  const late = new AbortController();
  const total = LONGEST_MS / 1000;
  const [start, longest] = [clock.monotonic(), clock.after(LONGEST_MS, () => late.abort())];
  let timer: Timer;
  const tell = (): void => {
    const progress = Math.round((clock.monotonic() - start) / 1000);
    notify({ progress, total, message: `${name} runs for ${progress} s, and is ended after ${total} s` });
    timer = clock.after(PROGRESS_MS, tell);
  };
  timer = clock.after(PROGRESS_MS, tell);
  return {
    /** Fires after the longest time of a call. */
    signal: late.signal,
    lateText: () =>
      `the call was ended after ${total} s: the hub answers slowly, or ${AT_A_TIME} other calls run; ${narrower}, or run the command ${name} in a terminal, where it may take longer`,
    end: () => {
      timer.cancel();
      longest.cancel();
    },
  };
}

/** Runs `work` once there is a slot. @throws the reason of the signal, when it fires before */
async function withSlot<T>(slots: Slots, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  await slots.take(signal);
  try {
    return await work();
  } finally {
    slots.release();
  }
}

/** The exit code, once standard input has ended, nobody reads the answers any more, or a message is too long. */
function endOf(server: Server, transport: StdioServerTransport): Promise<number> {
  server.onerror = (error) => {
    const answer = answerTo(error);
    if (answer === undefined) standardError().write(`${PROGRAM} mcp: ${clip(errorText(error), MOST_NOTE)}\n`);
    else void transport.send({ jsonrpc: '2.0', error: answer });
  };
  return new Promise((resolve) => {
    server.onclose = () => resolve(1);
    process.stdin.once('end', () => resolve(0));
    process.stdout.on('error', (error) => resolve(codeOf(error) === 'EPIPE' ? UNREAD_EXIT_CODE : 1));
  });
}

/** The answer to a line that is no message, for whose answer its sender would wait for ever; undefined for another error. */
function answerTo(error: Error): { readonly code: number; readonly message: string } | undefined {
  if (error instanceof SyntaxError)
    return { code: ErrorCode.ParseError, message: `the line is not JSON: ${clip(error.message, MOST_NOTE)}` };
  return error.name.endsWith('ZodError')
    ? { code: ErrorCode.InvalidRequest, message: 'the line is not one message of JSON-RPC 2.0; a batch is not taken' }
    : undefined;
}

function hubFlagsOf({ source }: TargetConfig): readonly string[] {
  const { kubeconfig, context, impersonate: as } = source;
  return Object.entries({ kubeconfig, context, as }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}=${value}`],
  );
}

function described(tool: Tool): McpTool {
  const { name, description } = tool;
  const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
  return { name, description, inputSchema: inputSchema(tool), annotations };
}

/** What is wrong with the inputs; undefined for nothing. */
function problemOf(tool: Tool, given: JsonRecord): string | undefined {
  const { valid, errorMessage = '' } = new AjvJsonSchemaValidator().getValidator(inputSchema(tool))(given);
  if (valid) return undefined;
  const got = clip(JSON.stringify(given), 1_000);
  return `the inputs of ${tool.name}: ${errorMessage.replaceAll('data/', '').replaceAll('data ', '')}, got ${got}`;
}

/** Calls `use` with the name of a file that has the text, and removes it after that. */
async function withFile<T>(text: string | undefined, use: (file: string) => Promise<T>): Promise<T> {
  if (text === undefined) return use('');
  const folder = await mkdtemp(path.join(tmpdir(), `${PROGRAM}-mcp-`));
  try {
    const file = path.join(folder, 'manifests.yaml');
    await writeFile(file, text, { mode: 0o600 });
    return await use(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Runs a command as a process. @throws the reason of the signal when it fires first: the process and its children are then ended
 */
function run(words: readonly string[], signal: AbortSignal): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const options = { maxBuffer: MOST_OUTPUT };
    const child = execFile(process.execPath, [...process.execArgv, ...words], options, (error, stdout, stderr) => {
      signal.removeEventListener('abort', end);
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
      resolve({ code, stdout, stderr: code === null ? `the command was ended: ${error?.message ?? ''}\n` : stderr });
    });
    const end = (): void => {
      if (child.pid !== undefined) endTree(child.pid);
      reject(asError(signal.reason));
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    child.stdin?.end();
  });
}

/**
 * The document of the command, cut to what a model can read, also where its exit code says that a check failed, a decision changes
 * or something is withheld.
 */
function resultOf(tool: Tool, { code, stdout, stderr }: Ended): CallToolResult {
  const document = code === null ? undefined : parseJson(stdout);
  if (!isRecord(document)) return failed(lastOf(stderr));
  const cut = cutDocument(document, MOST_ANSWER);
  if (cut === undefined)
    return failed(`the answer of ${stdout.length} bytes cannot be cut to ${MOST_ANSWER}; ${tool.narrower}`);
  const notes = [lastOf(stderr), cutNote(tool, cut)].filter((note) => note !== '').map(textContent);
  return { content: [textContent(JSON.stringify(cut.document)), ...notes], structuredContent: cut.document };
}

/** The end of what was printed: the line of the command comes after those of a credential plugin. */
function lastOf(stderr: string): string {
  const text = stderr.trim();
  return text.length <= MOST_NOTE ? text : `…${text.slice(1 - MOST_NOTE)}`;
}

function cutNote({ narrower }: Tool, { omitted }: Cut): string {
  const lists = Object.entries(omitted).map(([list, count]) => `${count} of ${list}`);
  return lists.length === 0 ? '' : `the answer was too long: left out are the last ${lists.join(', ')}; ${narrower}`;
}

function failed(text: string): CallToolResult {
  return { content: [textContent(clip(text, MOST_NOTE))], isError: true };
}

function textContent(text: string): { readonly type: 'text'; readonly text: string } {
  return { type: 'text', text };
}
