import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { FleetMap } from '../../../wire/fleet.js';
import type { Draft } from '../../../wire/plan.js';
import { useLatest } from '../../store.js';
import { GroupSelect, MapBar, MapView } from '../map.js';

/** The fleet as a plan leaves it: the cells that leave and come in stand out. */

export function Stage({ basedOn, draft }: { readonly basedOn: string; readonly draft: Draft }): JSX.Element | null {
  const chosen = useSignal<string | undefined>(undefined);
  const group = chosen.value ?? groupFor(draft);
  const { data } = useLatest<FleetMap>(`plan/${basedOn}/map?group=${encodeURIComponent(group)}`);
  if (data === undefined) return null;
  return (
    <section class="stage" aria-label="Clusters, as the plan leaves them">
      <MapBar rows={data.legend}>
        <GroupSelect value={group} onChange={(one) => (chosen.value = one)} />
      </MapBar>
      <div class="stage-map" tabIndex={0} role="group" aria-label="Map">
        <MapView map={data} />
      </div>
    </section>
  );
}

/** The key of what is lost. */
function groupFor({ losses }: Draft): string {
  const [, source, key] = /^(label|claim)\/([^=]+)=/.exec(losses[0] ?? '') ?? [];
  return source === undefined ? 'set' : `${source}:${key}`;
}
