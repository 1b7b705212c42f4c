import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { stepsIn, typedBlocksIn, type Step } from './markdown.js';
import { root } from './root.js';

/**
 * The test that runs the commands of each page. A page without a row may only have blocks that are marked with
 * `<!-- not run: REASON -->`, except those of {@link commandPages}; `documents.test.ts` checks it.
 */
export const TESTS_OF_PAGES: Readonly<Record<string, string>> = {
  'README.md': 'test/e2e/readme.test.ts',
  'docs/how-to/add-a-cluster.md': 'test/e2e/docs.slow.test.ts',
  'docs/how-to/argo-cd.md': 'test/e2e/argocd.nightly.test.ts',
  'docs/how-to/backup-and-restore.md': 'test/e2e/docs.slow.test.ts',
  'docs/how-to/bound-a-change.md': 'test/e2e/docs.slow.test.ts',
  'docs/how-to/canary-waves.md': 'test/e2e/argocd.nightly.test.ts',
  'docs/how-to/cert-manager.md': 'test/e2e/gatewaysecret.test.ts',
  'docs/how-to/components.md': 'test/e2e/docs.slow.test.ts',
  'docs/how-to/delete-a-cluster-set.md': 'test/e2e/docs.slow.test.ts',
  'docs/how-to/find-out-why.md': 'test/e2e/docs.slow.test.ts',
  'docs/how-to/follow-a-decision.md': 'test/integration/gateway/decision.slow.test.ts',
  'docs/how-to/helm.md': 'test/e2e/helm.slow.test.ts',
  'docs/how-to/high-availability.md': 'test/e2e/docshub.slow.test.ts',
  'docs/how-to/https-interface.md': 'test/integration/gateway/howto.test.ts',
  'docs/how-to/install.md': 'test/e2e/docshub.slow.test.ts',
  'docs/how-to/local-cluster.md': 'test/e2e/docs.slow.test.ts',
  'docs/how-to/migrate-from-ocm.md': 'test/e2e/ocm.slow.test.ts',
  'docs/how-to/move-a-fleet.md': 'test/cli/plan/commands.test.ts',
  'docs/how-to/operate.md': 'test/integration/observability/securemetrics.slow.test.ts',
  'docs/how-to/preview-a-change.md': 'test/e2e/docs.slow.test.ts',
  'docs/how-to/recover-from-a-mistake.md': 'test/e2e/docshub.slow.test.ts',
  'docs/how-to/roles.md': 'test/field/roles.slow.test.ts',
  'docs/how-to/rotate-the-certificate.md': 'test/e2e/docs.slow.test.ts',
  'docs/how-to/select-by-capacity.md': 'test/e2e/docs.slow.test.ts',
  'docs/how-to/spread-over-regions.md': 'test/e2e/docs.slow.test.ts',
  'docs/how-to/standalone.md': 'test/e2e/demofleet.slow.test.ts',
  'docs/how-to/ten-minutes.md': 'test/e2e/tenminutes.nightly.test.ts',
  'docs/how-to/uninstall.md': 'test/e2e/docshub.slow.test.ts',
  'docs/how-to/upgrade.md': 'test/e2e/docshub.slow.test.ts',
  'docs/reference/cli/plan.md': 'test/cli/plan/commands.test.ts',
};

/** The pages that describe single tasks on a hub; tests run them in this order, and in the reverse one. */
export const TASKS = [
  'docs/how-to/delete-a-cluster-set.md',
  'docs/how-to/bound-a-change.md',
  'docs/how-to/rotate-the-certificate.md',
];
/** Likewise, with the plugin of kubectl. */
export const TASKS_WITH_PLUGIN = [
  'docs/how-to/local-cluster.md',
  'docs/how-to/select-by-capacity.md',
  'docs/how-to/spread-over-regions.md',
];
/** The pages that continue from the walk of the README, with the hub as it is then. */
export const AFTER_WALK = [
  'docs/how-to/find-out-why.md',
  'docs/how-to/preview-a-change.md',
  'docs/how-to/components.md',
];
/** The commands of the README, on a hub that runs. */
export function walk(): readonly Step[] {
  const page = readPage('README.md');
  return stepsIn(page.slice(page.indexOf('\n## '))).filter(({ command }) => !command.startsWith('make '));
}

/** The pages that users read: paths below the root of the repository, sorted. */
export function pages(): string[] {
  const top = readdirSync(root).filter((name) => name.endsWith('.md'));
  const docs = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.posix.join('docs', ...name.split(path.sep)));
  return [...top, ...docs].sort();
}

/** The pages of commands, which `test/cli/pages.test.ts` runs: all with commands, without a row above. */
export function commandPages(): string[] {
  return pages().filter(
    (page) =>
      page.startsWith('docs/reference/cli/') &&
      TESTS_OF_PAGES[page] === undefined &&
      typedBlocksIn(readPage(page)).some(({ notRun }) => notRun === undefined),
  );
}

export function readPage(page: string): string {
  return readFileSync(path.join(root, page), 'utf8');
}
