import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ClusterSetRow, SetBinding } from '../../wire/cluster.js';
import { shown } from '../command.js';
import { hrefOf } from '../navigate.js';
import { FLEET, type RouteOf } from '../route.js';
import { useLoaded } from '../store.js';
import { Command } from '../parts/command.js';
import { ClusterTable } from '../objects/clustertable.js';
import { Count, Text, YamlLink } from '../parts/name.js';
import { PageHead } from '../parts/pagehead.js';
import { Table } from '../parts/table.js';
import { isAbsent, isWithheld, Show } from '../parts/states.js';

/** One cluster set: who is in it, and which namespaces may select from it. */

export function SetPage({ route: { name } }: { readonly route: RouteOf<'set'> }): JSX.Element {
  const loaded = useLoaded<ClusterSetRow>(`sets/${encodeURIComponent(name)}`);
  const [sort, setSort] = useState<string>(FLEET.sort);
  const q = `set:${name}`;
  const address = (after: number, limit: number): string =>
    `fleet?q=${encodeURIComponent(q)}&sort=${sort}&after=${after}&limit=${limit}`;
  const isUnread = isWithheld(loaded, 'managedclusters');
  return (
    <>
      <PageHead
        title={<Text of={name} />}
        commands={[
          ['kubectl', 'get', 'managedclustersets', name, '-o', 'yaml'],
          ['kubectl', 'get', 'managedclustersetbindings', '-A'],
        ]}
      >
        {!isAbsent(loaded) && (
          <a class="button" href={hrefOf({ ...FLEET, q, view: 'table' })}>
            In the fleet
          </a>
        )}
        {!isAbsent(loaded) && <YamlLink resource="managedclustersets" name={name} isButton />}
      </PageHead>
      <Show
        of={loaded}
        missing={['All cluster sets', { page: 'engine' }]}
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
            <section class="card">
              <h2>Members {!isUnread && <Count of={set.clusters} />}</h2>
              {isUnread ? (
                <p class="muted">Its members are not known.</p>
              ) : set.clusters === 0 ? (
                <p class="muted">No cluster is in it.</p>
              ) : (
                <ClusterTable total={set.clusters} address={address} sort={sort} onSort={setSort} of={loaded} />
              )}
            </section>
          </>
        )}
      </Show>
    </>
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
          <p>{isUnread ? 'Its bindings are not known.' : 'No namespace: no Placement can select from it.'}</p>
          {!isUnread && <Command words={['kubectl', 'mce', 'clusterset', 'bind', set, '-n', 'NAMESPACE']} />}
        </div>
      ) : (
        <Table
          label="Bindings"
          columns={{ Namespace: '', Binding: 'tight', 'What is wrong': 'rest' }}
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
