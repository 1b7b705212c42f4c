import type { JSX } from 'preact';
import type { EventRow, ReadEvents } from '../../../answers/explain/events.js';
import { shown } from '../command.js';
import { hrefOf } from '../navigate.js';
import type { Route } from '../route.js';
import { now, useLoaded } from '../store.js';
import { momentText } from '../time.js';
import { Commands } from '../parts/command.js';
import { WordMark } from '../parts/icon.js';
import { ClusterLink, PlacementLink, Since, Text } from '../parts/name.js';
import { Empty, isWithheld, Show } from '../parts/states.js';

/** What has happened, the newest first. */

export function EventsPage({ route: { about } }: { readonly route: Extract<Route, { page: 'events' }> }): JSX.Element {
  const loaded = useLoaded<Pick<ReadEvents, 'rows'>>(`events?about=${encodeURIComponent(about)}`);
  return (
    <>
      <header class="page-head">
        <h1>Events{about !== '' && <span class="muted"> about {shown(about)}</span>}</h1>
        <div class="actions">
          {about !== '' && (
            <a class="button" href={hrefOf({ page: 'events', about: '' })}>
              Of all objects
            </a>
          )}
          <Commands list={[['kubectl', 'get', 'events', '-A', '--sort-by=.metadata.creationTimestamp']]} />
        </div>
      </header>
      <Show of={loaded}>
        {({ rows }) =>
          rows.length === 0 ? (
            !isWithheld(loaded, 'events') && (
              <Empty title="There are no events.">
                <p>The API server keeps them for an hour.</p>
              </Empty>
            )
          ) : (
            <div class="card">
              <ol class="timeline">
                {rows.map((row, index) => (
                  <Row key={`${row.time} ${row.kind} ${row.name} ${index}`} row={row} />
                ))}
              </ol>
            </div>
          )
        }
      </Show>
    </>
  );
}

function Row({ row }: { readonly row: EventRow }): JSX.Element {
  return (
    <li class={row.type === 'Warning' ? 'warning' : ''}>
      <span class="timeline-time" title={row.time}>
        {momentText(row.time, now.value)} <Since time={row.time} />
      </span>
      <WordMark
        word={row.type === 'Warning' ? 'Warning' : 'Unknown'}
        tone={row.type === 'Warning' ? 'warn' : 'quiet'}
        text={row.reason}
      />
      <span class="timeline-of">
        <span class="muted">{row.kind}</span> <Regarding row={row} />
        {row.count > 1 && <span class="chip quiet">{row.count} times</span>}
      </span>
      <p>{shown(row.note)}</p>
    </li>
  );
}

function Regarding({ row: { kind, namespace, name } }: { readonly row: EventRow }): JSX.Element {
  if (kind === 'Placement') return <PlacementLink namespace={namespace} name={name} />;
  return kind === 'ManagedCluster' ? <ClusterLink name={name} /> : <Text of={name} />;
}
