import type { Authorizer } from '../../auth/authorizer.js';
import { optionalStructAt, textAt, textsAt } from '@multicluster-engine/values/fields';
import type { JsonObject } from '@multicluster-engine/values/json';
import type { KubeObject } from '@multicluster-engine/values/object';
import type { ObjectReader } from '../../registry/reader.js';
import type { Registry } from '../../resource.js';
import { forbidden, StatusError } from '../../status.js';
import type { Admission, AdmissionRequest } from '../admission.js';
import { nameFor } from '../namespacelifecycle.js';
import { compilePolicy, type CompiledPolicy } from './compile.js';
import { FAILURE, failureAnnotation, publish } from './auditing.js';
import { evaluatePolicy, type AuditAnnotation, type PolicyFailure, type PolicyResult } from './evaluate.js';
import { policyInput } from './input.js';
import { matchResources, matchedRequest, type Matched, type MatchedRequest, type MatchDeps } from './match.js';
import { collectParams, ConfigurationError, paramResource } from './params.js';

const POLICIES = 'validatingadmissionpolicies.admissionregistration.k8s.io';
const BINDINGS = 'validatingadmissionpolicybindings.admissionregistration.k8s.io';

export interface PolicyAdmission extends Admission {
  /** Ends the subscriptions to the store. */
  close(): void;
}

/** A cached policy, compiled on first use. */
interface CachedPolicy {
  readonly name: string;
  readonly spec: JsonObject;
  compiled: CompiledPolicy | undefined;
}

interface Binding {
  readonly name: string;
  readonly spec: JsonObject;
}

interface BoundPolicy {
  readonly policy: CachedPolicy;
  readonly bindings: readonly Binding[];
}

/** Reviews are not stored, and no policy applies to them, nor to policies. */
const EXEMPT: ReadonlySet<string> = new Set([
  'authentication.k8s.io',
  'authorization.k8s.io',
  'admissionregistration.k8s.io',
]);

/** Enforces every ValidatingAdmissionPolicy that has a binding, from the moment when both are durable. */
export function createPolicyAdmission(
  reader: ObjectReader,
  registry: () => Registry,
  authorizer: Authorizer,
): PolicyAdmission {
  const enforcer = new Enforcer(reader, registry, authorizer);
  return { validate: (request, warn) => enforcer.validate(request, warn), close: () => enforcer.close() };
}

/** A failure, with its policy and binding. */
interface Denial extends PolicyFailure {
  readonly policy: string;
  readonly binding: string | undefined;
}

interface Enforcement {
  readonly policy: CachedPolicy;
  readonly binding: Binding;
  readonly request: AdmissionRequest;
}

class Enforcer {
  private readonly reader: ObjectReader;
  private readonly world: MatchDeps;
  private readonly authorizer: Authorizer;
  private readonly policies = new Map<string, CachedPolicy>();
  private readonly bindings = new Map<string, Binding>();
  private readonly subscriptions: readonly { end(): void }[];
  /** What applies, by the names of policies, and for each by those of bindings; undefined after a change. */
  private bound: readonly BoundPolicy[] | undefined;

  constructor(reader: ObjectReader, registry: () => Registry, authorizer: Authorizer) {
    this.reader = reader;
    this.authorizer = authorizer;
    this.world = { registry, namespace: (name) => reader.get('namespaces', '', name) };
    this.subscriptions = [
      reader.watch(POLICIES, (object, type) => {
        keep(this.policies, object, type, (kept) => ({ ...kept, compiled: undefined }));
        this.bound = undefined;
      }),
      reader.watch(BINDINGS, (object, type) => {
        keep(this.bindings, object, type, (kept) => kept);
        this.bound = undefined;
      }),
    ];
  }

  close(): void {
    for (const subscription of this.subscriptions) subscription.end();
  }

  validate(request: AdmissionRequest, warn: (text: string) => void): void {
    if (this.bindings.size === 0 || EXEMPT.has(request.resource.group)) return;
    const seen = matchedRequest(request);
    const denials: Denial[] = [];
    this.bound ??= boundPolicies(this.policies, this.bindings);
    for (const { policy, bindings } of this.bound) denials.push(...this.evaluateBindings(policy, bindings, seen, warn));
    const [first] = denials;
    if (first !== undefined) throw refused(request, first);
  }

