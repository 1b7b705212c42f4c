/** One named line of /livez or /readyz. */
export interface HealthCheck {
  /** Lower case, digits and dashes. */
  readonly name: string;
  /** Why it fails; undefined when all is well. Must not throw and not wait. */
  check(): string | undefined;
}
