import { mkdtemp, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { spawn } from 'node:child_process';

import { writeKubeconfig } from '../../../testing/kubeconfig.js';
import { root } from '../../../testing/root.js';
import type { ConformanceTarget } from '../target.js';
import { maskedLines } from './mask.js';

const MANIFESTS = path.join(root, 'test', 'conformance', 'kubectl', 'manifests');
const DEADLINE_S = '120';

/**
 * Shell functions for transcripts. `follow LINES CHANGES COMMAND …` runs CHANGES once the watch of COMMAND is open and
 * prints its first LINES lines; `meanwhile CHANGES COMMAND …` runs both at once and prints the output of COMMAND;
 * `with_token TOKEN …` runs kubectl with a token.
 */
const PRELUDE = `
set -o pipefail
follow() {
  local count=$1 changes=$2 log; shift 2
  log=$(mktemp)
  exec 3< <(exec "$@" -v=6 2>"$log")
  local pid=$!
  until grep -q 'watch=.*200 OK' "$log"; do kill -0 $pid || return 1; sleep 0.02; done
  eval "$changes" >/dev/null
  head -n "$count" <&3
  kill $pid 2>/dev/null
  return 0
}
meanwhile() {
  local changes=$1; shift
  "$@" & local pid=$!
  eval "$changes" >/dev/null
  wait $pid
}
with_token() {
  local token=$1; shift
  kubectl --kubeconfig=/dev/null --server="$SERVER" --certificate-authority="$CA" --namespace="$NAMESPACE" --token="$token" "$@"
}
`;

/** Runs bash scripts with one kubectl, as administrator of one server, in the folder of the manifests. */
export class KubectlShell {
  readonly #target: ConformanceTarget;
  readonly #home: string;

  private constructor(target: ConformanceTarget, home: string) {
    this.#target = target;
    this.#home = home;
  }

  static async open(target: ConformanceTarget, kubectl: string): Promise<KubectlShell> {
    const home = await mkdtemp(path.join(tmpdir(), 'conformance-kubectl-'));
    await symlink(kubectl, path.join(home, 'kubectl'));
    return new KubectlShell(target, home);
  }

  /** The home folder, which the caller has to remove. */
  get home(): string {
    return this.#home;
  }

  /** Creates a namespace and returns a function that runs scripts in it. */
  async openNamespace(namespace: string): Promise<(script: string) => Promise<string[]>> {
    const { url, caFile, token } = this.#target;
    const made = await this.#target.call({
      method: 'POST',
      path: '/api/v1/namespaces',
      body: { metadata: { name: namespace } },
    });
    if (made.status !== 201) throw new Error(`namespace ${namespace}: ${made.status} ${made.text}`);
    const kubeconfig = await writeKubeconfig(path.join(this.#home, namespace), {
      server: url,
      caFile,
      token,
      namespace,
    });
    return (script) => this.#run(script, { KUBECONFIG: kubeconfig, NAMESPACE: namespace, SERVER: url, CA: caFile });
  }

  async #run(script: string, env: Readonly<Record<string, string>>): Promise<string[]> {
    // GNU timeout ends the whole process group, kubectl too.
    const child = spawn('timeout', ['--signal=KILL', DEADLINE_S, 'bash', '-c', `exec 2>&1\n${PRELUDE}\n${script}`], {
      cwd: MANIFESTS,
      env: {
        PATH: `${this.#home}:${process.env['PATH'] ?? ''}`,
        HOME: this.#home,
        TMPDIR: this.#home,
        KUBECACHEDIR: path.join(this.#home, 'cache'),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    const code = await new Promise<number>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (ended) => resolve(ended ?? -1));
    });
    const lines = maskedLines(text, { server: this.#target.url, namespace: env['NAMESPACE'] ?? '', home: this.#home });
    return code === 0 ? lines : [...lines, `exit ${code}`];
  }
}
