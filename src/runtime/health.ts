/** One named check of /livez or /readyz. */
export interface HealthCheck {
  /** Lower case, digits and dashes. */
  readonly name: string;
  /** Why the check fails; undefined when it passes. Must not throw or block. */
  check(): string | undefined;
}
