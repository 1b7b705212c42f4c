/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where a kubeconfig is, and through which proxy a server is reached, is said by variables of other programs too. */
export function processEnvironment(): Environment {
  // oxlint-disable-next-line no-restricted-properties -- these are no settings of this program: they are those of client-go
  return process.env;
}
