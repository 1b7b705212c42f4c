import type { JSX } from 'preact';
import type { ClusterAction } from '../../../answers/actions/action.js';
import type { ClusterAnswer } from '../../../answers/cluster.js';
import type { DrainedPlacement } from '../../../answers/drain.js';
import { shown } from '../command.js';
import { amend, hrefOf } from '../navigate.js';
import type { Route } from '../route.js';
import { useLoaded } from '../store.js';
import { ActButton, ActPanel } from '../parts/action.js';
import { Commands } from '../parts/command.js';
import { Conditions, Pairs } from '../parts/conditions.js';
import { HealthMark, WordMark } from '../parts/icon.js';
import { PlacementLink, Since, Text, YamlLink } from '../parts/name.js';
import { Empty, isAbsent, isWithheld, Loading, Problem, Show } from '../parts/states.js';

/** One cluster: how it is, who selects it, and what its drain would do. */

export function ClusterPage({ route }: { readonly route: Extract<Route, { page: 'cluster' }> }): JSX.Element {
  const { name, act } = route;
  const loaded = useLoaded<ClusterAnswer>(`clusters/${encodeURIComponent(name)}`);
  return (
    <>
      <header class="page-head">
        <h1>
          <Text of={name} />
        </h1>
        <div class="actions">
          {!isAbsent(loaded) && (
            <>
              {loaded.data !== undefined &&
                actionsOf(loaded.data).map((kind) => (
                  <ActButton key={kind} kind={kind} on={act} onPress={(to) => amend({ ...route, act: to })} />
                ))}
              <a class="button" href={hrefOf({ page: 'whatif', begin: `labels:${name}` })}>
                What if
              </a>
            </>
          )}
          <a class="button" href={hrefOf({ page: 'events', about: `ManagedCluster/${name}`, q: '', type: '' })}>
            Events
          </a>
          <YamlLink resource="managedclusters" name={name} isButton />
          <Commands
            list={[
              ['kubectl', 'mce', 'who-selects', name],
              ['kubectl', 'mce', 'drain', name, '--dry-run'],
              ['kubectl', 'get', 'mcl', name, '-o', 'yaml'],
            ]}
          />
        </div>
      </header>
      <Show
        of={loaded}
        missing={<Missing name={name} />}
        right={['kubectl', 'auth', 'can-i', 'list', 'managedclusters']}
      >
        {(view) => (
          <>
            <Standing view={view} hasSets={!isWithheld(loaded, 'managedclustersets')} />
            {isAct(act) && (
              <ActPanel
                key={act}
                action={{ kind: act, namespace: '', name }}
                onClose={() => amend({ ...route, act: '' })}
              >
                {act === 'drain' && <Drain name={name} />}
              </ActPanel>
            )}
            {isWithheld(loaded, ...DECIDING) ? <NotKnown /> : <SelectedBy view={view} />}
            <Details view={view} />
          </>
        )}
      </Show>
    </>
  );
}

const ACTS: readonly string[] = ['cordon', 'drain', 'uncordon'] satisfies readonly ClusterAction[];

function isAct(text: string): text is ClusterAction {
  return ACTS.includes(text);
}

function actionsOf({ maintenance }: ClusterAnswer): readonly ClusterAction[] {
  if (maintenance === undefined) return ['cordon', 'drain'];
  return maintenance === 'Draining' ? ['uncordon'] : ['uncordon', 'drain'];
}

/** Without these nobody knows which decisions name a cluster. */
const DECIDING = ['placements', 'placementdecisions'];

/** Nothing that is read says that no decision names it. */
function NotKnown(): JSX.Element {
  return (
    <section class="card">
      <h2>Selected by</h2>
      <p>Which decisions name it is not known with your rights.</p>
    </section>
  );
}

function Missing({ name }: { readonly name: string }): JSX.Element {
  return (
    <Empty title={`There is no cluster ${shown(name)}.`} command={['kubectl', 'mce', 'cluster', 'add', name]}>
      <p>It may have been deleted. This command prints what lets a cluster of this name join:</p>
    </Empty>
  );
}

