import type { JSX } from 'preact';
import type { PlacementAction } from '../../../answers/actions/action.js';
import { VERDICTS } from '../../../api/verdicts.js';
import type { FunnelStep } from '../../../answers/explain/funnel.js';
import { SHOWS, type PlacementView, type Show } from '../../wire/placement.js';
import { shown } from '../command.js';
import { amend, hrefOf } from '../navigate.js';
import type { Route } from '../route.js';
import { placementPath, useLoaded } from '../store.js';
import { ActButtons, ActPanel } from '../parts/action.js';
import { ChoiceView } from '../parts/choice.js';
import { Command, Commands } from '../parts/command.js';
import { Conditions } from '../parts/conditions.js';
import { WordMark } from '../parts/icon.js';
import { MatrixView } from '../parts/matrix.js';
import { Count, Since, Text, YamlLink } from '../parts/name.js';
import { Empty, isAbsent, Show as ShowLoaded } from '../parts/states.js';

/** One Placement: how far it is, the way into its decision, and each cluster against each requirement. */

export function PlacementPage({ route }: { readonly route: Extract<Route, { page: 'placement' }> }): JSX.Element {
  const { namespace, name } = route;
  const loaded = useLoaded<PlacementView>(placementPath(namespace, name));
  const show = isShow(route.show) ? route.show : 'in';
  return (
    <>
      <header class="page-head">
        <h1>
          <span class="muted">{shown(namespace)}/</span>
          <Text of={name} />
        </h1>
        <div class="actions">
          {loaded.data !== undefined && !isAbsent(loaded) && (
            <ActButtons kinds={actionsOf(loaded.data)} on={route.act} onPress={(act) => amend({ ...route, act })} />
          )}
          {!isAbsent(loaded) && (
            <a class="button primary" href={hrefOf({ page: 'whatif', begin: `placement:${namespace}/${name}` })}>
              What if
            </a>
          )}
          <a class="button" href={hrefOf({ page: 'events', about: `Placement/${namespace}/${name}`, q: '', type: '' })}>
            Events
          </a>
          <YamlLink resource="placements" namespace={namespace} name={name} isButton />
          <Commands
            list={[
              ['kubectl', 'mce', 'explain', 'placement', name, '-n', namespace],
              ['kubectl', 'mce', 'history', 'placement', name, '-n', namespace],
              ['kubectl', 'get', 'fpl', name, '-n', namespace, '-o', 'yaml'],
              ['kubectl', 'get', 'placementdecisions', '-n', namespace],
            ]}
          />
        </div>
      </header>
      <ShowLoaded
        of={loaded}
        missing={<Missing namespace={namespace} name={name} />}
        right={['kubectl', 'auth', 'can-i', 'list', 'placements', '-n', namespace]}
      >
        {(view) => (
          <>
            <Standing view={view} />
            {isAct(route.act) && (
              <ActPanel
                key={route.act}
                action={{ kind: route.act, namespace, name }}
                onClose={() => amend({ ...route, act: '' })}
              />
            )}
            {view.funnel.length > 1 && <Funnel steps={view.funnel} />}
            <Notes view={view} />
            <MatrixView route={route} show={view.isKnown ? show : 'in'} isKnown={view.isKnown} />
            <ChoiceView view={view} />
            <Details view={view} />
          </>
        )}
      </ShowLoaded>
    </>
  );
}

const ACTS: readonly string[] = ['pause', 'resume', 'release', 'releaseAdditions'] satisfies readonly PlacementAction[];

function isAct(text: string): text is PlacementAction {
  return ACTS.includes(text);
}

/** What can be done with it as it is. */
function actionsOf({ paused, conditions }: PlacementView): readonly PlacementAction[] {
  const isTrue = (type: string): boolean => conditions.some((one) => one.type === type && one.status === 'True');
  return [
    ...(isTrue('RemovalsHeld') ? (['release'] as const) : []),
    ...(isTrue('AdditionsHeld') ? (['releaseAdditions'] as const) : []),
    paused ? 'resume' : 'pause',
  ];
}

function isShow(text: string): text is Show {
  return (SHOWS as readonly string[]).includes(text) || Object.hasOwn(VERDICTS, text);
}

function Missing({ namespace, name }: { readonly namespace: string; readonly name: string }): JSX.Element {
  return (
    <Empty
      title={`There is no Placement ${shown(name)} in namespace ${shown(namespace)}.`}
      command={['kubectl', 'get', 'fpl', '-n', namespace]}
    >
      <p>It may have been deleted. The Placements of the namespace:</p>
    </Empty>
  );
}

