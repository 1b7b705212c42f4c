import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { PodLog, type LogFile } from '../../../../src/standalone/local/process/podlog.js';
import { openLogFile } from '../../../../src/runtime/log/linewriter.js';
import { ManualClock, settle } from '@multicluster-engine/kube-apiserver/testing/clock';

describe('the log of a pod', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'podlog-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const open = (file: string): LogFile => openLogFile(file, new ManualClock());
  const logOf = (hash: string): PodLog =>
    new PodLog(folder, { namespace: 'hub', deployment: 'gateway', name: `gateway-${hash}` }, open);
  const put = (name: string, text: string, second: number): void => {
    writeFileSync(path.join(folder, name), text);
    utimesSync(path.join(folder, name), second, second);
  };

  it('the log of a pod is kept with the newest four of earlier pods of its Deployment; empty ones are removed, those of other Deployments kept', async () => {
    for (let one = 1; one <= 7; one++) put(`hub.gateway-000000000${one}.log`, 'x', one);
    put('hub.gateway-00000000ff-abc12.log', '', 9);
    const others = [
      'hub.gateway-proxy-0000000001.log',
      'hub.other-0000000001.log',
      'other.gateway-0000000001.log',
      'standalone.log',
    ];
    for (const name of others) put(name, '', 1);

    await logOf('0000000002').removeOldLogs();

    const kept = [2, 4, 5, 6, 7].map((one) => `hub.gateway-000000000${one}.log`);
    expect(readdirSync(folder).sort()).toEqual([...kept, ...others].sort());
  });

  it('the log of a pod has the output of a process after that of an earlier process', async () => {
    const [log, output] = [logOf('0000000001'), new PassThrough()];
    put('hub.gateway-0000000001.log', 'first\n', 1);
    log.append(output);
    output.end('second\n');
    await log.close(new ManualClock());
    expect(readFileSync(log.file, 'utf8')).toBe('first\nsecond\n');
  });

  it('the log of a pod is written line by line; a line without an end is written after 64 KiB, and at the end', async () => {
    const written: string[] = [];
    let closed = false;
    const identity = { namespace: 'hub', deployment: 'gateway', name: 'gateway-0000000001' };
    const log = new PodLog(folder, identity, () => ({
      write: (line) => void written.push(Buffer.from(line).toString('utf8')),
      close: () => void (closed = true),
    }));
    const output = new PassThrough();
    log.append(output);

    for (const chunk of ['one\ntw', 'o\n', 'x'.repeat(64 * 1024), 'thr', 'ee']) {
      output.write(chunk);
      await settle();
    }
    output.end();
    await log.close(new ManualClock());

    expect(written).toEqual(['one\n', 'two\n', 'x'.repeat(64 * 1024), 'three']);
    expect(closed).toBe(true);
  });

  it('the log of a pod is removed with the pod when it is empty', async () => {
    const [log, output] = [logOf('0000000001'), new PassThrough()];
    log.append(output);
    output.end();
    await log.close(new ManualClock());
    expect(existsSync(log.file)).toBe(false);
  });

  it('the log of a pod that cannot be written does not block the process', async () => {
    const identity = { namespace: 'hub', deployment: 'gateway', name: 'gateway-0000000001' };
    const log = new PodLog(path.join(folder, 'none'), identity, open);
    const output = new PassThrough();
    log.append(output);
    output.write(Buffer.alloc(1_000_000));
    output.end();
    await new Promise<void>((resolve) => output.once('close', resolve));
    await log.close(new ManualClock());
    expect(output.readableEnded).toBe(true);
  });
});