  private evaluateBindings(
    policy: CachedPolicy,
    bindings: readonly Binding[],
    seen: MatchedRequest,
    warn: (text: string) => void,
  ): Denial[] {
    const failure = (problem: string, binding: string | undefined): Denial[] => {
      const message = `failed to configure ${binding === undefined ? 'policy' : 'binding'}: ${problem}`;
      return textAt(policy.spec, 'failurePolicy') === 'Ignore'
        ? []
        : [{ policy: policy.name, binding, message, reason: undefined }];
    };
    const matched = attempt(() =>
      matchResources(optionalStructAt(policy.spec, 'matchConstraints') ?? {}, seen, this.world),
    );
    if (matched === undefined) return [];
    if (matched instanceof Error) return failure(matched.message, undefined);
    const params = attempt(() => paramResource(policy.spec, this.world.registry()));
    if (params instanceof Error) return failure(params.message, undefined);
    const annotations: AuditAnnotation[] = [];
    const denials = bindings.flatMap((binding) => {
      const found = attempt(() => {
        if (matchResources(optionalStructAt(binding.spec, 'matchResources') ?? {}, seen, this.world) === undefined)
          return [];
        return collectParams(params, binding.spec, seen.namespace, this.reader);
      });
      if (found instanceof Error) return failure(found.message, binding.name);
      return found.flatMap((param) => {
        const result = this.evaluate(policy, seen, matched, param);
        annotations.push(...result.annotations);
        return this.enforce({ policy, binding, request: seen.request }, result, warn);
      });
    });
    publish(policy.name, annotations, seen.request);
    return denials;
  }

  private evaluate(
    policy: CachedPolicy,
    seen: MatchedRequest,
    matched: Matched,
    params: KubeObject | undefined,
  ): PolicyResult {
    policy.compiled ??= compilePolicy(policy.spec);
    const { resource } = seen.request;
    const around = resource.group === '' && resource.plural === 'namespaces' ? '' : seen.namespace;
    const namespace = around === '' ? undefined : this.world.namespace(around);
    const input = policyInput({ seen, matched, params, namespace, authorizer: this.authorizer });
    return evaluatePolicy(policy.compiled, input, { ...input, namespaceObject: null });
  }

  /** Applies the actions of the binding to failures: deny, warn, audit. */
  private enforce(
    { policy, binding, request }: Enforcement,
    { failures, annotationErrors }: PolicyResult,
    warn: (text: string) => void,
  ): Denial[] {
    const actions = textsAt(binding.spec, 'validationActions');
    const denial = (failure: PolicyFailure): Denial => ({ ...failure, policy: policy.name, binding: binding.name });
    if (actions.includes('Warn')) {
      for (const { message } of failures)
        warn(
          `Validation failed for ValidatingAdmissionPolicy '${policy.name}' with binding '${binding.name}': ${message}`,
        );
    }
    if (actions.includes('Audit')) {
      for (const { message, at = 0 } of failures)
        request.annotate?.(
          FAILURE,
          failureAnnotation({
            message,
            policy: policy.name,
            binding: binding.name,
            expressionIndex: at,
            validationActions: actions,
          }),
        );
    }
    return [...(actions.includes('Deny') ? failures.map(denial) : []), ...annotationErrors.map(denial)];
  }
}

function keep<T>(
  kept: Map<string, T>,
  { metadata, spec }: KubeObject,
  type: 'put' | 'remove',
  make: (base: Binding) => T,
): void {
  const name = metadata.name ?? '';
  if (type === 'remove') kept.delete(name);
  else kept.set(name, make({ name, spec: optionalStructAt({ spec }, 'spec') ?? {} }));
}

/** The policies that have a binding. */
function boundPolicies(
  policies: ReadonlyMap<string, CachedPolicy>,
  bindings: ReadonlyMap<string, Binding>,
): readonly BoundPolicy[] {
  const all = byName(bindings);
  return byName(policies)
    .map((policy) => ({ policy, bindings: all.filter(({ spec }) => textAt(spec, 'policyName') === policy.name) }))
    .filter((one) => one.bindings.length > 0);
}

function byName<T extends { readonly name: string }>(kept: ReadonlyMap<string, T>): readonly T[] {
  return [...kept.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** Returns configuration errors as values. */
function attempt<T>(work: () => T): T | ConfigurationError | StatusError {
  try {
    return work();
  } catch (error) {
    if (error instanceof ConfigurationError || error instanceof StatusError) return error;
    throw error;
  }
}

const CODES: Readonly<Record<string, number>> = { Unauthorized: 401, Forbidden: 403, RequestEntityTooLarge: 413 };

/** The text says forbidden, whatever the reason. */
function refused(request: AdmissionRequest, { policy, binding, message, reason = 'Invalid' }: Denial): StatusError {
  const who = `ValidatingAdmissionPolicy '${policy}'${binding === undefined ? '' : ` with binding '${binding}'`}`;
  const why = `${who} denied request: ${message}`;
  const { message: whole, details } = forbidden(request.resource, nameFor(request), why);
  return new StatusError(CODES[reason] ?? 422, whole, { reason, details: { ...details, causes: [{ message: why }] } });
}
