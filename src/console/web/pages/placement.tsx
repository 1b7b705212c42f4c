import type { JSX } from 'preact';
import { VERDICTS } from '../../../api/verdicts.js';
import type { FunnelStep } from '../../../answers/explain/funnel.js';
import { SHOWS, UNDECIDED, type PlacementView, type Show as Shown } from '../../wire/placement.js';
import { shown } from '../command.js';
import { hrefOf, turn } from '../navigate.js';
import { HISTORY, type RouteOf } from '../route.js';
import { isUndecided, placementPath, useLoaded } from '../store.js';
import { spaced } from '../words.js';
import { ActButton, ActPanel, isActionOf } from '../objects/action.js';
import { ChoiceView } from '../objects/choice.js';
import { Command } from '../parts/command.js';
import { Conditions } from '../parts/conditions.js';
import { HistoryView, LastEdit } from '../objects/history.js';
import { toneOf, WordMark } from '../parts/icon.js';
import { MatrixView } from '../parts/matrix.js';
import { Count, Names, Since, Text, YamlLink } from '../parts/name.js';
import { PageHead } from '../parts/pagehead.js';
import { isAbsent, Show, unreadOf } from '../parts/states.js';
import { Term } from '../parts/term.js';

/** One Placement: how far it is, the way into its decision, and each cluster against each requirement. */

export function PlacementPage({ route }: { readonly route: RouteOf<'placement'> }): JSX.Element {
  const { namespace, name } = route;
  const loaded = useLoaded<PlacementView>(placementPath(namespace, name));
  const { data } = loaded;
  const onAct = (act: string): void => turn({ ...route, act });
  return (
    <>
      <PageHead
        title={
          <>
            <span class="muted">{shown(namespace)}/</span>
            <Text of={name} />
          </>
        }
        commands={[
          ['kubectl', 'mce', 'explain', 'placement', name, '-n', namespace],
          ['kubectl', 'mce', 'history', 'placement', name, '-n', namespace],
          ['kubectl', 'get', 'placementdecisions', '-n', namespace],
        ]}
      >
        {data !== undefined && !isAbsent(loaded) && !data.paused && (
          <ActButton kind="pause" on={route.act} onPress={onAct} />
        )}
        {!isAbsent(loaded) && <Links namespace={namespace} name={name} />}
      </PageHead>
      <Show
        of={loaded}
        missing={['All Placements', { page: 'placements', q: '', phase: '' }]}
        right={['kubectl', 'auth', 'can-i', 'list', 'placements', '-n', namespace]}
      >
        {(view) => (
          <>
            <Standing view={view} on={route.act} onAct={onAct} />
            {isActionOf(route.act, namespace) && (
              <ActPanel key={route.act} action={{ kind: route.act, namespace, name }} onClose={() => onAct('')} />
            )}
            {view.funnel.length > 1 && <Funnel steps={view.funnel} />}
            <MatrixView
              route={route}
              show={view.isKnown && isShow(route.show) ? route.show : view.first}
              isKnown={view.isKnown}
            />
            <ChoiceView view={view} />
            <HistoryView
              history={view.history}
              unread={unreadOf(loaded, 'placementdecisions')}
              isAsked={route.act === HISTORY}
            />
            <Details view={view} />
          </>
        )}
      </Show>
    </>
  );
}

function Links({ namespace, name }: PlacementView['explanation']['metadata']): JSX.Element {
  return (
    <>
      <a class="button primary" href={hrefOf({ page: 'whatif', begin: `placement:${namespace}/${name}` })}>
        Edit in What if
      </a>
      <a class="button" href={hrefOf({ page: 'events', about: `Placement/${namespace}/${name}`, q: '', type: '' })}>
        Events
      </a>
      <YamlLink resource="placements" namespace={namespace} name={name} isButton />
    </>
  );
}

function isShow(text: string): text is Shown {
  return (SHOWS as readonly string[]).includes(text) || Object.hasOwn(VERDICTS, text);
}

interface StandingProps {
  readonly view: PlacementView;
  /** The action whose panel is open. */
  readonly on: string;
  readonly onAct: (act: string) => void;
}

