import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { document } from './document.js';
import { askFor, operationsOf, withReadOnlyFields } from './requestgenerator.js';
import { startRig, type Rig } from '../rig.js';

/** Ends before the test does, so that what was found is printed, though it is not the smallest. */
const RUNS = { numRuns: 60, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: true };

describe('a request that fits the OpenAPI document', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig();
  });
  afterAll(async () => rig.stop());

  it.each(operationsOf(document).map(({ id, requests }) => [id, requests] as const))(
    'a request that fits the OpenAPI document is not rejected for its form: %s',
    async (_id, requests) => {
      await fc.assert(
        fc.asyncProperty(requests, fc.boolean(), async (request, complete) => {
          const { status, body } = await rig.ask(askFor(complete ? withReadOnlyFields(request) : request));
          expect({ status, body: status === 200 ? '' : body }).toEqual({ status: 200, body: '' });
        }),
        RUNS,
      );
    },
    120_000,
  );
});
