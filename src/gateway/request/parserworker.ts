import { parentPort } from 'node:worker_threads';
import { StatusError, type StatusErrorDetail, type StatusErrorKind } from '../statuserror.js';
import { writeYaml } from '@multicluster-engine/values/read/strictyaml';
import { objectToSend, type ObjectRequest } from './objectbody.js';

/** `object`: a request body to the JSON that is sent. `yaml`: a JSON response to YAML. */
export type ParserJob =
  | { readonly kind: 'object'; readonly bytes: Uint8Array; readonly request: ObjectRequest }
  | { readonly kind: 'yaml'; readonly bytes: Uint8Array };

export type ParserResult =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'error'; readonly error: StatusErrorKind; readonly detail: StatusErrorDetail };

function runJob(job: ParserJob): ParserResult {
  try {
    if (job.kind === 'object') return { kind: 'text', text: objectToSend(job.bytes, job.request) };
    return { kind: 'text', text: writeYaml(JSON.parse(Buffer.from(job.bytes).toString('utf8'))) };
  } catch (error) {
    // Any other error is a fault of this program: it ends the worker.
    if (!(error instanceof StatusError)) throw error;
    return { kind: 'error', error: error.kind, detail: error.detail };
  }
}

// The entry of a worker thread: one job at a time, one result for each.
parentPort?.on('message', (job: ParserJob) => parentPort?.postMessage(runJob(job)));
