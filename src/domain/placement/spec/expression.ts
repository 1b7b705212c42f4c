import {
  BOOL,
  Budget,
  CompileError,
  CostExceeded,
  EvaluationError,
  INT,
  STRING,
  baseFunctions,
  compile,
  jsonValue,
  listOf,
  mapOf,
  program,
  programProblem,
  struct,
  type CelType,
  type Declarations,
  type Program,
  type Value,
} from '@multicluster-engine/cel';
import { characters, field } from '../../../runtime/vocabulary/json.js';
import { isFactName } from '../../clusters/facts.js';
import {
  isList,
  quote,
  readList,
  readObject,
  readString,
  reject,
  type Problem,
  type Requirement,
} from '../../selectors.js';
import type { ClusterView } from './cluster.js';

/** Expressions of CEL on a cluster, with the libraries and the type check of Kubernetes' validation rules. */

const MOST_PREDICATES = 64;
const MOST_EXPRESSIONS = 8;
const LONGEST_EXPRESSION = 2_048;
/**
 * The highest cost for one cluster, and the most steps that the cost does not count. A hundredth of what Kubernetes allows a
 * rule: that is evaluated for the object of one request, an expression for each cluster of the hub.
 */
const HIGHEST_COST = 10_000;
const MOST_STEPS = 300_000;
/** Most expressions that {@link Expressions} keeps compiled. */
const MOST_COMPILED = 1_024;

const TEXTS = mapOf(STRING, STRING);
/** The types of the variable. Conditions and the times of Leases are left out: time alone must not change a result. */
const FIELDS: ReadonlyMap<string, ReadonlyMap<string, CelType>> = new Map(
  Object.entries({
    ManagedCluster: { metadata: struct('Metadata'), status: struct('Status') },
    Metadata: { name: STRING, labels: TEXTS, annotations: TEXTS },
    Status: {
      clusterClaims: listOf(struct('ClusterClaim')),
      version: struct('Version'),
      capacity: TEXTS,
      allocatable: TEXTS,
      nodes: struct('Nodes'),
    },
    ClusterClaim: { name: STRING, value: STRING },
    Version: { kubernetes: STRING },
    Nodes: { total: INT, ready: INT },
  }).map(([type, fields]) => [type, new Map<string, CelType>(Object.entries(fields))]),
);
const VARIABLE = 'managedCluster';

/** The requirement that an expression is true. Its key is the text. */
export interface ExpressionRequirement extends Requirement {
  readonly expression: Expression;
}

/** The expressions of a CEL selector inside a `parse`. */
export function readExpressions(
  value: unknown,
  path: string,
  expressions: Expressions,
): readonly ExpressionRequirement[] {
  const at = `${path}.celExpressions`;
  return readList(readObject(value, path)['celExpressions'], at, MOST_EXPRESSIONS).map((item, index) => {
    const place = `${at}[${index}]`;
    const text = readString(item, place);
    if (characters(text) > LONGEST_EXPRESSION)
      reject(place, `has ${characters(text)} characters: at most ${LONGEST_EXPRESSION} are allowed`);
    if (text.trim() === '') reject(place, `${quote(text)}: must be an expression`);
    const compiled = expressions.compile(text);
    if (compiled.kind === 'problem') return reject(place, compiled.message);
    return { path: place, key: text, operator: 'In', values: ['true'], expression: compiled.expression };
  });
}

/**
 * The first expression of an unchecked spec that does not compile. Everything else is left to who reads the spec: this is for
 * those that only pass it on, to an API server that cannot compile the expressions.
 */
export function expressionProblem(spec: unknown): Problem | undefined {
  for (const [index, predicate] of listIn(spec, 'predicates').slice(0, MOST_PREDICATES).entries()) {
    const selector = field(field(predicate, 'requiredClusterSelector'), 'celSelector');
    for (const [at, text] of listIn(selector, 'celExpressions').slice(0, MOST_EXPRESSIONS).entries()) {
      if (typeof text !== 'string' || characters(text) > LONGEST_EXPRESSION || text.trim() === '') continue;
      const compiled = compileText(text);
      const path = `spec.predicates[${index}].requiredClusterSelector.celSelector.celExpressions[${at}]`;
      if (compiled.kind === 'problem') return { field: path, message: compiled.message };
    }
  }
  return undefined;
}

function listIn(value: unknown, name: string): readonly unknown[] {
  const list = field(value, name);
  return isList(list) ? list : [];
}

class Expression {
  readonly #run: Program;
  readonly #variables: Variables;
  /** The last results: a change of a cluster is judged by its view before and after. */
  #recent: readonly (readonly [ClusterView, string])[] = [];

  constructor(run: Program, variables: Variables) {
    this.#run = run;
    this.#variables = variables;
  }

