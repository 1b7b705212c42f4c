import type { JSX } from 'preact';
import type { ClusterSetMembers, SetBinding, SetMember } from '../../wire/cluster.js';
import { shown } from '../command.js';
import { hrefOf } from '../navigate.js';
import { FLEET, type Route } from '../route.js';
import { useLoaded } from '../store.js';
import { Command, Commands } from '../parts/command.js';
import { HealthMark } from '../parts/icon.js';
import { ClusterLink, Count, Since, Text, YamlLink } from '../parts/name.js';
import { BLOCK, Rows } from '../parts/rows.js';
import { quoted } from '../parts/search.js';
import { Table } from '../parts/table.js';
import { Empty, isAbsent, isWithheld, Show } from '../parts/states.js';

/** One cluster set: who is in it, and which namespaces may select from it. */

export function SetPage({ route: { name } }: { readonly route: Extract<Route, { page: 'set' }> }): JSX.Element {
  const address = (after: number, limit: number): string =>
    `sets/${encodeURIComponent(name)}?after=${after}&limit=${limit}`;
  const loaded = useLoaded<ClusterSetMembers>(address(0, BLOCK));
  const q = `set:${quoted(name)}`;
  return (
    <>
      <header class="page-head">
        <h1>
          <Text of={name} />
        </h1>
        <div class="actions">
          {!isAbsent(loaded) && (
            <a class="button" href={hrefOf({ ...FLEET, q, view: 'table' })}>
              In the fleet
            </a>
          )}
          <YamlLink resource="managedclustersets" name={name} isButton />
          <Commands
            list={[
              ['kubectl', 'get', 'managedclustersets', name, '-o', 'yaml'],
              ['kubectl', 'get', 'managedclustersetbindings', '-A'],
            ]}
          />
        </div>
      </header>
      <Show
        of={loaded}
        missing={<Missing name={name} />}
        right={['kubectl', 'auth', 'can-i', 'list', 'managedclustersets']}
      >
        {(set) => (
          <>
            {set.deleting && (
              <section class="card trouble bad" aria-label="State">
                <p class="headline">It is being deleted: no Placement newly selects from it.</p>
              </section>
            )}
            <p class="standing muted">Its clusters are chosen by {shown(set.selector)}.</p>
            <Bindings set={name} list={set.bindings} isUnread={isWithheld(loaded, 'managedclustersetbindings')} />
            <Members set={set} address={address} isUnread={isWithheld(loaded, 'managedclusters')} />
          </>
        )}
      </Show>
    </>
  );
}

function Missing({ name }: { readonly name: string }): JSX.Element {
  return (
    <Empty
      title={`There is no cluster set ${shown(name)}.`}
      command={['kubectl', 'apply', '-f', 'examples/fleet.yaml']}
    >
      <p>It may have been deleted. The examples have sets:</p>
    </Empty>
  );
}

interface BindingsProps {
  readonly set: string;
  readonly list: readonly SetBinding[];
  /** Whether it is not known which there are. */
  readonly isUnread: boolean;
}

function Bindings({ set, list, isUnread }: BindingsProps): JSX.Element {
  const troubled = [...list].sort((a, b) => Number(a.ignored === undefined) - Number(b.ignored === undefined));
  return (
    <section class="card">
      <h2>Bound to</h2>
      {list.length === 0 ? (
        <div class="advice">
          <p>
            {isUnread
              ? 'Its bindings are not known with your rights.'
              : 'No namespace: no Placement can select from it.'}
          </p>
          {!isUnread && <Command words={['kubectl', 'mce', 'clusterset', 'bind', set, '-n', 'NAMESPACE']} />}
        </div>
      ) : (
        <Table
          label="Bindings"
          columns={[['Namespace'], ['Binding', 'tight'], ['What is wrong', 'rest']]}
          rows={troubled.map(({ namespace, name, ignored }) => [
            `${namespace}/${name}`,
            <a href={hrefOf({ page: 'placements', q: `${namespace}/`, phase: '' })}>
              <Text of={namespace} />
            </a>,
            <>
              <Text of={name} /> <YamlLink resource="managedclustersetbindings" namespace={namespace} name={name} />
            </>,
            ignored !== undefined && `No Placement selects by it: ${shown(ignored)}`,
          ])}
        />
      )}
    </section>
  );
}

interface MembersProps {
  readonly set: ClusterSetMembers;
  readonly address: (after: number, limit: number) => string;
  readonly isUnread: boolean;
}

function Members({ set, address, isUnread }: MembersProps): JSX.Element {
  const { clusters } = set;
  return (
    <section class="card">
      <h2>Members {!isUnread && <Count of={clusters} />}</h2>
      {isUnread ? (
        <p class="muted">Its members are not known with your rights.</p>
      ) : clusters === 0 ? (
        <p class="muted">No cluster is in it.</p>
      ) : (
        <Rows<SetMember>
          label="Members"
          class="set-grid"
          total={clusters}
          rowHeight={40}
          pathOf={address}
          rowsIn={(data) => (data as ClusterSetMembers).rows}
          head={['Cluster', 'Health'].map((title) => (
            <span key={title} role="columnheader">
              {title}
            </span>
          ))}
          row={(one) => (
            <>
              <span role="cell" class="strong">
                <ClusterLink name={one.name} />
              </span>
              <span role="cell">
                <HealthMark health={one.health} isJudged={one.isJudged} />{' '}
                <Since time={one.health === 'available' ? undefined : one.since} />
              </span>
            </>
          )}
        />
      )}
    </section>
  );
}
