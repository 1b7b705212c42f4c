/**
 * How the addresses of a name are tried, one after the other: options of `net.connect`. Node gives up an address after 250 ms,
 * less than a far server needs for its first answer, and does not come back to it. With 2 s a server after two dead addresses
 * is reached within the 5 s that a connection may take; client-go takes 15 s of its 30 for a dead one.
 */
export const SEVERAL_ADDRESSES = { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 2_000 } as const;
