import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { EventRow } from '../../../answers/explain/events.js';
import type { EventsPart } from '../../wire/answer.js';
import { shown } from '../command.js';
import { amend, hrefOf, turn } from '../navigate.js';
import type { RouteOf } from '../route.js';
import { useLatest } from '../store.js';
import { Moment } from '../objects/history.js';
import { WordMark } from '../parts/icon.js';
import { ClusterLink, PlacementLink, Text } from '../parts/name.js';
import { PageHead } from '../parts/pagehead.js';
import { Pager } from '../parts/pager.js';
import { Empty, isWithheld, Show } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Tabs } from '../parts/tabs.js';

/** What has happened, the newest first. */

/** So many are drawn at a time. */
const PAGE = 25;
const TYPES = ['', 'Warning', 'Normal'].map((type) => [type, type || 'All'] as const);

export function EventsPage({ route }: { readonly route: RouteOf<'events'> }): JSX.Element {
  const { about, q, type } = route;
  const after = useSignal(0);
  useEffect(() => void (after.value = 0), [about, q, type, after]);
  const filter = [about, q, type].map(encodeURIComponent);
  const path = `events?about=${filter[0]}&q=${filter[1]}&type=${filter[2]}&after=${after.value}&limit=${PAGE}`;
  const loaded = useLatest<EventsPart>(path);
  return (
    <>
      <PageHead
        title={<>Events{about !== '' && <span class="muted"> about {shown(about)}</span>}</>}
        commands={[['kubectl', 'get', 'events', '-A', '--sort-by=.metadata.creationTimestamp']]}
      >
        {about !== '' && (
          <a class="button" href={hrefOf({ ...route, about: '' })}>
            Of all objects
          </a>
        )}
      </PageHead>
      <Show of={loaded}>
        {({ rows, total }) =>
          !isWithheld(loaded, 'events') && (
            <div class="card">
              <div class="toolbar">
                <input
                  type="search"
                  aria-label="Filter events"
                  placeholder="Object, reason or text"
                  data-search=""
                  value={q}
                  onInput={(event) => amend({ ...route, q: event.currentTarget.value })}
                />
                <Tabs label="Type" list={TYPES} on={type} onPress={(one) => turn({ ...route, type: one })} />
              </div>
              {total === 0 && (
                <Empty title={q + type === '' ? 'There are no events.' : 'No event matches.'}>
                  <p>The API server keeps them for an hour.</p>
                </Empty>
              )}
              {total > 0 && <List rows={rows} />}
              <Pager label="Events" after={after.value} size={PAGE} total={total} onMove={(to) => (after.value = to)} />
            </div>
          )
        }
      </Show>
    </>
  );
}

function List({ rows }: Pick<EventsPart, 'rows'>): JSX.Element {
  return (
    <Table
      label="Events"
      columns={{ When: 'tight', Reason: 'tight', Of: 'tight', 'What has happened': 'rest' }}
      rows={rows.map((row, index) => [
        `${row.time} ${row.kind} ${row.name} ${index}`,
        <Moment time={row.time} />,
        row.type === 'Warning' ? (
          <WordMark word="Warning" text={row.reason} />
        ) : (
          <span class="muted">{shown(row.reason)}</span>
        ),
        <Regarding row={row} />,
        <span class={row.type === 'Warning' ? '' : 'muted'}>{shown(row.note)}</span>,
      ])}
    />
  );
}

function Regarding({ row: { kind, namespace, name, count } }: { readonly row: EventRow }): JSX.Element {
  return (
    <>
      <span class="muted">{shown(kind)}</span>{' '}
      {kind === 'Placement' ? (
        <PlacementLink namespace={namespace} name={name} />
      ) : kind === 'ManagedCluster' ? (
        <ClusterLink name={name} />
      ) : (
        <Text of={name} />
      )}
      {count > 1 && <span class="chip quiet">{count} times</span>}
    </>
  );
}
