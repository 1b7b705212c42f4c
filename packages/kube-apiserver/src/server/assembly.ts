import { randomUUID } from 'node:crypto';

import { createChain, guard } from '../admission/chain.js';
import { definitionLifecycle } from '../admission/definition.js';
import { createNamespaceLifecycle } from '../admission/namespacelifecycle.js';
import { nodeTaint } from '../admission/nodetaint.js';
import { createPolicyAdmission, validateBinding, validatePolicy } from '../admission/policy.js';
import { createParamRights } from '../admission/policy/paramrights.js';
import { type Authenticator, createAuthenticator, staticTokens, type StaticToken } from '../auth/authenticator.js';
import { createEscalationCheck } from '../admission/escalation.js';
import { toJwk, type SigningKey } from '../auth/tokens/jwt.js';
import { legacyTokens } from '../auth/tokens/legacytokens.js';
import { createAuthorizer, createRuleResolver } from '../auth/rbac/rbac.js';
import { createReviews } from '../auth/reviews/reviews.js';
import { requestToken } from '../verbs/tokenrequest.js';
import { accountTokens, ISSUER } from '../auth/tokens/accounttokens.js';
import { checkRules, compileRules, runDefaultRules } from '@multicluster-engine/cel/rules';
import type { AuditLog } from '../http/audit.js';
import { createDocuments } from '../http/documents.js';
import { createTableMaker } from '../http/response/lists.js';
import { createPaths, serverVersion } from '../http/paths.js';
import { createConnect } from '../http/pods/connect.js';
import { eviction } from '../http/pods/eviction.js';
import { decodeProtobuf } from '../http/protobuf/body.js';
import { createRouter, type Router } from '../http/router.js';
import type { PodLogs } from '../podlogs.js';
import { builtinResources } from '../registry/builtins/index.js';
import { startDefinitionController } from '../controllers/customresourcedefinitions.js';
import { createReader, type ObjectReader } from '../registry/reader.js';
import { createRegistry, type ServedRegistry } from '../registry/registry.js';
import { createDefinitionRules } from '../schema/crd/definition.js';
import type { Store } from '../store/store.js';
import { contextOf, createVerbs } from '../verbs/createverbs.js';
import type { Verbs } from '../verbs/verbs.js';
import type { Clock } from '../clock.js';

export interface AssemblyOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly signing: SigningKey;
  readonly tokens: readonly StaticToken[];
  readonly audit: AuditLog | undefined;
  /** `host:port`, for discovery; known once the server listens. */
  readonly address: () => string;
  /** Text of the metrics. */
  readonly metrics: () => string;
  readonly podLogs?: PodLogs | undefined;
}

/** The parts of one server, connected to each other. */
export interface Assembly {
  readonly router: Router;
  readonly verbs: Verbs;
  readonly registry: ServedRegistry;
  readonly reader: ObjectReader;
  readonly store: Store;
  readonly clock: Clock;
  /** Ends the subscriptions to the store. */
  close(): void;
}

/** Connects the parts of the server, from the store up to the router. */
export function assemble(options: AssemblyOptions): Assembly {
  const { store, clock, signing } = options;
  const reader = createReader(store);
  const resolver = createRuleResolver(reader);
  const authorizer = createAuthorizer(resolver);
  const authenticator = authentication(options, reader);
  const builtins = builtinResources({
    definitions: createDefinitionRules({ checkRules, compileRules, checkDefault: runDefaultRules }),
    policies: { validatePolicy, validateBinding },
    reviews: createReviews({ authenticator, authorizer, resolver, clock }),
    services: () => reader.list('services'),
  });
  const registry = createRegistry(builtins, reader);
  const policies = createPolicyAdmission(reader, () => registry, authorizer);
  const admission = createChain({
    first: [
      guard(createNamespaceLifecycle((name) => store.newest('namespaces', name)?.object)),
      nodeTaint,
      guard(definitionLifecycle),
      guard(createEscalationCheck({ resolver, authorizer })),
    ],
    last: [createParamRights({ reader, registry: () => registry, authorizer }), policies],
  });
  const context = contextOf({ store, registry, admission, authorizer, clock, uuid: randomUUID });
  const verbs = createVerbs(context);
  const definitions = startDefinitionController(context, reader);
  const router = createRouter({
    table: createTableMaker(() => clock.now()),
    protobuf: decodeProtobuf,
    registry: () => registry,
    verbs,
    authenticator,
    authorizer,
    ...(options.audit === undefined ? {} : { audit: options.audit }),
    postHandlers: {
      'serviceaccounts/token': async (target, body, request) =>
        requestToken({ key: signing, reader, context }, target, body, request),
      'pods/eviction': eviction(verbs),
    },
    connect: createConnect({ reader, clock, logs: options.podLogs }),
    paths: nonResourcePaths(options, registry),
  });
  const close = (): void => {
    definitions.end();
    policies.close();
    resolver.close();
  };
  return { router, verbs, registry, reader, store, clock, close };
}

/** Accepts the fixed tokens, and both sorts of ServiceAccount tokens. */
function authentication({ tokens, signing, clock }: AssemblyOptions, reader: ObjectReader): Authenticator {
  return createAuthenticator(
    [
      staticTokens(tokens, [ISSUER]),
      accountTokens({ key: signing, reader, clock }),
      legacyTokens({ key: signing, reader }, [ISSUER]),
    ],
    [ISSUER],
  );
}

/** Health checks, metrics, discovery and OpenAPI documents. */
function nonResourcePaths(
  { store, clock, signing, metrics, address }: AssemblyOptions,
  registry: ServedRegistry,
): ReturnType<typeof createPaths> {
  return createPaths({
    version: serverVersion(),
    checks: { ping: () => true, log: () => true, etcd: () => store.revision > 0 },
    metrics,
    issuer: ISSUER,
    keys: () => [toJwk(signing)],
    groupPaths: () => groupPaths(registry),
    documents: createDocuments({ registry: () => registry, address, now: () => clock.now() }),
  });
}

/** The paths of API groups in the index at `/`. */
function groupPaths(registry: ServedRegistry): readonly string[] {
  const paths = registry
    .all()
    .flatMap(({ group, version }) =>
      group === '' ? ['/api', `/api/${version}`] : [`/apis/${group}`, `/apis/${group}/${version}`],
    );
  return ['/apis', '/apis/', ...new Set(paths)];
}
