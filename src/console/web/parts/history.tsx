import type { JSX } from 'preact';
import type { Difference, Edit } from '../../../answers/edits.js';
import type { DecisionChange, DecisionHistory } from '../../../answers/history.js';
import { shown } from '../command.js';
import { now } from '../store.js';
import { momentText } from '../time.js';
import { ClusterNames, Since, Text } from './name.js';

/** What has changed in a decision, who has edited what led to it, and who has edited the Placement. */

export function HistoryView({ history }: { readonly history: DecisionHistory }): JSX.Element {
  const { changes, notKept, edits, differences = [] } = history;
  return (
    <section class="card" id="history">
      <h2>History</h2>
      {changes.length === 0 ? (
        <p class="muted">No change of the decision is recorded.</p>
      ) : (
        <table class="table cards">
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col" class="who">
                Edited by
              </th>
              <th scope="col">First change of</th>
              <th scope="col" class="rest">
                Clusters
              </th>
            </tr>
          </thead>
          <tbody>
            {changes.map((one) => (
              <Change key={`${one.time} ${one.trigger}`} change={one} />
            ))}
          </tbody>
        </table>
      )}
      {notKept > 0 && <p class="muted">{notKept} older changes are not kept.</p>}
      {differences.length > 0 && <Differences list={differences} />}
      {edits.length > 0 && <Edits of="the Placement" list={edits} />}
    </section>
  );
}

function Change({ change }: { readonly change: DecisionChange }): JSX.Element {
  const { time, trigger, added, removed, repaired, more } = change;
  const unnamed = more.added + more.removed + more.repaired;
  return (
    <tr>
      <th scope="row" class="tight">
        <Moment time={time} />
      </th>
      <td data-label="Edited by">
        <Editors change={change} />
      </td>
      <td data-label="First change of" class="tight">
        <Text of={trigger} />
      </td>
      <td class="rest">
        {added.length > 0 && (
          <p>
            <span class="ok">+</span> <ClusterNames names={added} />
          </p>
        )}
        {[...removed, ...repaired].map(({ cause, clusters, why }) => (
          <p key={`${cause} ${why}`}>
            <span class="bad">{cause === 'Edited' || cause === 'Deleted' ? 'repaired' : '−'}</span>{' '}
            <ClusterNames names={clusters} /> <span class="muted">{shown(why)}</span>
          </p>
        ))}
        {unnamed > 0 && <p class="muted">{unnamed} more are not named</p>}
      </td>
    </tr>
  );
}

/** Who has edited what the change follows; nothing is guessed. */
function Editors({ change: { trigger, edits = [], unknown } }: { readonly change: DecisionChange }): JSX.Element {
  if (edits.length === 0)
    return (
      <span class="muted">{unknown === undefined ? `nobody: ${shown(trigger)}` : `not known: ${shown(unknown)}`}</span>
    );
  return (
    <>
      {edits.map((one) => (
        <p key={`${one.manager} ${one.time}`} title={one.fields.map(shown).join(', ')}>
          <strong>
            <Text of={one.manager} />
          </strong>
        </p>
      ))}
    </>
  );
}

/** Fields that are not as they were applied: from what, to what, by whom. */
function Differences({ list }: { readonly list: readonly Difference[] }): JSX.Element {
  return (
    <>
      <h3>Changed since kubectl apply</h3>
      <table class="table cards">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">As applied</th>
            <th scope="col">Now</th>
            <th scope="col">By</th>
          </tr>
        </thead>
        <tbody>
          {list.map(({ field, applied, now: is, by }) => (
            <tr key={field}>
              <th scope="row">
                <Text of={field} />
              </th>
              <td data-label="As applied">
                <code class="gone-value">{applied === undefined ? 'not there' : shown(applied)}</code>
              </td>
              <td data-label="Now">
                <code>{is === undefined ? 'removed' : shown(is)}</code>
              </td>
              <td data-label="By">
                {by === undefined ? (
                  <span class="muted">not known: nobody owns it</span>
                ) : (
                  <>
                    <strong>
                      <Text of={by.manager} />
                    </strong>{' '}
                    <Moment time={by.time} />
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** The last edit of each field manager. */
export function Edits({ of, list }: { readonly of: string; readonly list: readonly Edit[] }): JSX.Element {
  return (
    <>
      <h3>Who has edited {of}</h3>
      <table class="table cards">
        <thead>
          <tr>
            <th scope="col">Last edit</th>
            <th scope="col">By</th>
            <th scope="col" class="rest">
              Fields
            </th>
          </tr>
        </thead>
        <tbody>
          {list.map(({ manager, time, fields }) => (
            <tr key={`${manager} ${time}`}>
              <th scope="row" class="tight">
                <Moment time={time} />
              </th>
              <td data-label="By">
                <Text of={manager} />
              </td>
              <td data-label="Fields" class="rest muted">
                {fields.map(shown).join(', ')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** The time of day, and how long ago. */
export function Moment({ time }: { readonly time: string }): JSX.Element {
  return (
    <>
      {momentText(time, now.value)} <Since time={time} />
    </>
  );
}
