import { timestamp } from '../../runtime/vocabulary/meta.js';
import { waitingTexts } from '../../domain/placement/report/holds.js';
import { absentText } from '../../domain/placement/explain/membership.js';
import { bestFix, fixFor, membershipFix, type MembershipFix } from '../../domain/placement/explain/fix.js';
import { hintText, predicateText, type PredicateExplanation } from '../../domain/placement/explain/predicates.js';
import type { SourcedRequirement } from '../../domain/placement/select/rules.js';
import { scoreExplainer, type ScoreExplanation } from '../../domain/placement/explain/scores.js';
import { summaryText, waitEnd } from '../../domain/placement/explain/causes.js';
import { matchedPredicate, type ClusterExplanation, type SpreadBlock } from '../../domain/placement/explain/verdict.js';
import { knownEnd } from '../../domain/placement/select/standing.js';
import type { Taint } from '../../domain/placement/spec/taint.js';
import { limitedTaints, limitedText, otherTaintText, timeText } from '../../domain/placement/explain/taints.js';
import type { LeavingEvent } from './events.js';
import { constraintFields, movementFields, otherTaintsOf, whyText, type ExplainReport } from './report.js';
import { proposalDocument, proposalsOf, proposalText } from './proposals.js';
import { CLI_API_VERSION } from '../output.js';
import { releasesField } from '../reasons.js';
import { keptOut, staying } from '../../domain/placement/select/decision.js';
import { merelyWaits, opensIn } from '../../domain/placement/select/holders.js';

/** The clusters that a document holds, and how many of the nearest. */
export interface DocumentOptions {
  readonly clusters: readonly ClusterExplanation[];
  readonly nearest: number;
  /** Undefined where none were looked for. */
  readonly events?: readonly LeavingEvent[] | undefined;
  /** Where there are change windows. */
  readonly timeZoneData?: string | undefined;
  /** What could not be read, besides the objects of the world. */
  readonly unread?: readonly { readonly resource: string; readonly verb: string; readonly status: number }[];
}

export type PlacementExplanation = ReturnType<typeof explanationDocument>;

/** The explanation as JSON, of kind PlacementExplanation (docs/reference/cli/placementexplanation.schema.json). */
export function explanationDocument(report: ExplainReport, options: DocumentOptions) {
  const { clusters, nearest, events, timeZoneData, unread = [] } = options;
  const { explanation, satisfaction, summary, predicates, world, releases } = report;
  const { namespace, name, rules } = explanation.placement;
  const { phase, ...satisfied } = satisfaction;
  const scoreOf = scoreExplainer(explanation);
  const proposals = proposalsOf(report);
  const fixes = proposals.flatMap((one) => (one.kind === 'Harmful' ? [] : [proposalDocument(one)]));
  const harmful = proposals.filter(({ kind }) => kind === 'Harmful').map((one) => proposalText(one));
  return {
    apiVersion: CLI_API_VERSION,
    kind: 'PlacementExplanation',
    metadata: { namespace, name },
    phase,
    ...(satisfied.status === '' ? {} : { satisfied }),
    ...(rules.problem === undefined ? {} : { problem: rules.problem }),
    ...(rules.wanted === undefined ? {} : { wanted: rules.wanted }),
    ...(explanation.decision === undefined ? {} : { summary: { ...summary, text: summaryText(summary) } }),
    clusterSets: {
      eligible: explanation.decision?.eligibility.eligible ?? [],
      unreadable: explanation.decision?.eligibility.unreadable ?? [],
      absent: report.absentSets.map((one) => ({ name: one.set, reason: one.why, message: absentText(one, namespace) })),
    },
    predicates: explanation.decision === undefined ? [] : predicates.map(predicateDocument),
    ...(report.absentKeys.length === 0 ? {} : { absentKeys: report.absentKeys }),
    ...(report.emptyGroups === undefined ? {} : { emptyGroups: report.emptyGroups }),
    clusters: clusters.map((one) => clusterDocument(one, report, scoreOf(one))),
    nearest: explanation.nearest.slice(0, nearest).map((one) => nearestDocument(one, report)),
    ...(fixes.length === 0 ? {} : { fixes }),
    ...(harmful.length === 0 ? {} : { harmful }),
    ...(events === undefined ? {} : { events }),
    ...releasesField(releases, explanation.placement),
    ...waitingField(report),
    ...(timeZoneData === undefined ? {} : { timeZoneData }),
    ...movementFields(report.movement()),
    withheld: [...world.withheld, ...unread],
  };
}

/** Field `waiting`; left out where nothing waits for a change window, or for the end of a pause. */
function waitingField({ explanation, input }: ExplainReport): object {
  const { decision } = explanation;
  const texts = decision === undefined ? [] : waitingTexts(input.snapshot, decision);
  if (decision === undefined || texts.length === 0) return {};
  const { fates } = decision;
  const opens = [...fates.of('held'), ...fates.of('keptOut')].flatMap(([, { by }]) => opensIn(by) ?? []);
  return {
    waiting: {
      until: waitEnd(explanation),
      ...(opens.length === 0 ? {} : { opens: timestamp(Math.min(...opens)) }),
      removals: staying(decision, merelyWaits).map(({ cluster }) => cluster),
      additions: [...keptOut(decision, merelyWaits)].sort(),
      message: texts.map(({ message }) => message).join('; '),
    },
  };
}

