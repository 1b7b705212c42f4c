import { render, type ComponentChildren, type JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { shown } from './command.js';
import { KEYS, KEYS_DIALOG, startKeys } from './keys.js';
import { amend, hrefOf, route, startNavigation } from './navigate.js';
import { ClusterPage } from './pages/cluster.js';
import { EnginePage } from './pages/engine.js';
import { EventsPage } from './pages/events.js';
import { FleetPage } from './pages/fleet.js';
import { Login } from './pages/login.js';
import { PlacementPage } from './pages/placement.js';
import { PlacementsPage } from './pages/placements.js';
import { SetPage } from './pages/set.js';
import { WhatIfPage } from './pages/whatif.js';
import { YamlPage } from './pages/yaml.js';
import { Box } from './parts/box.js';
import { Command } from './parts/command.js';
import { Pairs } from './parts/conditions.js';
import { PageHead } from './parts/pagehead.js';
import { capital, Loading, sentence } from './parts/states.js';
import { FLEET, formatRoute, type Page, type Route, type RouteOf } from './route.js';
import { BASE, isLost, isOld, isSessionOpen, LOST, reading, refresh, session } from './store.js';
import { startPolling } from './poll.js';
import { followTabs, logIn, logOut, resume } from './session.js';
import { clockText } from './time.js';

/** The page: bar, the page of the route, and what is to be known above all. */

const PAGES: readonly (readonly [title: string, address: string, pages: readonly Page[]])[] = [
  ['Fleet', '/fleet', ['fleet', 'cluster']],
  ['Placements', '/placements', ['placements', 'placement']],
  ['What if', '/what-if', ['whatif']],
  ['Engine', '/engine', ['engine', 'set']],
  ['Events', '/events', ['events']],
];

function App(): JSX.Element {
  const isOver = session.value === null;
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Bar />
      <Notices />
      <main id="main" tabIndex={-1} inert={isOver}>
        {session.value === undefined ? <Loading /> : <PageOf route={route.value} />}
      </main>
      {isOver && <Login />}
      <Keys />
    </>
  );
}

function Keys(): JSX.Element {
  return (
    <dialog id={KEYS_DIALOG} aria-labelledby="keys-title">
      <form method="dialog" class="dialog-head">
        <h2 id="keys-title">Keys</h2>
        <button class="button">Close</button>
      </form>
      <Pairs pairs={Object.fromEntries(KEYS)} empty="" />
    </dialog>
  );
}

