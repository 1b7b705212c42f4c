import { parentPort, workerData } from 'node:worker_threads';
import type { FleetReading } from '../../answers/world/worlds.js';
import type { Draft } from '../wire/plan.js';
import { plannedDraft } from './plan.js';

/** A draft, and what it is planned of. */
export interface PlanJob {
  readonly reading: FleetReading;
  readonly draft: Draft;
  /** The namespace of objects that name none. */
  readonly namespace: string;
}

// The entry of a worker thread, for one job. It comes as JSON, which takes half as long as a structured clone.
const { reading, draft, namespace } = JSON.parse(String(workerData)) as PlanJob;
parentPort?.postMessage(await plannedDraft(reading, draft, { namespace }));
