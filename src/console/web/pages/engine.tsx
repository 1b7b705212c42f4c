import type { JSX } from 'preact';
import type { ClusterSetRow, Component, Engine, EngineView } from '../../wire/cluster.js';
import { shown } from '../command.js';
import { hrefOf } from '../navigate.js';
import { useLoaded } from '../store.js';
import { Commands } from '../parts/command.js';
import { Conditions } from '../parts/conditions.js';
import { WordMark } from '../parts/icon.js';
import { Count, Text, YamlLink } from '../parts/name.js';
import { Empty, isWithheld, Show } from '../parts/states.js';

/** The engine with its components, and the cluster sets with their bindings. */

export function EnginePage(): JSX.Element {
  const loaded = useLoaded<EngineView>('engine');
  return (
    <>
      <header class="page-head">
        <h1>Engine</h1>
        <Commands
          list={[
            ['kubectl', 'get', 'mce', '-o', 'wide'],
            ['kubectl', 'mce', 'check'],
          ]}
        />
      </header>
      <Show of={loaded}>
        {({ engines, sets }) => (
          <>
            {engines.length === 0 && !isWithheld(loaded, 'multiclusterengines') && (
              <Empty
                title="There is no MultiClusterEngine."
                command={['kubectl', 'apply', '-f', 'examples/engine.yaml']}
              >
                <p>Placements are decided without one; the HTTPS interface needs it. The examples have one:</p>
              </Empty>
            )}
            {engines.map((one) => (
              <EngineCard key={one.name} engine={one} />
            ))}
            {!isWithheld(loaded, 'managedclustersets') && (
              <Sets sets={sets} isUnread={(plural) => isWithheld(loaded, plural)} />
            )}
          </>
        )}
      </Show>
    </>
  );
}

function EngineCard({ engine }: { readonly engine: Engine }): JSX.Element {
  const { name, phase, version, message, paused, components, conditions } = engine;
  return (
    <>
      <div class="standing">
        <p class="standing-line">
          <strong class="big">
            <Text of={name} />
          </strong>
          <WordMark word={phase} badge />
          {version !== '' && <span>version {shown(version)}</span>}
          <YamlLink resource="multiclusterengines" name={name} />
          {paused && <span class="chip warn">paused</span>}
        </p>
        {message !== '' && <p class={phase === 'Available' ? 'muted' : ''}>{shown(message)}</p>}
      </div>
      <div class="columns">
        <section class="card">
          <h2>Components</h2>
          {components.length === 0 ? <p class="muted">It has made none yet.</p> : <Components list={components} />}
        </section>
        <section class="card">
          <h2>Conditions</h2>
          <Conditions list={conditions} />
        </section>
      </div>
    </>
  );
}

/** What is not ready comes first, then what runs. */
function Components({ list }: { readonly list: readonly Component[] }): JSX.Element {
  const order = ({ status, kind }: Component): number => (status === 'True' ? 2 : 0) + (kind === 'Deployment' ? 0 : 1);
  const sorted = [...list].sort((a, b) => order(a) - order(b));
  return (
    <ul class="list">
      {sorted.map((one) => (
        <li key={`${one.kind} ${one.namespace} ${one.name}`}>
          <span class="kind">
            <WordMark word={one.status} text={one.kind} />
          </span>
          <span class="strong list-name">
            <Text of={one.namespace === '' ? one.name : `${one.namespace}/${one.name}`} />
          </span>
          {(one.status !== 'True' || one.reason === 'Disabled') && <p class="list-message">{shown(one.message)}</p>}
        </li>
      ))}
    </ul>
  );
}

interface SetsProps {
  readonly sets: readonly ClusterSetRow[];
  /** Whether it is not known what there is of a kind. */
  readonly isUnread: (plural: string) => boolean;
}

function Sets({ sets, isUnread }: SetsProps): JSX.Element {
  return (
    <section class="card">
      <h2>
        Cluster sets <Count of={sets.length} />
      </h2>
      {sets.length === 0 ? (
        <Empty title="There is no ManagedClusterSet." command={['kubectl', 'apply', '-f', 'examples/fleet.yaml']} />
      ) : (
        <ul class="list">
          {sets.map((one) => (
            <li key={one.name}>
              <a class="strong list-name" href={hrefOf({ page: 'set', name: one.name })}>
                <Text of={one.name} />
              </a>
              <span class="nowrap">
                {isUnread('managedclusters') ? (
                  <span class="muted">clusters not known</span>
                ) : (
                  <>
                    <Count of={one.clusters} /> <span class="muted">{one.clusters === 1 ? 'cluster' : 'clusters'}</span>
                  </>
                )}
              </span>
              <span class="muted">by {shown(one.selector)}</span>
              <span>
                {one.bindings.length === 0 ? (
                  <span class="muted">
                    {isUnread('managedclustersetbindings')
                      ? 'bindings not known'
                      : 'bound to no namespace: no Placement can select from it'}
                  </span>
                ) : (
                  <>
                    <span class="muted">bound to</span>{' '}
                    {one.bindings.map(({ namespace }) => shown(namespace)).join(', ')}
                  </>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
