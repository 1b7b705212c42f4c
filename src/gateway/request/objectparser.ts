import { Worker } from 'node:worker_threads';
import type { Clock } from '../../runtime/clock.js';
import { writeYaml } from '@multicluster-engine/values/read/strictyaml';
import { StatusError } from '../statuserror.js';
import { objectToSend, type ObjectRequest } from './objectbody.js';
import type { ParserJob, ParserResult } from './parserworker.js';

/** Bodies up to this size are parsed in the event loop: it takes less than 5 ms. */
const MAX_INLINE = 4 * 1024;
/** Far longer than the largest body takes. */
const JOB_TIMEOUT_MS = 10_000;
const HEAP_MIB = 128;
const FAILURES: Readonly<Record<ParserJob['kind'], string>> = {
  object: 'the body could not be parsed now',
  yaml: 'the answer could not be written as YAML now',
};

/**
 * Parses request bodies and writes YAML without blocking the event loop: small bodies in place, all others in a worker
 * thread, one after the other. The thread is started by its first job, and again after it has failed.
 */
export class ObjectParser {
  readonly #clock: Clock;
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The object to send to the API server, JSON.
   * @throws StatusError
   */
  async parse(bytes: Uint8Array, request: ObjectRequest): Promise<string> {
    if (bytes.length <= MAX_INLINE) return objectToSend(bytes, request);
    return this.#run({ kind: 'object', bytes, request });
  }

  /**
   * A JSON response of the API server as YAML.
   * @throws StatusError `unavailable`
   */
  async toYaml(bytes: Buffer): Promise<string> {
    if (bytes.length <= MAX_INLINE) return writeYaml(JSON.parse(bytes.toString('utf8')));
    return this.#run({ kind: 'yaml', bytes });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker?.terminate();
  }

  async #run(job: ParserJob): Promise<string> {
    const previous = this.#last;
    const result = (async () => {
      await previous;
      return this.#post(job);
    })();
    this.#last = result.catch(() => undefined);
    const done = await result;
    if (done.kind === 'error') throw new StatusError(done.error, done.detail);
    return done.text;
  }

  /** @throws StatusError `unavailable` when the thread has failed, such as for want of memory, or takes too long */
  #post(job: ParserJob): Promise<ParserResult> {
    const failed = new StatusError('unavailable', { message: FAILURES[job.kind] });
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