function Standing({ view, hasSets }: { readonly view: ClusterAnswer; readonly hasSets: boolean }): JSX.Element {
  const { health, since, version, sets, maintenance, taints } = view;
  return (
    <div class="standing">
      <p class="standing-line">
        <span class="big">
          <HealthMark health={health} isJudged={view.isJudged} />
        </span>
        <Since time={since} />
        {version !== undefined && <span>Kubernetes {shown(version)}</span>}
        <span>
          {sets.length === 0 ? (
            <span class="muted">{hasSets ? 'in no cluster set' : 'cluster sets not known'}</span>
          ) : (
            <>
              <span class="muted">{sets.length === 1 ? 'set' : 'sets'}</span> {sets.map(shown).join(', ')}
            </>
          )}
        </span>
        {maintenance !== undefined && <span class="chip warn">{maintenance}</span>}
        {view.deleting && <span class="chip bad">being deleted</span>}
      </p>
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
    </div>
  );
}

function SelectedBy({ view }: { readonly view: ClusterAnswer }): JSX.Element {
  const { selectedBy, matchedBy, missedBy, placements } = view;
  return (
    <section class="card">
      <h2>
        Selected by {selectedBy.length} of {placements} {placements === 1 ? 'Placement' : 'Placements'} that you may
        read
      </h2>
      {selectedBy.length === 0 ? (
        <p class="muted">No decision names it.</p>
      ) : (
        <ul class="list">
          {selectedBy.map((one) => (
            <li key={`${one.namespace}/${one.placement}`}>
              <span class="strong list-name">
                <PlacementLink namespace={one.namespace} name={one.placement} />
              </span>
              <WordMark word={one.verdict ?? 'Unknown'} badge />
              <Rank of={one.rank} />
              <span>{shown(one.why)}</span>
              <span class="muted">if it goes: {shown(one.instead)}</span>
            </li>
          ))}
        </ul>
      )}
      <Candidacies title={`Matches ${matchedBy.length} more`} list={matchedBy} />
      <Candidacies title={`Lacks one requirement of ${missedBy.length}`} list={missedBy} />
    </section>
  );
}

interface CandidaciesProps {
  readonly title: string;
  readonly list: ClusterAnswer['matchedBy'];
}

function Candidacies({ title, list }: CandidaciesProps): JSX.Element | null {
  if (list.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="list">
        {list.map((one) => (
          <li key={`${one.namespace}/${one.placement}`}>
            <span class="strong list-name">
              <PlacementLink namespace={one.namespace} name={one.placement} />
            </span>
            {one.verdict === 'Selected' ? (
              <WordMark word="Changed" text="selected, not published yet" badge />
            ) : (
              <WordMark word={one.verdict} badge />
            )}
            <Rank of={one.rank} />
            <span>{shown(one.why)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** In the order of the Placement, of all clusters that it could select. */
function Rank({ of: rank }: { readonly of: number | undefined }): JSX.Element | null {
  return rank === undefined ? null : <span class="nowrap">rank {rank.toLocaleString('en-US')}</span>;
}

const EFFECTS: Readonly<Record<DrainedPlacement['kind'], string>> = {
  Replaced: 'True',
  Leaves: 'Tainted',
  Tolerated: 'NotNeeded',
  Held: 'Held',
  Waits: 'Waiting',
  Misconfigured: 'Misconfigured',
  Unknown: 'Unknown',
};

/** What every decision that names the cluster does when it is drained. */
function Drain({ name }: { readonly name: string }): JSX.Element {
  const loaded = useLoaded<{ readonly rows: readonly DrainedPlacement[] }>(
    `clusters/${encodeURIComponent(name)}/drain`,
  );
  const { data, error } = loaded;
  const isKnown = !isWithheld(loaded, ...DECIDING);
  return (
    <>
      {error !== undefined && <Problem status={error} />}
      {data === undefined && error === undefined && <Loading rows={2} />}
      {data !== undefined && !isKnown && <p>Which decisions it would change is not known with your rights.</p>}
      {data !== undefined && isKnown && data.rows.length === 0 && <p>No decision changes by it.</p>}
      {data !== undefined && isKnown && data.rows.length > 0 && (
        <ul class="list">
          {data.rows.map((one) => (
            <li key={`${one.namespace}/${one.name}`}>
              <span class="strong list-name">
                <PlacementLink namespace={one.namespace} name={one.name} />
              </span>
              <WordMark word={EFFECTS[one.kind]} text={shown(one.text)} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Details({ view }: { readonly view: ClusterAnswer }): JSX.Element {
  return (
    <div class="columns">
      <section class="card">
        <h2>Labels</h2>
        <Pairs pairs={view.labels} empty="It has no labels." />
        <h2>Claims</h2>
        <Pairs pairs={view.claims} empty="It has reported no claims." />
      </section>
      <section class="card">
        <h2>Conditions</h2>
        <Conditions list={view.conditions} />
      </section>
    </div>
  );
}
