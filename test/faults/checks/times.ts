import { SOURCE_ANNOTATION } from '../../../src/api/names.js';
import { MultiClusterEngines, ManagedClusters, Placements } from '../../../src/api/resources.js';
import { conditionIn } from '../../../src/domain/conditions.js';
import { resourceOf } from '../../../src/runtime/client/path.js';
import { field, recordsIn, textField } from '../../../src/runtime/vocabulary/json.js';
import type { View } from '../hub/view.js';

/** Times are in whole seconds, and those of an agent and of the hub may differ a little. */
const LEAST_MS = 2_000;
/** What a program wrote before its watch was late, or the answer of which was lost, it may write again with a new time. */
const BEHIND_MS = 300_000;

/**
 * Sees every write of a status when it is stored: `times`: the `lastTransitionTime` of a condition changes with its status and
 * with nothing else; after faults, by {@link BEHIND_MS} at most. Not for what people write.
 */
export class TimesCheck {
  readonly #subscriptions: { end(): void }[];

  /** `isUndisturbed`: whether no fault has happened so far. */
  constructor(server: View, isUndisturbed: () => boolean, violate: (rule: string, detail: string) => void) {
    this.#subscriptions = [Placements, ManagedClusters, MultiClusterEngines].map((type) =>
      server.observe(resourceOf(type), ({ entry, previous }) => {
        // An inventory says itself since when.
        if (entry.object.metadata.annotations?.[SOURCE_ANNOTATION] !== undefined) return;
        const [before, after] = [previous?.object, entry.object].map((one) => field(one, 'status'));
        for (const now of recordsIn(field(after, 'conditions'))) {
          const name = textField(now, 'type');
          const was = conditionIn(before, name);
          if (was === undefined) continue;
          const [from, to] = [was, now].map((one) => Date.parse(textField(one, 'lastTransitionTime'))) as [
            number,
            number,
          ];
          const isSame = was['status'] === now['status'];
          if (isSame && from !== to && (isUndisturbed() || to - from > BEHIND_MS))
            violate('times', `${entry.key}: ${name} stays, and its lastTransitionTime does not`);
          const isRecent = Date.parse(textField(now, 'lastUpdateTime')) - from < LEAST_MS;
          if (!isSame && from === to && !isRecent)
            violate('times', `${entry.key}: ${name} changes, and its lastTransitionTime does not`);
        }
      }),
    );
  }

  end(): void {
    for (const one of this.#subscriptions) one.end();
  }
}
