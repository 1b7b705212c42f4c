import type { JSX } from 'preact';
import type { ClusterAction } from '../../../answers/actions/action.js';
import type { ClusterAnswer } from '../../../answers/cluster.js';
import { shown } from '../command.js';
import { conditionLook } from '../conditionlook.js';
import { useArrival } from '../keys.js';
import { hrefOf, turn } from '../navigate.js';
import { FLEET, HISTORY, type RouteOf } from '../route.js';
import { useLoaded } from '../store.js';
import { ActButton, ActPanel, isActionOf } from '../objects/action.js';
import { Command } from '../parts/command.js';
import { Conditions, Pairs } from '../parts/conditions.js';
import { Edits, LastEdit } from '../objects/history.js';
import { HEALTH_LOOK, HealthMark, WordMark } from '../parts/icon.js';
import { Names, SetLink, Since, Text, YamlLink } from '../parts/name.js';
import { PageHead } from '../parts/pagehead.js';
import { SelectedBy } from '../objects/selectedby.js';
import { isAbsent, isWithheld, Show } from '../parts/states.js';
import { Term } from '../parts/term.js';

/** One cluster: how it is, who selects it, and what its drain would do. */

export function ClusterPage({ route }: { readonly route: RouteOf<'cluster'> }): JSX.Element {
  const { name, act } = route;
  const onAct = (to: string): void => turn({ ...route, act: to });
  const loaded = useLoaded<ClusterAnswer>(`clusters/${encodeURIComponent(name)}`);
  return (
    <>
      <PageHead
        title={<Text of={name} />}
        commands={[
          ['kubectl', 'mce', 'who-selects', name],
          ['kubectl', 'mce', 'drain', name, '--dry-run'],
          ['kubectl', 'get', 'mcl', name, '-o', 'yaml'],
        ]}
      >
        {!isAbsent(loaded) && (
          <>
            {loaded.data !== undefined &&
              actionsOf(loaded.data).map((kind) => <ActButton key={kind} kind={kind} on={act} onPress={onAct} />)}
            <a class="button" href={hrefOf({ page: 'whatif', begin: `labels:${name}` })}>
              Label in What if
            </a>
            <a class="button" href={hrefOf({ page: 'events', about: `ManagedCluster/${name}`, q: '', type: '' })}>
              Events
            </a>
            <YamlLink resource="managedclusters" name={name} isButton />
          </>
        )}
      </PageHead>
      <Show
        of={loaded}
        missing={['All clusters', { ...FLEET, view: 'table' }]}
        right={['kubectl', 'auth', 'can-i', 'list', 'managedclusters']}
      >
        {(view) => (
          <>
            <Standing view={view} hasSets={!isWithheld(loaded, 'managedclustersets')} on={act} onAct={onAct} />
            {isActionOf(act, '') && (
              <ActPanel key={act} action={{ kind: act, namespace: '', name }} onClose={() => onAct('')} />
            )}
            <SelectedBy view={view} of={loaded} />
            <Details view={view} isAsked={act === HISTORY} />
          </>
        )}
      </Show>
    </>
  );
}

/** Uncordon stands beside what it ends. */
function actionsOf({ maintenance }: ClusterAnswer): readonly ClusterAction[] {
  if (maintenance === undefined) return ['cordon', 'drain'];
  return maintenance === 'Draining' ? [] : ['drain'];
}

interface StandingProps {
  readonly view: ClusterAnswer;
  readonly hasSets: boolean;
  /** The action whose panel is open. */
  readonly on: string;
  readonly onAct: (act: string) => void;
}

/** How it is; of one in trouble, what its condition says, and what ends it. */
function Standing({ view, hasSets, on, onAct }: StandingProps): JSX.Element {
  const { name, health, since, version, sets, maintenance, taints, conditions, edits } = view;
  const tone = health !== 'available' ? HEALTH_LOOK[health].tone : maintenance === undefined ? 'ok' : 'warn';
  const broken = conditions.find((one) => conditionLook(one).tone === 'bad' || one.status === 'Unknown');
  return (
    <section class={tone === 'ok' ? 'standing' : `card standing trouble ${tone}`} aria-label="State">
      <p class="headline standing-line">
        <Term of={health}>
          <HealthMark health={health} isJudged={view.isJudged} />
        </Term>
        <Since time={since} />
        {maintenance !== undefined && <WordMark word="Warning" text={maintenance.toLowerCase()} />}
        {view.deleting && <span class="chip bad">being deleted</span>}
      </p>
      {view.displayName !== undefined && <p>{shown(view.displayName)}</p>}
      <p class="standing-line">
        {version !== undefined && <span>Kubernetes {shown(version)}</span>}
        {sets.length === 0 ? (
          <span class="muted">{hasSets ? 'in no cluster set' : 'cluster sets not known'}</span>
        ) : (
          <span>
            <span class="muted">{sets.length === 1 ? 'set' : 'sets'}</span>{' '}
            <Names names={sets} linkOf={(set) => <SetLink name={set} />} />
          </span>
        )}
      </p>
      {broken !== undefined && broken.message !== '' && (
        <div class="advice">
          <p>{shown(broken.message)}</p>
          <Command words={['kubectl', 'describe', 'mcl', name]} />
        </div>
      )}
      {maintenance !== undefined && (
        <div class="advice">
          <p>No Placement newly selects it{maintenance === 'Draining' && ', and those that have it let it go'}.</p>
          <ActButton kind="uncordon" on={on} onPress={onAct} />
          <Command words={['kubectl', 'mce', 'uncordon', name]} />
        </div>
      )}
      {taints.length > 0 && (
        <ul class="taints" aria-label="Taints">
          {taints.map((one) => (
            <li key={`${one.key} ${one.effect}`}>
              <WordMark
                word="Tainted"
                text={`${shown(one.key)}${one.value === '' ? '' : `=${shown(one.value)}`}:${one.effect}`}
              />{' '}
              <Since time={one.since} />
            </li>
          ))}
        </ul>
      )}
      <LastEdit edits={edits} anchor="edits" />
    </section>
  );
}

function Details({ view, isAsked }: { readonly view: ClusterAnswer; readonly isAsked: boolean }): JSX.Element {
  return (
    <div class="columns">
      <section class="card">
        <h2>Labels</h2>
        <Pairs pairs={view.labels} empty="It has no labels." />
        <h2>Claims</h2>
        <Pairs pairs={view.claims} empty="It has reported no claims." />
      </section>
      <section class="card" id="edits" tabIndex={-1} ref={useArrival(isAsked)}>
        <h2>Conditions</h2>
        <Conditions list={view.conditions} />
        <Edits of="it" list={view.edits} />
      </section>
    </div>
  );
}
