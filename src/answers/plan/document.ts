import type { ApartPlan } from './apart.js';
import type { PlacementPlan, PlacementState, PlannedRegroup } from './plan.js';
import { CLI_API_VERSION } from '../output.js';
import { limitsOf } from '../world/withheld.js';
import { isChange, type LossReport, type PlanReport } from './report.js';
import { apartText, excessText, totalText } from './text.js';

/** The plan as JSON, of kind PlacementPlan (docs/reference/cli/placementplan.schema.json). */
export function planDocument({ placements, apart, refusals, exceeded, totals, reading, loss }: PlanReport): object {
  return {
    apiVersion: CLI_API_VERSION,
    kind: 'PlacementPlan',
    summary: { ...totals, text: totalText(totals) },
    placements: placements
      .filter((one) => isChange(one) || one.kind === 'Unknown')
      .map((one) => placementDocument(one, apart?.get(one))),
    ...(apart === undefined ? { apartComputed: false } : {}),
    refusals: refusals.map(({ kind, name }) => ({ kind, name, reason: 'InUse' })),
    exceeded: exceeded.map((one) => ({ ...one, message: excessText(one) })),
    ...(loss === undefined ? {} : { loss: lossDocument(loss) }),
    ...limitsOf(reading),
  };
}

function lossDocument({ clusters, short, empty, onLast, unnoticed }: LossReport): object {
  return {
    clusters,
    short,
    empty,
    onLastCluster: onLast,
    ...(unnoticed.clusters.length === 0 ? {} : { unnoticed: unnoticed.clusters }),
    ...(unnoticed.isBraked && { braked: true }),
  };
}

function placementDocument(
  { namespace, name, kind, before, after, ...lists }: PlacementPlan,
  apart: ApartPlan | undefined,
): object {
  return {
    namespace,
    name,
    change: kind,
    ...(before === undefined ? {} : { before: stateDocument(before) }),
    ...(after === undefined ? {} : { after: stateDocument(after) }),
    add: lists.adds.map(({ predicate, ...rest }) => ({ ...rest, ...(predicate === undefined ? {} : { predicate }) })),
    remove: lists.removes,
    stay: lists.stays,
    held: lists.held,
    ...(lists.moves.length === 0 ? {} : { moves: lists.moves }),
    ...(lists.addLater.length === 0 ? {} : { addLater: lists.addLater }),
    ...(lists.hasMoreMoves ? { movesComputed: false } : {}),
    ...(lists.regrouped.length === 0 ? {} : { regroup: lists.regrouped.map(regroupDocument) }),
    ...(apart === undefined ? {} : { apart: apartDocument(apart) }),
  };
}

function regroupDocument({ name, from, to }: PlannedRegroup): object {
  return { name, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

function stateDocument({ phase, satisfied, clusters, rules, absentKeys, emptyGroups }: PlacementState): object {
  return {
    phase,
    satisfied,
    selected: clusters.length,
    ...(rules.wanted === undefined ? {} : { wanted: rules.wanted }),
    ...(rules.problem === undefined ? {} : { problem: rules.problem }),
    ...(absentKeys.length === 0 ? {} : { absentKeys }),
    ...(emptyGroups === undefined ? {} : { emptyGroups }),
  };
}

function apartDocument(apart: ApartPlan): object {
  const { leave, back, come, held } = apart;
  return { leave, back, come, held, message: apartText(apart) };
}
