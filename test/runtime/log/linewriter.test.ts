import { describe, expect, it } from '@jest/globals';

import { LineWriter } from '../../../src/runtime/log/linewriter.js';
import { ManualClock } from '@multicluster-engine/kube-apiserver/testing/clock';

const MIB = 1024 * 1024;

/** A descriptor that takes `room` bytes and fails with `code` afterwards. */
class Sink {
  room = Infinity;
  code = 'EAGAIN';
  text = '';
  attempts = 0;
  slept = 0;
  readonly clock = new ManualClock();
  readonly writer: LineWriter;

  /** `onSleep` is called while the writer blocks the process. */
  constructor(onSleep: () => void = () => undefined) {
    this.writer = new LineWriter(7, {
      clock: this.clock,
      writeBytes: (_descriptor, bytes, offset) => this.#take(bytes.subarray(offset)),
      sleep: (ms) => {
        this.slept += ms;
        onSleep();
      },
    });
  }

  #take(bytes: Buffer): number {
    this.attempts += 1;
    if (this.room === 0) throw Object.assign(new Error(this.code), { code: this.code });
    const taken = bytes.subarray(0, this.room);
    this.room -= taken.length;
    this.text += taken.toString('utf8');
    return taken.length;
  }
}

function reporting(sink: Sink): Sink {
  sink.writer.onRecovered((lines) => sink.writer.write(`dropped ${lines}\n`));
  return sink;
}