  /** What it says of a cluster: `true`, `false`, or `error: …` where it cannot be evaluated. */
  resultOf(cluster: ClusterView): string {
    const known = this.#recent.find(([view]) => view === cluster);
    if (known !== undefined) return known[1];
    const result = evaluate(this.#run, this.#variables.of(cluster));
    this.#recent = [[cluster, result], ...this.#recent.slice(0, 1)];
    return result;
  }
}

/** The variable of the last cluster: several expressions are evaluated for one. */
class Variables {
  #last: { readonly cluster: ClusterView; readonly variable: Value } | undefined;

  of(cluster: ClusterView): Value {
    if (this.#last?.cluster !== cluster) this.#last = { cluster, variable: jsonValue(variableOf(cluster)) };
    return this.#last.variable;
  }
}

type Problematic = { readonly kind: 'problem'; readonly message: string };
type Compiled = { readonly kind: 'expression'; readonly expression: Expression } | Problematic;

/**
 * The compiled expressions by their text: many Placements, and every generation of each, have the same ones. Whoever compiles
 * specs has one of these, for as long as its specs are of use.
 */
export class Expressions {
  readonly #variables = new Variables();
  readonly #compiled = new Map<string, Compiled>();

  compile(text: string): Compiled {
    const known = this.#compiled.get(text);
    if (known !== undefined) return known;
    const read = compileText(text);
    const compiled: Compiled =
      read.kind === 'problem' ? read : { kind: 'expression', expression: new Expression(read.run, this.#variables) };
    const [oldest] = this.#compiled.keys();
    if (this.#compiled.size >= MOST_COMPILED && oldest !== undefined) this.#compiled.delete(oldest);
    this.#compiled.set(text, compiled);
    return compiled;
  }
}

function compileText(text: string): { readonly kind: 'program'; readonly run: Program } | Problematic {
  const declarations: Declarations = {
    functions: baseFunctions(),
    variables: new Map([[VARIABLE, struct('ManagedCluster')]]),
    fields: (type) => FIELDS.get(type),
  };
  try {
    const checked = compile(text, declarations);
    if (checked.type.kind !== BOOL.kind)
      return { kind: 'problem', message: `must evaluate to a bool, and evaluates to ${checked.type.text}` };
    const message = programProblem(checked, declarations.functions);
    if (message !== undefined) return { kind: 'problem', message };
    return { kind: 'program', run: program(checked, declarations.functions) };
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    return { kind: 'problem', message: compileMessage(error, text) };
  }
}

/** The first problem in the text, and where it is. */
function compileMessage({ problems, message }: CompileError, text: string): string {
  const first = [...problems].sort((a, b) => a.at - b.at)[0];
  if (first === undefined) return message;
  const what = first.message.replace(" (in container '')", '');
  if (first.at < 0) return what;
  const lines = text.slice(0, first.at).split('\n');
  const column = `column ${Array.from(lines.at(-1) ?? '').length + 1}`;
  return text.includes('\n') ? `${what} (line ${lines.length}, ${column})` : `${what} (${column})`;
}

function evaluate(run: Program, variable: Value): string {
  try {
    const budget = new Budget({ left: MOST_STEPS }, HIGHEST_COST);
    return run((name) => (name === VARIABLE ? variable : undefined), budget) === true ? 'true' : 'false';
  } catch (error) {
    if (error instanceof CostExceeded) return `error: the cost is above the limit of ${HIGHEST_COST}`;
    if (error instanceof EvaluationError) return `error: ${error.message}`;
    throw error;
  }
}

/** What the variable is. What the agent has not reported is absent, but for the maps and the list, which are empty. */
function variableOf({ name, labels, annotations = {}, claims }: ClusterView) {
  const clusterClaims: { readonly name: string; readonly value: string }[] = [];
  const capacity: Record<string, string> = Object.create(null);
  const allocatable: Record<string, string> = Object.create(null);
  const version: { kubernetes?: string } = {};
  const nodes: Record<string, number> = {};
  for (const claim of Object.keys(claims)) {
    const value = claims[claim] ?? '';
    if (!isFactName(claim)) clusterClaims.push({ name: claim, value });
    else if (claim === 'kubernetes-version') version.kubernetes = value;
    else if (claim.startsWith('nodes/')) nodes[claim.slice('nodes/'.length)] = Number(value);
    else if (claim.startsWith('capacity/')) capacity[claim.slice('capacity/'.length)] = value;
    else if (claim.startsWith('allocatable/')) allocatable[claim.slice('allocatable/'.length)] = value;
  }
  return {
    metadata: { name, labels, annotations },
    status: { clusterClaims, version, capacity, allocatable, nodes },
  };
}