function predicateDocument(one: PredicateExplanation): object {
  const message = predicateText(one);
  return {
    index: one.index,
    matched: one.matched,
    requirements: one.requirements.map(({ met, ...requirement }) => ({ ...requirementFields(requirement), met })),
    ...(one.unmatched === undefined ? {} : { unmatched: { reason: one.unmatched.kind, message } }),
    hints: one.hints.map((hint) => {
      const { kind: reason, requirement, word, suggested, carriers, candidates } = hint;
      return { reason, path: requirement.path, word, suggested, carriers, candidates, message: hintText(hint) };
    }),
  };
}

function clusterDocument(one: ClusterExplanation, report: ExplainReport, score: ScoreExplanation | undefined) {
  const matched = matchedPredicate(one);
  return {
    name: one.name,
    clusterSets: one.sets,
    verdict: one.verdict,
    why: whyText(one, report),
    causes: one.causes,
    inDecision: one.inDecision,
    ...(one.rank === undefined ? {} : { rank: one.rank }),
    ...(matched === undefined ? {} : { predicate: matched }),
    ...pieceFields(one, report),
    ...fixField(one, membershipFix(one, report.input, report.isOffered), report),
    ...scoreFields(score),
    ...(one.blocked === undefined ? {} : { spread: spreadFields(one.blocked) }),
    ...taintFields(one, report),
    predicates: one.unmet.map((unmet, index) => ({
      index,
      unmet: unmet.map(({ found, ...requirement }) => ({
        ...requirementFields(requirement),
        ...(found === undefined ? {} : { found }),
      })),
      ...fixFields(one, index, report),
    })),
  };
}

function pieceFields({ name }: ClusterExplanation, { pieces }: ExplainReport): object {
  const piece = pieces.get(name);
  return piece === undefined ? {} : { group: piece.group, groupIndex: piece.index };
}

/** The score and its parts; none without a policy, and for a cluster that no rule lets in. */
function scoreFields(explained: ScoreExplanation | undefined) {
  if (explained === undefined) return {};
  const scores = explained.parts.map(({ prioritizer, coordinate, found, score, problem }) => ({
    configuration: prioritizer.index,
    coordinate,
    weight: prioritizer.weight,
    ...(found === undefined ? {} : { value: found }),
    score,
    ...(problem === undefined ? {} : { message: problem }),
  }));
  return { score: explained.score, scores };
}

function spreadFields({ constraint, domain, count, lowest }: SpreadBlock): object {
  const { minDomains } = constraint;
  return {
    ...constraintFields(constraint),
    ...(minDomains === undefined ? {} : { minDomains }),
    ...(domain === undefined ? {} : { domain, count }),
    lowest,
  };
}

/** The taints that keep the cluster out or limit how long it stays, and those of a selected one that do not make it leave. */
function taintFields(one: ClusterExplanation, { explanation }: ExplainReport): object {
  const { rules } = explanation.placement;
  const taints = limitedTaints(one, rules).map((each) => {
    const { taint, tolerance } = each;
    const until = timeText(knownEnd(each));
    return {
      ...fieldsOf(taint),
      ...(tolerance === undefined ? {} : { tolerationSeconds: tolerance.seconds, implied: tolerance.isImplied }),
      ...(until === undefined ? {} : { until }),
      message: limitedText(each, one),
    };
  });
  const otherTaints = otherTaintsOf(one, explanation).map((each) => ({
    ...fieldsOf(each.taint),
    ...(each.toleration === undefined ? {} : { toleration: each.toleration }),
    message: otherTaintText(each, one, rules),
  }));
  return { ...(taints.length === 0 ? {} : { taints }), ...(otherTaints.length === 0 ? {} : { otherTaints }) };
}

function fieldsOf({ key, value, effect, since }: Taint): object {
  const time = timeText(since);
  return { key, value, effect, ...(time === undefined ? {} : { since: time }) };
}

function fixFields(one: ClusterExplanation, index: number, report: ExplainReport): object {
  const fix = fixFor(one, index, report.input);
  if (fix?.kind === 'Leaves') return { wouldLeave: fix.sets };
  return report.isOffered(index) ? fixField(one, fix, report) : {};
}

/** Left out where another Placement would lose a cluster by it. */
function fixField(
  { name }: ClusterExplanation,
  fix: Pick<MembershipFix, 'labels' | 'command'> | undefined,
  { harm }: ExplainReport,
): object {
  return fix === undefined || harm.ofLabels(name, fix.labels) !== undefined ? {} : { fix: fix.command };
}

function nearestDocument(one: ClusterExplanation, report: ExplainReport): object {
  return {
    name: one.name,
    predicate: one.best ?? 0,
    unmet: one.unmet[one.best ?? 0]?.length ?? 0,
    ...fixField(one, bestFix(one, report.input, report.isOffered), report),
  };
}

function requirementFields({ source, requirement }: SourcedRequirement): object {
  const { path, key, operator, values } = requirement;
  return { path, source, key, operator, values };
}
