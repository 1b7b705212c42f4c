import { containerNamed, containerRun } from './containers.js';
import { podLogOptions, type PodLogOptions } from './logoptions.js';
import type { Exchange } from '../exchange.js';
import { textAt, structAt } from '@multicluster-engine/values/fields';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { LogLine, PodLogs } from '../../podlogs.js';
import type { ApiResponse } from '../../request.js';
import { badRequest } from '../../status.js';

interface LogRequest {
  readonly pod: KubeObject;
  readonly exchange: Exchange;
  /** Ms since the epoch. */
  readonly now: number;
}

/**
 * Responds to GET …/pods/NAME/log with the lines as plain text, which the client reads at its own speed.
 * @returns undefined where there is no source of logs
 * @throws StatusError 400 and 422, as kube-apiserver and a kubelet respond
 */
export function logResponse(logs: PodLogs | undefined, { pod, exchange, now }: LogRequest): ApiResponse | undefined {
  const { name = '', namespace = '' } = pod.metadata;
  const options = podLogOptions(exchange.target, name, now);
  const container = containerNamed(pod, options.container);
  if (textAt(structAt(pod, 'spec'), 'nodeName') === '')
    return { code: 204, headers: {}, body: { kind: 'bytes', bytes: Buffer.alloc(0) } };
  if (logs === undefined) return undefined;
  const containerID = containerRun(pod, container, options.previous);
  const { follow, tailLines, since } = options;
  const { signal } = exchange.caller;
  const lines = logs.open({ namespace, pod: name, container, containerID, follow, tailLines, since, signal });
  if (lines === undefined) throw badRequest(`unable to retrieve container logs for ${containerID}`);
  return {
    code: 200,
    headers: { 'Content-Type': 'text/plain' },
    body: {
      kind: 'stream',
      values: textOf(lines, options),
      encode: (text) => Buffer.from(typeof text === 'string' ? text : ''),
    },
  };
}

/** The lines with their time stamps where they are requested, cut after `limitBytes`. */
export async function* textOf(
  lines: AsyncIterable<LogLine>,
  { timestamps, limitBytes = Infinity }: Pick<PodLogOptions, 'timestamps' | 'limitBytes'>,
): AsyncIterable<string> {
  let left = limitBytes;
  let begins = true;
  for await (const { time, text } of lines) {
    const line = timestamps && begins ? `${stamp(time)} ${text}` : text;
    begins = text.endsWith('\n');
    const bytes = Buffer.from(line);
    yield bytes.length <= left ? line : whole(bytes.subarray(0, left));
    left -= bytes.length;
    if (left <= 0) return;
  }
}

/** Drops a character that is cut at the end. */
function whole(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true });
}

/** RFC 3339 with nine decimals, as a kubelet writes it. */
function stamp(time: number): string {
  return `${new Date(time).toISOString().slice(0, -1)}000000Z`;
}
