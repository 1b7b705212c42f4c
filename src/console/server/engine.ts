import { CLUSTER_SET_LABEL } from '../../api/names.js';
import { readEvents, type EventRow, type ReadEvents } from '../../answers/explain/events.js';
import { readClusterSelector } from '../../domain/clusters/selector.js';
import { problemText } from '../../domain/conditions.js';
import { absentText } from '../../domain/placement/explain/membership.js';
import { requirementText } from '../../domain/placement/explain/requirementtext.js';
import { bindingView, clusterSetOf, setView, whyIgnored } from '../../domain/placement/select/eligible.js';
import { field, recordsIn, textField } from '../../runtime/vocabulary/json.js';
import type { RawObject } from '../../runtime/vocabulary/meta.js';
import { byText } from '../../runtime/vocabulary/names.js';
import type { ReadClient } from '../../runtime/client/client.js';
import { ManagedClusters, ManagedClusterSets, MultiClusterEngines, Placements } from '../../api/resources.js';
import type { ClusterSetRow, EngineView, SetBinding } from '../wire/cluster.js';
import { counted, fleetClusters } from './fleet/fleet.js';
import { hubStatusOf } from './placements.js';
import { conditionsOf } from '../../answers/status.js';
import type { Snapshot } from './snapshot.js';

/** What the console shows of engines and their components, of cluster sets, and of events. */

export function engineAnswer(snapshot: Snapshot): EngineView {
  const { world } = snapshot;
  const objects = new Map(world.objects.multiclusterengines.map((one) => [one.metadata.name, one]));
  const engines = hubStatusOf(snapshot).engines.map(({ name, phase, version, message }) => {
    const { spec, status } = objects.get(name) ?? {};
    return {
      name,
      phase,
      version,
      message,
      paused: field(spec, 'paused') === true,
      conditions: conditionsOf(status),
      components: recordsIn(field(status, 'components')).map((one) => ({
        kind: textField(one, 'kind'),
        name: textField(one, 'name'),
        namespace: textField(one, 'namespace'),
        status: textField(one, 'status'),
        reason: textField(one, 'reason'),
        message: textField(one, 'message'),
      })),
    };
  });
  return { engines, sets: setRows(snapshot) };
}

function setRows(snapshot: Snapshot): readonly ClusterSetRow[] {
  return snapshot.once('setrows', () => {
    const members = counted(fleetClusters(snapshot).flatMap(({ sets }) => sets));
    return snapshot.world.objects.managedclustersets
      .map((set) => setRow(snapshot, set, members.get(set.metadata.name) ?? 0))
      .sort((a, b) => byText(a.name, b.name));
  });
}

function setRow({ world }: Snapshot, set: RawObject, clusters: number): ClusterSetRow {
  const { name, deleting } = setView(set);
  const bindings = world.objects.managedclustersetbindings
    .filter((one) => clusterSetOf(one) === name)
    .map((one): SetBinding => {
      const { namespace = '', name: binding } = one.metadata;
      const why = whyIgnored(bindingView(one), setView(set));
      const ignored = why && absentText({ set: binding, why }, namespace);
      return { namespace, name: binding, ...(ignored === undefined ? {} : { ignored }) };
    });
  return {
    name,
    selector: selectorText(set.spec),
    deleting,
    clusters,
    bindings: bindings.sort((a, b) => byText(a.namespace, b.namespace) || byText(a.name, b.name)),
  };
}

/** Undefined when there is no such set. */
export function setAnswer(snapshot: Snapshot, name: string): ClusterSetRow | undefined {
  return setRows(snapshot).find((one) => one.name === name);
}

/** By what the set selects clusters. */
function selectorText(spec: unknown): string {
  const selector = readClusterSelector(spec);
  switch (selector.kind) {
    case 'exclusive':
      return `the label ${CLUSTER_SET_LABEL}`;
    case 'labels': {
      const texts = selector.requirements.map((requirement) => requirementText({ source: 'label', requirement }));
      return texts.length === 0 ? 'a selector that selects every cluster' : texts.join(' and ');
    }
    case 'none':
      return 'nothing: it has no labelSelector';
    case 'unreadable':
      return `nothing: ${problemText(selector.problem)}`;
  }
}

/** The kinds whose events are shown. */
const KINDS = [MultiClusterEngines, Placements, ManagedClusters, ManagedClusterSets];

export interface EventRequest {
  /** Kind, namespace if it has one, and name of what the events are about; empty: all. */
  readonly about: readonly string[];
  /** What its texts contain, whatever the case; empty: anything. */
  readonly query: string;
  /** `Warning`; empty: all. */
  readonly type: string;
}

/** The events about objects of this product, the newest first. */
export async function newestEvents(
  client: Pick<ReadClient, 'list'>,
  namespace: string | undefined,
  { about, query, type }: EventRequest,
): Promise<ReadEvents> {
  const [kind, ...names] = about;
  const name = names.pop();
  const scope =
    kind === undefined
      ? { kinds: KINDS.map((one) => one.kind), namespace, name: undefined }
      : { kinds: [kind], namespace: names[0] ?? namespace, name };
  const { rows, withheld } = await readEvents(client, scope);
  const wanted = query.toLowerCase();
  const isWanted = (one: EventRow): boolean =>
    (type === '' || one.type === type) &&
    `${one.reason} ${one.kind} ${one.namespace}/${one.name} ${one.note}`.toLowerCase().includes(wanted);
  return { rows: rows.filter(isWanted), withheld };
}
