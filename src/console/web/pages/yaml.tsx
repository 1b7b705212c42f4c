import type { JSX } from 'preact';
import type { ObjectYaml } from '../../wire/answer.js';
import { shown, shownLines } from '../command.js';
import { hrefOf } from '../navigate.js';
import { FLEET, placementRoute, type Route, type RouteOf } from '../route.js';
import { useLoaded } from '../store.js';
import { Command, CopyButton } from '../parts/command.js';
import { Text } from '../parts/name.js';
import { PageHead } from '../parts/pagehead.js';
import { Show } from '../parts/states.js';

/** One object as kubectl prints it. */

export function YamlPage({ route }: { readonly route: RouteOf<'yaml'> }): JSX.Element {
  const { resource, namespace, name } = route;
  const scope = namespace === '' ? [] : ['-n', namespace];
  const path = [resource, namespace, name].filter((one) => one !== '').map(encodeURIComponent);
  const page = pageOf(route);
  return (
    <>
      <PageHead
        title={
          <>
            <span class="muted">{shown(resource)}</span> <Text of={namespace === '' ? name : `${namespace}/${name}`} />
          </>
        }
      >
        {page !== undefined && (
          <a class="button" href={hrefOf(page)}>
            To its page
          </a>
        )}
      </PageHead>
      <Show
        of={useLoaded<ObjectYaml>(`yaml/${path.join('/')}`)}
        missing={['To the fleet', FLEET]}
        right={['kubectl', 'auth', 'can-i', 'list', resource, ...scope]}
      >
        {({ text }) => (
          <section class="card">
            <div class="toolbar">
              <Command words={['kubectl', 'get', resource, name, ...scope, '-o', 'yaml']} />
              <CopyButton text={text} title="Copy the YAML" />
            </div>
            <pre class="yaml" tabIndex={0} aria-label="YAML">
              {shownLines(text)}
            </pre>
          </section>
        )}
      </Show>
    </>
  );
}

/** The page of the object, where there is one. */
function pageOf({ resource, namespace, name }: RouteOf<'yaml'>): Route | undefined {
  const pages: Readonly<Record<string, Route>> = {
    placements: placementRoute(namespace, name),
    managedclusters: { page: 'cluster', name, act: '' },
    managedclustersets: { page: 'set', name },
    multiclusterengines: { page: 'engine' },
  };
  return Object.hasOwn(pages, resource) ? pages[resource] : undefined;
}