function Bar(): JSX.Element {
  const { page } = route.value;
  return (
    <header class="bar">
      <a class="brand" href={hrefOf(FLEET)}>
        <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
          <path d="M3 3h6v6H3zM11 3h6v6h-6zM3 11h6v6H3z" fill="currentColor" />
          <path d="M12 12h4v4h-4z" fill="none" stroke="currentColor" stroke-width="2" />
        </svg>
        <span>multicluster-engine</span>
      </a>
      <nav aria-label="Pages">
        {PAGES.map(([title, address, pages]) => (
          <a key={address} href={BASE + address} aria-current={pages.includes(page) ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      {isSessionOpen() && <Box />}
      <Live />
    </header>
  );
}

/** Which hub, as whom, and how old what is shown is. */
function Live(): JSX.Element {
  const { asOf, stale } = reading.value ?? {};
  const isBad = isLost.value || stale !== undefined;
  if (session.value === null || session.value === undefined) return <div class="live" />;
  const { context, user, hub, until, by } = session.value;
  return (
    <div class="live">
      <span class="live-hub" title={user === '' ? hub : `${hub}, as ${shown(user)}`}>
        <span class="unseen">hub </span>
        <bdi>{shown(context)}</bdi>
        {user !== '' && <span class="muted"> as {shown(user.replace(/^system:serviceaccount:(.*):/, '$1/'))}</span>}
      </span>
      {asOf !== undefined && (
        <button
          type="button"
          class={`live-state ${isBad ? 'warn' : 'ok'}`}
          onClick={() => void refresh()}
          title="Read again now"
        >
          <span class="dot" aria-hidden="true" />
          {isBad ? 'as of' : 'live'} {clockText(asOf)}
        </button>
      )}
      {by === 'token' && (
        <button
          type="button"
          class="quiet-button"
          onClick={() => void logOut()}
          {...(until === undefined ? {} : { title: `The token ends at ${clockText(until)}.` })}
        >
          Log out
        </button>
      )}
    </div>
  );
}

function Notices(): JSX.Element {
  const { stale, asOf = '', undecided } = reading.value ?? {};
  const time = `as of ${clockText(asOf)}`;
  return (
    <div aria-live="polite">
      {isLost.value && (
        <Banner tone="warn" text={`${capital(LOST)} What is shown is ${asOf === '' ? 'not known' : time}.`} />
      )}
      {!isLost.value && stale !== undefined && (
        <Banner
          tone="warn"
          text={`The hub cannot be read: what is shown is ${time}, and nothing is written. ${sentence(stale)}`}
        >
          <Command words={['kubectl', 'get', '--raw', '/readyz']} />
        </Banner>
      )}
      {!isLost.value && undecided !== undefined && (
        <Banner tone="bad" text={sentence(undecided.message)}>
          <Command text={shown(undecided.remedy)} />
        </Banner>
      )}
      {isOld.value && (
        <Banner tone="info" text="The console was updated, and this page is of the version before. A draft is kept.">
          <button type="button" class="button" onClick={() => location.reload()}>
            Reload
          </button>
        </Banner>
      )}
    </div>
  );
}

function Banner(props: {
  readonly tone: string;
  readonly text: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class={`banner ${props.tone}`}>
      <p>{props.text}</p>
      {props.children}
    </div>
  );
}

/** Each shows its own routes. */
const VIEWS: { readonly [P in Page]: (props: { readonly route: RouteOf<P> }) => JSX.Element } = {
  fleet: FleetPage,
  placements: PlacementsPage,
  placement: PlacementPage,
  cluster: ClusterPage,
  whatif: WhatIfPage,
  engine: EnginePage,
  set: SetPage,
  events: EventsPage,
  yaml: YamlPage,
  unknown: () => (
    <PageHead title="There is no such page">
      <a class="button" href={hrefOf(FLEET)}>
        To the fleet
      </a>
    </PageHead>
  ),
};

function PageOf({ route: to }: { readonly route: Route }): JSX.Element {
  const first = useRef(true);
  const address = addressOf(to);
  // Before the next key: a later move would take the focus from who has gone on to the box.
  useLayoutEffect(() => {
    document.title = `${titleOf(to)} · multicluster-engine`;
    if (!first.current) document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true });
    first.current = false;
  }, [address]);
  const View = VIEWS[to.page] as (props: { readonly route: Route }) => JSX.Element;
  return <View key={address} route={to} />;
}

/** Without what only filters: typing does not move the focus. */
function addressOf(to: Route): string {
  return formatRoute(to).split('?', 1).join('');
}

function titleOf(to: Route): string {
  if (to.page === 'placement') return shown(`${to.namespace}/${to.name}`);
  if (to.page === 'cluster' || to.page === 'set' || to.page === 'yaml') return shown(to.name);
  return PAGES.find(([, , pages]) => pages.includes(to.page))?.[0] ?? 'Console';
}

/** The code of the link stands behind `#`, which no server and no log sees. It leaves the history at once. */
async function start(): Promise<void> {
  const [, code] = /^#code=([\w-]+)$/.exec(location.hash) ?? [];
  if (['', '/', '/login'].some((end) => location.pathname === BASE + end)) amend(FLEET);
  startNavigation();
  startKeys();
  const root = document.querySelector('#app');
  if (root !== null) render(<App />, root);
  const fault = code === undefined ? '' : await logIn({ code });
  // A link that opens nothing leads to the page all the same, where the browser has a session.
  if (fault !== undefined) await resume();
  followTabs();
  startPolling();
}

void start();
