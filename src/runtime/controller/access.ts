/**
 * What the API server says of a token that wants to read the metrics: `unauthenticated`, it is not accepted; `forbidden`, its
 * user lacks `get` on the nonResourceURL `/metrics`.
 */
export type AccessDecision = 'allowed' | 'forbidden' | 'unauthenticated';

/** Asks the API server. Rejects when it does not answer within 5 s. */
export type ReviewAccess = (token: string) => Promise<AccessDecision>;
