import type { Group } from '../runtime/group.js';
import type { Hub } from './hub.js';

/** The controller of MultiClusterEngines. */
export function engineGroup(_hub: Hub): Group {
  throw new Error('the engine controller is not wired yet');
}
