/** Folder of CRDs (`*.yaml`) that are installed in the shared server of a test run; none where it is not set. */
export function crdFolder(): string | undefined {
  return process.env['CONTROL_PLANE_CRDS'];
}

/** The compiled program that runs the embedded server, in place of this package's own; see `serveEmbedded`. */
export function embeddedProgram(): string | undefined {
  return process.env['CONTROL_PLANE_EMBEDDED_PROGRAM'];
}
