import { field } from '../../api/json.js';
import { isList } from '../selectors.js';

/** The sets that the stored decision was made with, from the status of a Placement; undefined where they are not known. */
export function setsOfDecision(status: unknown): readonly string[] | undefined {
  const names = field(field(status, 'basis'), 'clusterSets');
  return isList(names) ? names.filter((one) => typeof one === 'string') : undefined;
}
