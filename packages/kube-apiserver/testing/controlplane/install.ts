import { readdirSync } from 'node:fs';
import path from 'node:path';

import { kubectl } from '../kubectl.js';
import { waitFor } from '../wait.js';
import type { ControlPlane } from './plane.js';
import { crdFolder } from './settings.js';

/** Applies all CRDs of a folder (default: {@link crdFolder}) and waits until they are served. */
export async function installCrds(server: ControlPlane, folder = crdFolder()): Promise<void> {
  if (folder === undefined) return;
  const names = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  if (names.length === 0) return;
  const files = names.flatMap((name) => ['-f', path.join(folder, name)]);
  const options = { kubeconfig: server.adminKubeconfig };
  const applied = await kubectl(['apply', '--server-side', ...files], options);
  if (applied.code !== 0) throw new Error(`installing ${folder}: ${applied.stderr}`);
  const served = await kubectl(['wait', '--for=condition=Established', '--timeout=120s', ...files], options);
  if (served.code !== 0) throw new Error(`waiting for ${folder}: ${served.stderr}`);
  await kindsServed(server);
}

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
}

/** Waits until all defined kinds can be listed and are in discovery, which both follow the condition Established. */
export async function kindsServed(server: ControlPlane): Promise<void> {
  const { text } = await server.call({ path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions' });
  const { items }: { readonly items: readonly Definition[] } = JSON.parse(text);
  for (const {
    spec: {
      group,
      names: { plural },
      versions,
    },
  } of items) {
    for (const { name } of versions.filter(({ served }) => served)) {
      const version = `/apis/${group}/${name}`;
      await waitFor(`${version}/${plural} to be served`, async (seen) => {
        const [list, resources, groups] = await Promise.all(
          [`${version}/${plural}?limit=1`, version, '/apis'].map((path) => server.call({ path })),
        );
        seen([list?.status, resources?.text, groups?.text]);
        return (
          list?.status === 200 &&
          resources?.text.includes(`"name":"${plural}"`) === true &&
          groups?.text.includes(`"groupVersion":"${group}/${name}"`) === true
        );
      });
    }
  }
}
