import type { JSX } from 'preact';
import type { Difference, Edit, DecisionChange, DecisionHistory } from '../../../answers/history.js';
import { shown } from '../command.js';
import { now } from '../store.js';
import { momentText } from '../time.js';
import { useArrival } from '../keys.js';
import { Names, Since, Text } from '../parts/name.js';
import { Table } from '../parts/table.js';

/** What has changed in a decision, who has edited what led to it, and who has edited the Placement. */

export interface HistoryProps {
  readonly history: DecisionHistory;
  /** Why its changes are not known; undefined where they are. */
  readonly unread: string | undefined;
  /** Whether the address asks for it. */
  readonly isAsked: boolean;
}

export function HistoryView({ history, unread, isAsked }: HistoryProps): JSX.Element {
  const { changes, notKept, edits, differences = [] } = history;
  return (
    <section class="card" id="history" tabIndex={-1} ref={useArrival(isAsked)}>
      <h2>History</h2>
      {changes.length === 0 && (
        <p class="muted">{unread === undefined ? 'No change of the decision is recorded.' : `Not known: ${unread}.`}</p>
      )}
      {changes.length > 0 && (
        <Table
          label="Changes of the decision"
          columns={{ When: 'tight', 'Edited by the program': 'who', 'First change of': 'tight', Clusters: 'rest' }}
          rows={changes.map((one) => [
            `${one.time} ${one.trigger}`,
            <Moment time={one.time} />,
            <Editors change={one} />,
            <Text of={one.trigger} />,
            <Clusters change={one} />,
          ])}
        />
      )}
      {notKept > 0 && <p class="muted">{notKept} older changes are not kept.</p>}
      {differences.length > 0 && (
        <>
          <h3>Changed since kubectl apply</h3>
          <Table
            label="Changed since kubectl apply"
            columns={{ Field: '', 'As applied': '', Now: '', 'By the program': '' }}
            rows={differences.map((one) => [
              one.field,
              <Text of={one.field} />,
              <code>{one.applied === undefined ? 'not there' : shown(one.applied)}</code>,
              <code>{one.now === undefined ? 'removed' : shown(one.now)}</code>,
              <Writer by={one.by} />,
            ])}
          />
        </>
      )}
      <Edits of="the Placement" list={edits} />
    </section>
  );
}

function Clusters({ change }: { readonly change: DecisionChange }): JSX.Element {
  const { added, removed, repaired, more } = change;
  const unnamed = more.added + more.removed + more.repaired;
  const gone = [...removed.map((one) => ['−', one] as const), ...repaired.map((one) => ['repaired', one] as const)];
  return (
    <>
      {added.length > 0 && (
        <p>
          <span class="ok">+</span> <Names names={added} />
        </p>
      )}
      {gone.map(([sign, { clusters, why }]) => (
        <p key={`${sign} ${why}`}>
          <span class="bad">{sign}</span> <Names names={clusters} /> <span class="muted">{shown(why)}</span>
        </p>
      ))}
      {unnamed > 0 && <p class="muted">{unnamed} more are not named</p>}
    </>
  );
}

/** Who has edited what the change follows; nothing is guessed. */
function Editors({ change: { edits = [], unknown } }: { readonly change: DecisionChange }): JSX.Element {
  if (edits.length === 0)
    return (
      <span class="muted">{unknown === undefined ? 'nobody: time has passed' : `not known: ${shown(unknown)}`}</span>
    );
  return (
    <>
      {edits.map((one) => (
        <p key={`${one.manager} ${one.time}`} title={one.fields.map(shown).join(', ')}>
          <Writer by={one} />
        </p>
      ))}
    </>
  );
}

function Writer({ by }: { readonly by: Difference['by'] }): JSX.Element {
  if (by === undefined) return <span class="muted">not known: nobody owns it</span>;
  return (
    <>
      <strong>
        <Text of={by.manager} />
      </strong>{' '}
      <Moment time={by.time} />
    </>
  );
}

const NO_PERSON = 'The API server keeps the program of an edit (its field manager) and the time, and no person.';

/** The last edit of each field manager. */
export function Edits({ of, list }: { readonly of: string; readonly list: readonly Edit[] }): JSX.Element | null {
  if (list.length === 0) return null;
  return (
    <>
      <h3>Who has edited {of}</h3>
      <p class="muted">{NO_PERSON}</p>
      <Table
        label={`Who has edited ${of}`}
        columns={{ 'Last edit': 'tight', 'By the program': 'tight', Fields: 'rest' }}
        rows={list.map(({ manager, time, fields }) => [
          `${manager} ${time}`,
          <Moment time={time} />,
          <Text of={manager} />,
          <span class="muted">{fields.map(shown).join(', ')}</span>,
        ])}
      />
    </>
  );
}

/** So many fields of the last edit are named. */
const MOST_FIELDS = 4;

/** The last edit, in the state of an object. */
export function LastEdit(of: { readonly edits: readonly Edit[]; readonly anchor: string }): JSX.Element | null {
  const { edits, anchor } = of;
  const [edit] = edits;
  if (edit === undefined) return null;
  const { length } = edit.fields;
  return (
    <p class="muted">
      Last edited by the program <Writer by={edit} />: {edit.fields.slice(0, MOST_FIELDS).map(shown).join(', ')}
      {length > MOST_FIELDS && ` and ${length - MOST_FIELDS} more`}. <a href={`#${anchor}`}>Who has edited it</a>
    </p>
  );
}

/** The time of day, and how long ago. */
export function Moment({ time }: { readonly time: string }): JSX.Element {
  return (
    <span class="nowrap">
      {momentText(time, now.value)} <Since time={time} isAgo />
    </span>
  );
}