/** The state in one sentence; of one in trouble, why, what helps, and who has edited it last. */
function Standing({ view, on, onAct }: StandingProps): JSX.Element {
  const { explanation, selected, since, notes, history } = view;
  const { phase, satisfied, wanted, summary, clusterSets } = explanation;
  const waiting = summary?.waiting?.count ?? 0;
  const held = (summary?.held ?? 0) - waiting;
  const isStopped = isUndecided();
  const now = isStopped ? UNDECIDED : phase;
  const usual = toneOf(now);
  const besides = view.gone !== undefined ? 'warn' : held + waiting > 0 ? 'info' : usual;
  const tone = usual === 'ok' ? besides : usual;
  return (
    <section class={tone === 'ok' ? 'standing' : `card standing trouble ${tone}`} aria-label="State">
      <p class="headline standing-line">
        <WordMark word={now} tone={tone} />
        {!isStopped && <Since time={since} />}
        <span>
          {selected.toLocaleString('en-US')}
          {wanted !== undefined && ` of ${wanted.toLocaleString('en-US')}`}{' '}
          {wanted === undefined ? 'clusters; all that match are wanted' : 'clusters'}
        </span>
        {view.gone !== undefined && <span class="chip warn">{view.gone}</span>}
        {held > 0 && (
          <span class="chip info">
            {held} <Term of="held" />
          </span>
        )}
        {waiting > 0 && <span class="chip info">{waiting} waiting</span>}
        {view.deleting && <span class="chip bad">being deleted</span>}
      </p>
      {isStopped && <p>When it was last decided it was {spaced(phase)}.</p>}
      {satisfied?.status === 'False' && (
        <p>
          <strong>{shown(satisfied.reason)}</strong>: {shown(satisfied.message)}
        </p>
      )}
      {summary !== undefined && <p class={tone === 'ok' ? 'muted' : ''}>{shown(summary.text)}</p>}
      {clusterSets.absent.map(({ name, message }) => (
        <p key={name}>
          Nothing comes from cluster set <Text of={name} />: {shown(message)}
        </p>
      ))}
      {notes.map(({ text, command, end }) => (
        <div key={text} class="advice">
          <p>{shown(text)}</p>
          {end !== undefined && <ActButton kind={end} on={on} onPress={onAct} />}
          {command !== undefined && <Command words={command} />}
        </div>
      ))}
      <LastEdit edits={history.edits} anchor="history" />
    </section>
  );
}

function Details({ view }: { readonly view: PlacementView }): JSX.Element {
  const { explanation, conditions, isKnown, objects } = view;
  const { namespace } = explanation.metadata;
  const { eligible } = explanation.clusterSets;
  const sets = eligible.length === 0 ? 'none is eligible' : eligible.map(shown).join(', ');
  return (
    <div class="columns">
      <section class="card">
        <h2>Conditions{isUndecided() && ', as they were last decided'}</h2>
        <Conditions list={conditions} />
      </section>
      <section class="card">
        <h2>Cluster sets</h2>
        <p>{isKnown ? sets : 'not known'}</p>
        <h2>Decision objects</h2>
        {objects.length === 0 && <p class="muted">There is none that you may read.</p>}
        <Names
          names={objects}
          linkOf={(name) => (
            <>
              <Text of={name} /> <YamlLink resource="placementdecisions" namespace={namespace} name={name} />
            </>
          )}
        />
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

/** A bar as wide as each step, and behind it what is lost on the way to it. */
function Funnel({ steps }: { readonly steps: readonly FunnelStep[] }): JSX.Element {
  const most = Math.max(...steps.map(({ count }) => count), 1);
  const width = (count: number): string => `${(count / most) * 100}%`;
  return (
    <section class="card">
      <h2>From the fleet to the decision</h2>
      <ol class="funnel">
        {steps.map(({ step, count, lost, kept = [] }, index) => {
          const less = (steps[index - 1]?.count ?? count) - count;
          const [title, why] = TEXTS[step];
          const parts = lost ?? (less > 0 && why !== '' ? [{ count: less, text: why }] : []);
          const texts = [...parts.map((one) => ['−', one] as const), ...kept.map((one) => ['+', one] as const)];
          return (
            <li key={step} class={step === 'in' ? 'last' : ''}>
              <span>{title}</span>
              <span class="funnel-bar" aria-hidden="true">
                <span class="kept" style={{ width: width(count) }} />
                {less > 0 && <span class="lost" style={{ width: width(less) }} />}
              </span>
              <span>
                <Count of={count} />
                {/* The blank is for who hears it. */}
                {texts.map(([sign, one]) => [
                  ' ',
                  <span key={one.text} class="funnel-lost">
                    {sign}
                    {one.count.toLocaleString('en-US')} {shown(one.text)}
                  </span>,
                ])}
              </span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
