import type { JSX } from 'preact';
import type { ClusterSetRow, Component, Engine, EngineView } from '../../wire/cluster.js';
import { shown } from '../command.js';
import { useLoaded } from '../store.js';
import { Command } from '../parts/command.js';
import { Conditions } from '../parts/conditions.js';
import { toneOf, WordMark } from '../parts/icon.js';
import { Count, SetLink, Text, YamlLink } from '../parts/name.js';
import { PageHead } from '../parts/pagehead.js';
import { Table } from '../parts/table.js';
import { Empty, isWithheld, Show, type Unread } from '../parts/states.js';

/** The engine with its components, and the cluster sets with their bindings. */

export function EnginePage(): JSX.Element {
  const loaded = useLoaded<EngineView>('engine');
  return (
    <>
      <PageHead
        title="Engine"
        commands={[
          ['kubectl', 'get', 'mce', '-o', 'wide'],
          ['kubectl', 'mce', 'check'],
        ]}
      />
      <Show of={loaded}>
        {({ engines, sets }) => (
          <>
            {engines.length === 0 && !isWithheld(loaded, 'multiclusterengines') && (
              <Empty
                title="There is no MultiClusterEngine."
                command={['kubectl', 'apply', '-f', 'examples/engine.yaml']}
              >
                <p>No component runs without one, so nothing is decided. The examples have one:</p>
              </Empty>
            )}
            {engines.map((one) => (
              <EngineCard key={one.name} engine={one} />
            ))}
            {!isWithheld(loaded, 'managedclustersets') && <Sets sets={sets} of={loaded} />}
          </>
        )}
      </Show>
    </>
  );
}

function EngineCard({ engine }: { readonly engine: Engine }): JSX.Element {
  const { name, phase, version, message, paused, components, conditions } = engine;
  const usual = toneOf(phase);
  const tone = usual === 'ok' && paused ? 'info' : usual;
  return (
    <>
      <section class={tone === 'ok' ? 'standing' : `card standing trouble ${tone}`} aria-label="State">
        <p class="headline standing-line">
          <Text of={name} />
          <WordMark word={phase} tone={tone} />
          {paused && <WordMark word="Paused" />}
          {version !== '' && <span class="muted">version {shown(version)}</span>}
          <YamlLink resource="multiclusterengines" name={name} />
        </p>
        {message !== '' && <p class={tone === 'ok' ? 'muted' : ''}>{shown(message)}</p>}
        {paused && (
          <div class="advice">
            <p>While spec.paused is true, nothing of it is installed, changed or repaired.</p>
            <Command words={['kubectl', 'patch', 'mce', name, '--type=merge', '-p', '{"spec":{"paused":false}}']} />
          </div>
        )}
      </section>
      <section class="card">
        <h2>Components</h2>
        {components.length === 0 ? <p class="muted">It has made none yet.</p> : <Components list={components} />}
      </section>
      <section class="card">
        <h2>Conditions</h2>
        <Conditions list={conditions} />
      </section>
    </>
  );
}

/** What is not ready comes first, with the command that says more; then the Deployments that run. */
function Components({ list }: { readonly list: readonly Component[] }): JSX.Element {
  const isPlumbing = ({ status, kind }: Component): boolean => status === 'True' && kind !== 'Deployment';
  const rest = list.filter(isPlumbing);
  const first = list.filter((one) => !isPlumbing(one));
  return (
    <>
      <ComponentTable list={first.sort((a, b) => Number(a.status === 'True') - Number(b.status === 'True'))} />
      {rest.length > 0 && (
        <details>
          <summary>{rest.length} other objects of them, all ready</summary>
          <ComponentTable list={rest} />
        </details>
      )}
    </>
  );
}

function ComponentTable({ list }: { readonly list: readonly Component[] }): JSX.Element {
  return (
    <Table
      label="Components"
      columns={{ Component: 'tight', Kind: 'tight', State: 'rest' }}
      rows={list.map(({ kind, namespace, name, status, reason, message }) => [
        `${kind} ${namespace} ${name}`,
        <Text of={namespace === '' ? name : `${namespace}/${name}`} />,
        kind,
        <>
          <WordMark
            word={reason === 'Disabled' ? 'Off' : status}
            text={reason === 'Disabled' ? 'off' : status === 'True' ? 'ready' : 'not ready'}
          />{' '}
          {(status !== 'True' || reason === 'Disabled') && shown(message)}
          {status !== 'True' && (
            <Command
              words={['kubectl', 'describe', kind.toLowerCase(), name, ...(namespace === '' ? [] : ['-n', namespace])]}
            />
          )}
        </>,
      ])}
    />
  );
}

function Sets({ sets, of }: { readonly sets: readonly ClusterSetRow[]; readonly of: Unread }): JSX.Element {
  return (
    <section class="card">
      <h2>
        Cluster sets <Count of={sets.length} />
      </h2>
      {sets.length === 0 ? (
        <Empty title="There is no ManagedClusterSet." command={['kubectl', 'apply', '-f', 'examples/fleet.yaml']} />
      ) : (
        <Table
          label="Cluster sets"
          columns={{ Set: '', Clusters: 'number', 'Its clusters are chosen by': '', 'Bound to': '' }}
          rows={sets.map(({ name, clusters, selector, bindings }) => [
            name,
            <SetLink name={name} />,
            isWithheld(of, 'managedclusters') ? <span class="muted">not known</span> : <Count of={clusters} />,
            shown(selector),
            bindings.length > 0
              ? bindings.map(({ namespace }) => shown(namespace)).join(', ')
              : isWithheld(of, 'managedclustersetbindings')
                ? 'not known'
                : 'no namespace: no Placement can select from it',
          ])}
        />
      )}
    </section>
  );
}
