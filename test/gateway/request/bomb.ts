import { parentPort, workerData } from 'node:worker_threads';

import { parseBody } from '../../../src/gateway/request/objectbody.js';
import { StatusError } from '../../../src/gateway/statuserror.js';

/** A worker thread that parses a body five times and posts for each whether it was accepted. */
const bytes = Buffer.from(workerData.text, 'latin1');
for (let round = 0; round < 5; round++) parentPort?.postMessage(outcome());

function outcome(): string {
  try {
    parseBody(bytes, workerData.format);
    return 'read';
  } catch (error) {
    return error instanceof StatusError ? 'refused' : String(error);
  }
}
