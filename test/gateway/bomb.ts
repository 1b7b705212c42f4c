import { parentPort, workerData } from 'node:worker_threads';

import { parseBody } from '../../src/gateway/request/body.js';
import { StatusError } from '../../src/gateway/statuserror.js';

/** A thread that reads a body five times, and says of each whether it was read or refused. */
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