describe('a line writer', () => {
  it('a line is written before the call returns', () => {
    const sink = new Sink();

    sink.writer.write('one\n');
    sink.writer.write(Buffer.from('zwölf\n'));

    expect([sink.text, sink.clock.pending, sink.writer.dropped]).toEqual(['one\nzwölf\n', 0, 0]);
  });

  it('lines wait while the reader is slow, and none is lost or changed', async () => {
    const sink = new Sink();
    sink.room = 6;

    for (const line of ['one\n', 'two\n', 'three\n']) sink.writer.write(line);
    expect(sink.text).toBe('one\ntw');
    sink.room = 3;
    await sink.clock.advance(10);
    expect(sink.text).toBe('one\ntwo\nt');
    sink.room = Infinity;
    await sink.clock.advance(10);

    expect([sink.text, sink.clock.pending, sink.writer.dropped]).toEqual(['one\ntwo\nthree\n', 0, 0]);
  });

  it('a full disk is told once, and a reader that is slow or gone is not', async () => {
    const told = (code: string): readonly unknown[] => {
      const sink = new Sink();
      const errors: unknown[] = [];
      sink.writer.onFailed((error) => errors.push(error));
      [sink.room, sink.code] = [0, code];
      for (const line of ['one\n', 'two\n']) sink.writer.write(line);
      sink.writer.flush(20);
      return errors;
    };

    expect(['ENOSPC', 'EPIPE', 'EAGAIN'].map(told)).toEqual([[expect.objectContaining({ code: 'ENOSPC' })], [], []]);
  });

  it('lines beyond 1 MiB are dropped and counted, and reported once between the lines before and after', async () => {
    const sink = reporting(new Sink());
    sink.room = 0;
    const line = `${'x'.repeat(1023)}\n`;

    for (let n = 0; n < 1024 + 5; n++) sink.writer.write(line);
    expect([sink.text, sink.writer.dropped]).toEqual(['', 5]);
    // Room for some is not enough: the next line would stand before the report.
    sink.room = MIB - 1024;
    await sink.clock.advance(10);
    sink.writer.write('late\n');
    expect(sink.writer.dropped).toBe(6);
    sink.room = Infinity;
    await sink.clock.advance(10);
    sink.writer.write('after\n');

    expect(sink.text).toBe(`${line.repeat(1024)}dropped 6\nafter\n`);
    expect(sink.writer.dropped).toBe(6);
  });

  it('a line of more than 1 MiB is written when no other line waits', () => {
    const sink = new Sink();
    const line = `${'x'.repeat(2 * MIB)}\n`;

    sink.writer.write(line);

    expect([sink.text.length, sink.writer.dropped]).toEqual([line.length, 0]);
  });

  it.each(['ENOSPC', 'EIO', 'EPIPE', 'EBADF'])('%s is not thrown, and lines are written after it', async (code) => {
    const sink = new Sink();
    Object.assign(sink, { room: 0, code });

    expect(() => sink.writer.write('one\n')).not.toThrow();
    sink.writer.write('two\n');
    sink.room = Infinity;
    await sink.clock.advance(10);

    expect(sink.text).toBe('one\ntwo\n');
  });

  it('a failing descriptor is tried again after 10 ms and less and less often, down to once a second', async () => {
    const sink = new Sink();
    Object.assign(sink, { room: 0, code: 'ENOSPC' });

    const delays: (number | undefined)[] = [];
    for (let n = 0; n < 9; n++) {
      sink.writer.write('one\n');
      delays.push(sink.clock.nextIn);
      await sink.clock.advance(sink.clock.nextIn ?? 0);
    }
    sink.room = 4;
    await sink.clock.advance(1_000);

    expect(delays).toEqual([10, 20, 40, 80, 160, 320, 640, 1_000, 1_000]);
    expect(sink.clock.nextIn).toBe(10);
    // One attempt for each timer, none for the other lines; the last timer wrote one line.
    expect(sink.attempts).toBe(12);
  });

  it('after the reader of a pipe is gone in the middle of a line, the next reader gets all of it', async () => {
    const sink = new Sink();
    Object.assign(sink, { room: 2, code: 'EPIPE' });
    sink.writer.write('one\n');

    sink.text = '';
    sink.room = Infinity;
    await sink.clock.advance(10);

    expect(sink.text).toBe('one\n');
  });

  it('after the disk was full in the middle of a line, the rest of the line follows', async () => {
    const sink = new Sink();
    Object.assign(sink, { room: 2, code: 'ENOSPC' });
    sink.writer.write('one\n');

    sink.room = Infinity;
    await sink.clock.advance(10);

    expect(sink.text).toBe('one\n');
  });

  it('a flush waits for a slow reader', () => {
    const sink: Sink = new Sink(() => (sink.room += 2));
    sink.room = 0;
    sink.writer.write('one\n');

    const isWhole = sink.writer.flush(1_000);

    expect([isWhole, sink.text, sink.slept]).toEqual([true, 'one\n', 20]);
  });

  it('a flush gives up at its deadline', () => {
    const sink = new Sink();
    sink.room = 0;
    sink.writer.write('one\n');

    const isWhole = sink.writer.flush(500);

    expect([isWhole, sink.text, sink.slept]).toEqual([false, '', 500]);
  });

  it('a flush waits longer for a reader that goes on to read, and not for ever', () => {
    const slow = new Sink(() => (slow.room += 1));
    const line = `${'a'.repeat(100)}\n`;
    slow.room = 0;
    slow.writer.write(line);

    expect([slow.writer.flush(500), slow.text, slow.slept]).toEqual([true, line, 1_010]);

    const slower = new Sink(() => (slower.room += 1));
    slower.room = 0;
    slower.writer.write('a'.repeat(MIB));

    expect([slower.writer.flush(500), slower.text.length, slower.slept]).toEqual([false, 500, 5_000]);
  });

  it('a flush after which lines are lost that nobody has reported is not whole', () => {
    const sink = reporting(new Sink());
    Object.assign(sink, { room: 0, code: 'ENOSPC' });
    sink.writer.write('a'.repeat(MIB));
    sink.writer.write('lost\n');

    expect(sink.writer.flush(500)).toBe(false);

    sink.room = Infinity;
    expect([sink.writer.flush(500), sink.text.endsWith('dropped 1\n')]).toEqual([true, true]);
  });

  it('a flush does not wait for a disk that is full', () => {
    const sink = new Sink();
    Object.assign(sink, { room: 0, code: 'ENOSPC' });
    sink.writer.write('one\n');

    const isWhole = sink.writer.flush(500);

    expect([isWhole, sink.text, sink.slept]).toEqual([false, '', 0]);
  });
});
