import { Worker } from 'node:worker_threads';
import type { Clock } from '../../runtime/clock.js';
import { writeYaml } from '../object/yaml.js';
import { StatusError } from '../statuserror.js';
import { objectToSend, type ObjectRequest } from './objectbody.js';
import type { ParserJob, ParserResult } from './parserworker.js';

/** Bodies up to this size are parsed in the event loop when the token is accepted: it takes less than 5 ms. */
const MAX_INLINE = 4 * 1024;
/** Far longer than the largest body takes. */
const JOB_TIMEOUT_MS = 10_000;
const HEAP_MIB = 128;

/**
 * Parses request bodies and writes YAML without blocking the event loop: small bodies of accepted tokens are parsed in
 * place, everything else in two threads, one of which serves accepted tokens only.
 */
export class ObjectParser {
  readonly #accepted: ParserThread;
  readonly #unaccepted: ParserThread;

  constructor(clock: Clock) {
    this.#accepted = new ParserThread(clock);
    this.#unaccepted = new ParserThread(clock);
  }

  /** Whether a body of a token that is not accepted would have to wait for another one. */
  get busy(): boolean {
    return this.#unaccepted.busy;
  }

  /**
   * The object to send to the API server, JSON. `accepted`: whether the API server has accepted the token.
   * @throws StatusError
   */
  async parse(bytes: Uint8Array, request: ObjectRequest, accepted: boolean): Promise<string> {
    if (accepted && bytes.length <= MAX_INLINE) return objectToSend(bytes, request);
    return (accepted ? this.#accepted : this.#unaccepted).run({ kind: 'object', bytes, request });
  }

  /**
   * A JSON response of the API server as YAML.
   * @throws StatusError `unavailable`
   */
  async toYaml(bytes: Buffer): Promise<string> {
    if (bytes.length <= MAX_INLINE) return writeYaml(JSON.parse(bytes.toString('utf8')));
    return this.#accepted.run({ kind: 'yaml', bytes });
  }

  async close(): Promise<void> {
    await Promise.all([this.#accepted.close(), this.#unaccepted.close()]);
  }
}

/** A worker thread that does one job after the other. It is started by the first job, and again after it has failed. */
class ParserThread {
  readonly #clock: Clock;
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #jobs = 0;
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get busy(): boolean {
    return this.#jobs > 0;
  }

  async run(job: ParserJob): Promise<string> {
    this.#jobs += 1;
    const previous = this.#last;
    const result = (async () => {
      await previous;
      return this.#post(job);
    })();
    this.#last = result.catch(() => undefined);
    try {
      const done = await result;
      if (done.kind === 'error') throw new StatusError(done.error, done.detail);
      return done.text;
    } finally {
      this.#jobs -= 1;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker?.terminate();
  }

  /** @throws StatusError `unavailable` when the thread has failed, such as for want of memory, or takes too long */
  #post(job: ParserJob): Promise<ParserResult> {
    const failed = new StatusError('unavailable', { message: 'the body could not be parsed now' });
    if (this.#closed) return Promise.reject(failed);
    const worker = (this.#worker ??= startWorker());
    return new Promise((resolve, reject) => {
      const timer = this.#clock.after(JOB_TIMEOUT_MS, () => onFailure());
      const end = (): void => {
        timer.cancel();
        worker.off('message', onMessage);
        worker.off('error', onFailure);
        worker.off('exit', onFailure);
      };
      const onMessage = (result: ParserResult): void => {
        end();
        worker.unref();
        resolve(result);
      };
      const onFailure = (): void => {
        end();
        worker.on('error', () => undefined);
        this.#worker = undefined;
        void worker.terminate();
        reject(failed);
      };
      worker.on('message', onMessage);
      worker.on('error', onFailure);
      worker.on('exit', onFailure);
      worker.ref();
      worker.postMessage(job);
    });
  }
}

function startWorker(): Worker {
  const worker = new Worker(new URL('./parserworker.js', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
  });
  // Idle threads do not keep the process alive.
  worker.unref();
  return worker;
}