function Standing({ view }: { readonly view: PlacementView }): JSX.Element {
  const { explanation, selected, since } = view;
  const { phase, satisfied, wanted, summary } = explanation;
  const waiting = summary?.waiting?.count ?? 0;
  const held = (summary?.held ?? 0) - waiting;
  return (
    <div class="standing">
      <p class="standing-line">
        <WordMark word={phase} badge />
        <strong class="big">
          {selected.toLocaleString('en-US')}
          {wanted !== undefined && ` of ${wanted.toLocaleString('en-US')}`}
        </strong>
        <span>{wanted === undefined ? 'clusters, all that match' : 'clusters'}</span>
        {held > 0 && <span class="chip info">{held} held</span>}
        {waiting > 0 && <span class="chip info">{waiting} waiting</span>}
        {view.deleting && <span class="chip bad">being deleted</span>}
        <Since time={since} />
      </p>
      {satisfied?.status === 'False' && (
        <p>
          <strong>{satisfied.reason}</strong>: {shown(satisfied.message)}
        </p>
      )}
      {satisfied?.status !== 'False' && summary !== undefined && <p class="muted">{shown(summary.text)}</p>}
    </div>
  );
}

function Notes({ view }: { readonly view: PlacementView }): JSX.Element | null {
  const { fixes = [], harmful = [], clusterSets } = view.explanation;
  const notes = [...view.notes, ...harmful];
  if (notes.length + fixes.length + clusterSets.absent.length === 0) return null;
  return (
    <section class="card notes" aria-label="What to know, and what helps">
      {clusterSets.absent.map(({ name, message }) => (
        <p key={name}>
          Nothing comes from cluster set <Text of={name} />: {shown(message)}
        </p>
      ))}
      {notes.map((note) => (
        <p key={note}>{shown(note)}</p>
      ))}
      {fixes.map((one) => (
        <div key={fixText(one)} class="fix">
          <p>
            <strong>To help:</strong> {shown(fixText(one))}
          </p>
          {'command' in one && <Command text={shown(one.command)} />}
        </div>
      ))}
    </section>
  );
}

function fixText(one: NonNullable<PlacementView['explanation']['fixes']>[number]): string {
  if (one.reason === 'NotMatched') return `select ${one.cluster}`;
  const sets = one.clusterSets.join(' or ');
  return one.reason === 'NoBinding'
    ? `bind ${sets} to the namespace`
    : `there is no cluster set ${sets}; ${one.suggested} may be meant`;
}

/** So many are named: one holds up to 100 clusters. */
const MOST_OBJECTS = 20;

function Details({ view }: { readonly view: PlacementView }): JSX.Element {
  const { explanation, conditions, manager, isKnown, objects } = view;
  const { namespace } = explanation.metadata;
  const { eligible } = explanation.clusterSets;
  const sets = eligible.length === 0 ? 'none is eligible' : eligible.map(shown).join(', ');
  return (
    <div class="columns">
      <section class="card">
        <h2>Conditions</h2>
        <Conditions list={conditions} />
      </section>
      <section class="card">
        <h2>Cluster sets</h2>
        <p>
          {isKnown ? sets : 'not known'}
          {manager !== undefined && <span class="muted">. Managed by {shown(manager)}</span>}
        </p>
        <h2>Decision objects</h2>
        {objects.length === 0 && <p class="muted">There is none that you may read.</p>}
        <ul class="list">
          {objects.slice(0, MOST_OBJECTS).map((name) => (
            <li key={name}>
              <span class="strong list-name">
                <Text of={name} />
              </span>
              <YamlLink resource="placementdecisions" namespace={namespace} name={name} />
            </li>
          ))}
        </ul>
        {objects.length > MOST_OBJECTS && <p class="muted">and {objects.length - MOST_OBJECTS} more</p>}
      </section>
    </div>
  );
}

const TEXTS: Readonly<Record<FunnelStep['step'], readonly [title: string, lost: string]>> = {
  fleet: ['fleet', ''],
  bound: ['bound sets', 'in no bound set'],
  sets: ['cluster sets', 'in other sets'],
  match: ['match', 'match no predicate'],
  taints: ['tolerated', ''],
  in: ['in decision', ''],
};

function Funnel({ steps }: { readonly steps: readonly FunnelStep[] }): JSX.Element {
  const most = Math.max(...steps.map(({ count }) => count), 1);
  return (
    <ol class="funnel" aria-label="From the fleet to the decision">
      {steps.map(({ step, count, lost, kept = [] }, index) => {
        const less = (steps[index - 1]?.count ?? count) - count;
        const [title, why] = TEXTS[step];
        const parts = lost ?? (less > 0 && why !== '' ? [{ count: less, text: why }] : []);
        return (
          <li key={step} class={step === 'in' ? 'last' : ''}>
            <span class="funnel-title">{title}</span>
            <Count of={count} />
            <span class="funnel-bar">
              <span style={{ width: `${Math.max((count / most) * 100, count > 0 ? 2 : 0)}%` }} />
            </span>
            {[...parts.map((one) => ['−', one] as const), ...kept.map((one) => ['+', one] as const)].map(
              ([sign, one]) => (
                <span key={one.text} class="muted funnel-lost">
                  {sign}
                  {one.count.toLocaleString('en-US')} {shown(one.text)}
                </span>
              ),
            )}
          </li>
        );
      })}
    </ol>
  );
}
