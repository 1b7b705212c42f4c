import type { JSX } from 'preact';
import type { Fleet, Trouble } from '../../wire/fleet.js';
import { UNDECIDED } from '../../wire/placement.js';
import { Command } from './command.js';
import { CellMark, HEALTH_LOOK, WordMark } from './icon.js';
import { Count, Names, PlacementLink } from './name.js';
import { Table } from './table.js';
import { Term } from './term.js';
import { routeOfMeaning } from '../meaning.js';
import { hrefOf } from '../navigate.js';
import { FLEET, type Route } from '../route.js';
import { clustersText, spaced } from '../words.js';

/** What somebody has to look at first: in one sentence, then row by row, with the command that goes on. */

export function TroubleView({ fleet }: { readonly fleet: Fleet }): JSX.Element {
  const { trouble, total, placements } = fleet;
  const clusters = sumOf(trouble, 'health');
  const others = sumOf(trouble, 'phase');
  const maintained = sumOf(trouble, 'maintenance');
  if (clusters + others + maintained === 0)
    return (
      <p class="headline well" role="status">
        <span class="ok">✓</span> {clustersText(total)}: none is silent, unavailable or still to join.
      </p>
    );
  const troubled = [
    ...(clusters === 0 ? [] : [`${clusters.toLocaleString('en-US')} of ${clustersText(total)}`]),
    ...(others === 0 ? [] : [`${others.toLocaleString('en-US')} of ${placements.toLocaleString('en-US')} Placements`]),
  ];
  const isDown = trouble.some(({ word }) => ['unavailable', 'Unsatisfied', 'Misconfigured', UNDECIDED].includes(word));
  return (
    <section class={`card trouble ${isDown ? 'bad' : 'warn'}`} aria-label="What needs attention">
      <p class="headline" role="status">
        {troubled.length > 0 && `${troubled.join(' and ')} need attention. `}
        {maintained > 0 && `${clustersText(maintained)} under maintenance.`}
      </p>
      <Table
        label="By state"
        columns={{ State: 'tight', Count: 'number', Which: 'rest', Next: '' }}
        rows={trouble.map((one) => [
          one.word,
          <Term of={one.word}>
            {one.kind === 'health' ? <CellMark look={HEALTH_LOOK[one.word]} /> : <WordMark word={one.word} />}
          </Term>,
          <a href={hrefOf(routeOf(one))} aria-label={`Show all ${one.count} ${spaced(one.word)}`}>
            <Count of={one.count} />
          </a>,
          <Names
            names={one.some}
            total={one.count}
            all={hrefOf(routeOf(one))}
            {...(one.kind === 'phase' ? { linkOf: placementLink } : {})}
          />,
          <Command words={commandFor(one)} />,
        ])}
      />
    </section>
  );
}

function sumOf(trouble: readonly Trouble[], kind: Trouble['kind']): number {
  return trouble.filter((one) => one.kind === kind).reduce((sum, { count }) => sum + count, 0);
}

/** Of `namespace/name`. */
function placementLink(name: string): JSX.Element {
  const at = name.indexOf('/');
  return <PlacementLink namespace={name.slice(0, at)} name={name.slice(at + 1)} />;
}

/** What is known of the first one: one looks before one writes. */
function commandFor({ kind, some: [first = ''] }: Trouble): readonly string[] {
  const [namespace = '', name = ''] = first.split('/');
  return kind !== 'phase'
    ? ['kubectl', 'describe', 'mcl', first]
    : ['kubectl', 'mce', 'explain', 'placement', name, '-n', namespace];
}

/** All of them, on a page. */
function routeOf(one: Trouble): Route {
  const { word, count } = one;
  if (one.kind === 'health') return routeOfMeaning({ kind: 'health', health: one.word, clusters: count });
  if (one.kind === 'phase') return routeOfMeaning({ kind: 'phase', phase: word, placements: count });
  return { ...FLEET, q: `taint:cluster.fleetmgmt.io/${word}`, view: 'table' };
}
