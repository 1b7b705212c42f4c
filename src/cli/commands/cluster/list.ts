import type { RawObject } from '../../../runtime/vocabulary/meta.js';
import { AVAILABLE_CONDITION, JOINED_CONDITION } from '../../../api/clusterreasons.js';
import { asRecord, field, textField } from '../../../runtime/vocabulary/json.js';
import { CLUSTER_SET_LABEL } from '../../../api/names.js';
import { ManagedClusters } from '../../../api/resources.js';
import { taintsOf } from '../../../domain/clusters/maintenance.js';
import { conditionIn } from '../../../domain/conditions.js';
import {
  CLI_API_VERSION,
  resourceName,
  shownAnswer,
  type ShownOptions,
  table,
  type Cell,
  type Color,
} from '../../../answers/output.js';

/** One cluster of the list; undefined: the field is not set. */
type Row = ReturnType<typeof rowOf>;

const COLORS: Readonly<Record<string, Color>> = { True: 'green', False: 'red', Unknown: 'yellow' };

/** The output of `cluster list`; sorted by name. */
export function listClusters(clusters: readonly RawObject[], options: ShownOptions): string {
  const rows = clusters.map(rowOf).sort((a, b) => (a.name < b.name ? -1 : 1));
  const list = { apiVersion: CLI_API_VERSION, kind: 'ClusterList', clusters: rows };
  return shownAnswer(list, options, {
    lines: ({ wide, colored }) => (rows.length === 0 ? ['there is no ManagedCluster'] : textOf(rows, wide, colored)),
    names: () => rows.map(({ name }) => resourceName(ManagedClusters, name)),
  });
}

function rowOf({ metadata: { name, labels }, spec, status }: RawObject) {
  const accepted = field(spec, 'hubAcceptsClient');
  const kubernetes = textField(field(status, 'version'), 'kubernetes');
  return {
    name,
    set: labels?.[CLUSTER_SET_LABEL],
    /** Undefined: no agent is expected. */
    accepted: typeof accepted === 'boolean' ? accepted : undefined,
    joined: conditionOf(status, JOINED_CONDITION),
    available: conditionOf(status, AVAILABLE_CONDITION),
    taints: taintsOf(asRecord(spec)).map((one) => `${textField(one, 'key')}:${textField(one, 'effect')}`),
    kubernetes: kubernetes === '' ? undefined : kubernetes,
  };
}

function conditionOf(status: unknown, type: string) {
  const found = conditionIn(status, type);
  if (found === undefined) return undefined;
  return {
    status: textField(found, 'status'),
    reason: textField(found, 'reason'),
    message: textField(found, 'message'),
  };
}

function textOf(rows: readonly Row[], wide: boolean, colored: boolean): readonly string[] {
  const titles = ['NAME', 'SET', 'ACCEPTED', 'JOINED', 'AVAILABLE', 'KUBERNETES', 'TAINTS', ...(wide ? ['WHY'] : [])];
  return table([titles, ...rows.map((row) => cellsOf(row, wide))], colored);
}

function cellsOf(row: Row, wide: boolean): readonly Cell[] {
  const { name, set = '-', accepted, joined, available, kubernetes = '-', taints } = row;
  const why = [joined, available].find((one) => one !== undefined && one.status !== 'True')?.message ?? '-';
  return [
    name,
    set,
    accepted === undefined ? '-' : accepted ? 'True' : 'False',
    statusCell(joined),
    statusCell(available),
    kubernetes,
    taints.length === 0 ? '-' : taints.join(','),
    ...(wide ? [why] : []),
  ];
}

function statusCell(condition: Row['joined']): Cell {
  return condition === undefined ? '-' : { text: condition.status, color: COLORS[condition.status] };
}
