import type { Resource } from '../../resource.js';
import { fill, ensureStruct, type Draft } from './draft.js';
import { ALL_VERBS, type Kind } from './kind.js';

export type Review = NonNullable<Resource['review']>;

/** Evaluation of reviews by kind: a POST is answered with the status filled in, and nothing is stored. */
export interface Reviews {
  readonly TokenReview: Review;
  readonly SelfSubjectReview: Review;
  readonly SubjectAccessReview: Review;
  readonly SelfSubjectAccessReview: Review;
  readonly LocalSubjectAccessReview: Review;
  readonly SelfSubjectRulesReview: Review;
}

interface Row {
  readonly kind: keyof Reviews;
  readonly namespaced?: boolean;
}

const AUTHENTICATION: readonly Row[] = [{ kind: 'SelfSubjectReview' }, { kind: 'TokenReview' }];
const AUTHORIZATION: readonly Row[] = [
  { kind: 'LocalSubjectAccessReview', namespaced: true },
  { kind: 'SelfSubjectAccessReview' },
  { kind: 'SelfSubjectRulesReview' },
  { kind: 'SubjectAccessReview' },
];

export function reviewKinds(reviews: Reviews): readonly Kind[] {
  return [
    ...AUTHENTICATION.map((row) => reviewKind('authentication', row, reviews)),
    ...AUTHORIZATION.map((row) => reviewKind('authorization', row, reviews)),
  ];
}

function reviewKind(area: string, { kind, namespaced = false }: Row, reviews: Reviews): Kind {
  return {
    group: `${area}.k8s.io`,
    version: 'v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced,
    definition: `io.k8s.api.${area}.v1.${kind}`,
    verbs: ALL_VERBS.filter((verb) => verb === 'create'),
    review: reviews[kind],
  };
}

/** Defaults of a TokenRequest, for the handler of `POST …/token`. */
export function tokenRequestDefaults(request: Draft): void {
  fill(ensureStruct(request, 'spec'), 'expirationSeconds', 3600);
}
