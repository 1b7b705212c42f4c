/** Leadership of one controller group, held through a coordination.k8s.io Lease (15/10/2 s). */
export interface Leadership {
  /** Whether writes are allowed now: the Lease is held and the renew deadline has not passed on the monotonic clock. */
  held(): boolean;
  readonly identity: string;
}
