import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Status, Withheld } from '../../wire/answer.js';
import { shown } from '../command.js';
import { routeOfMeaning, textOfMeaning } from '../meaning.js';
import { hrefOf } from '../navigate.js';
import type { Route } from '../route.js';
import { showNamespace } from '../session.js';
import { reading, session, type Loaded } from '../store.js';
import { Command } from './command.js';

/** What is shown where there is nothing, not yet, or not all. */

/** Grey rows, after a moment: most answers come before. */
export function Loading({ rows = 6 }: { readonly rows?: number }): JSX.Element | null {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 150);
    return () => clearTimeout(timer);
  }, []);
  if (!isLate) return <div class="pending" aria-busy="true" />;
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}

export interface EmptyProps {
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly command?: readonly string[];
}

/** Names the next step. */
export function Empty({ title, children, command }: EmptyProps): JSX.Element {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
      {command !== undefined && <Command words={command} />}
    </div>
  );
}

/** Who may read none of what a page shows, and what gives the right; of what the hub does not serve nothing is known. */
export function NothingReadable({ of, kind }: { readonly of: Unread; readonly kind: string }): JSX.Element {
  if (of.withheld.some(({ resource, status }) => resource === kind && status === NOT_FOUND))
    return <Empty title={`Not known: ${unreadOf(of, kind)}.`} />;
  const [, account] = /^system:serviceaccount:(.+)$/.exec(session.value?.user ?? '') ?? [];
  const whom = account === undefined ? '--user=USER' : `--serviceaccount=${account}`;
  const binding = ['kubectl', 'create', 'clusterrolebinding', 'fleet-reader'];
  return (
    <Empty title="You may read nothing here." command={[...binding, '--clusterrole=multicluster-engine-reader', whom]}>
      <p>Somebody who administers the hub lets you read the fleet by this command:</p>
    </Empty>
  );
}

/** What a Placement is for, where there is none. */
export function NoPlacement({ of }: { readonly of?: Loaded<unknown> }): JSX.Element {
  if (of !== undefined && isWithheld(of, 'placements')) return <NothingReadable of={of} kind="placements" />;
  if (of?.namespace !== undefined)
    return <Empty title={`There is no Placement in namespace ${shown(of.namespace)}.`} />;
  return (
    <Empty title="There is no Placement yet." command={['kubectl', 'apply', '-f', 'examples/placement.yaml']}>
      <p>A Placement names the clusters that an application wants: cluster sets, labels and claims, and how many.</p>
      <p>The hub selects them and publishes a decision, which Argo CD and others follow as clusters come and go.</p>
      <p>Here stands why each cluster is in it or not, and what a change would select before it is made.</p>
    </Empty>
  );
}

const FORBIDDEN = 403;
const NOT_FOUND = 404;

/** The hub does not serve the kind. */
const NOT_SERVED = 424;

/** Whether nothing can be done with it: it does not exist, or that is not known. */
export function isAbsent({ error }: Pick<Loaded<unknown>, 'error'>): boolean {
  return [NOT_FOUND, FORBIDDEN, NOT_SERVED].some((code) => error?.code === code);
}

export interface ProblemProps {
  readonly status: Status;
  /** Asks for the right that is missing. */
  readonly right?: readonly string[] | undefined;
}

export function Problem({ status, right }: ProblemProps): JSX.Element {
  const { code, message } = status;
  if (code === FORBIDDEN)
    return (
      <div class="notice info" role="alert">
        <strong>This cannot be read with your rights.</strong>
        <p>{sentence(message)}</p>
        {right !== undefined && <Command words={right} />}
      </div>
    );
  return (
    <div class="notice bad" role="alert">
      <strong>{code === NOT_FOUND ? 'Not found' : 'This could not be read'}</strong>
      <p>{shown(message)}</p>
      <Meant list={status.meant} />
    </div>
  );
}

function Meant({ list = [] }: { readonly list: Status['meant'] }): JSX.Element | null {
  if (list.length === 0) return null;
  return (
    <p>
      Did you mean{' '}
      {list.map((one, index) => (
        <span key={textOfMeaning(one).text}>
          {index > 0 && ' or '}
          <a href={hrefOf(routeOfMeaning(one))}>{shown(textOfMeaning(one).text)}</a>
        </span>
      ))}
      ?
    </p>
  );
}

/** As it is read alone: from a message of the server. */
export function sentence(message: string): string {
  return `${capital(shown(message))}${/^$|[.?]$/.test(message) ? '' : '.'}`;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What may not be read, and how to ask for the right. */
export function WithheldNotice({ of }: { readonly of: Missing }): JSX.Element | null {
  const { withheld, namespace } = of;
  const refused = withheld.filter(({ status }) => status !== NOT_FOUND);
  // That the hub does not serve a kind without which it decides nothing stands above all.
  const unread = reading.value?.undecided === undefined ? withheld : refused;
  if (unread.length === 0) return null;
  const why = refused.length > 0 ? 'can be read with your rights' : 'is served by this hub';
  return (
    <div class="notice info" role="note">
      <strong>Not all {why}.</strong>
      {namespace !== undefined && (
        <p>
          Of Placements, decisions and bindings, only namespace {shown(namespace)} is shown.
          {session.value?.by !== 'token' && ' kubectl mce console -n NAMESPACE shows another one.'}
        </p>
      )}
      {namespace !== undefined && session.value?.by === 'token' && <OtherNamespace />}
      <details>
        <summary>{unread.map(withheldText).join('; ')}</summary>
        <ul class="withheld">
          {refused.map(({ resource, verb }) => (
            <li key={resource}>
              <Command
                words={['kubectl', 'auth', 'can-i', verb, resource, ...(NAMESPACED.has(resource) ? ['-A'] : [])]}
              />
            </li>
          ))}
        </ul>
      </details>
    </div>
  );
}

/** Reads another namespace, without a new login. */
function OtherNamespace(): JSX.Element {
  const [name, setName] = useState('');
  const [fault, setFault] = useState('');
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    setFault((await showNamespace(name)) ?? '');
  };
  return (
    <form class="actions" onSubmit={(event) => void submit(event)}>
      <label>
        Another namespace <input required value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
      </label>
      <button type="submit" class="button">
        Show
      </button>
      <span class="fault" role="alert">
        {capital(shown(fault))}
      </span>
    </form>
  );
}

function withheldText({ resource, verb, status, except }: Withheld): string {
  if (status === NOT_FOUND) return `${resource} is not served by this hub`;
  return `needs ${verb} ${resource}${except === undefined ? '' : ' in all namespaces'}`;
}

/** An answer, of which something may be missing. */
export type Unread = Pick<Loaded<unknown>, 'withheld'>;
type Missing = Pick<Loaded<unknown>, 'withheld' | 'namespace'>;

/** Whether it is not known what there is of one of these kinds, in no namespace. */
export function isWithheld(of: Unread, ...plurals: readonly string[]): boolean {
  return unreadOf(of, ...plurals) !== undefined;
}

/** `managedclustersets cannot be read`: why what follows from these kinds is not known; undefined where it is. */
export function unreadOf({ withheld }: Unread, ...plurals: readonly string[]): string | undefined {
  const unread = withheld.filter(({ resource, except }) => plurals.includes(resource) && except === undefined);
  return unread.length === 0 ? undefined : `${unread.map(({ resource }) => resource).join(', ')} cannot be read`;
}

const NAMESPACED = new Set(['placements', 'placementdecisions', 'managedclustersetbindings', 'events']);

export interface ShowProps<T> {
  readonly of: Loaded<T>;
  /** Where the objects of the kind are listed, and what leads there. */
  readonly missing?: readonly [title: string, list: Route];
  readonly right?: readonly string[];
  readonly children: (data: T) => ComponentChildren;
}

/** The data, or what is there in its place. */
export function Show<T>({ of, missing, right, children }: ShowProps<T>): JSX.Element {
  const { error } = of;
  const isMissing = error !== undefined && error.code === NOT_FOUND;
  // What was read while it could be is shown no longer.
  const data = isAbsent(of) && !isMissing ? undefined : of.data;
  return (
    <>
      <WithheldNotice of={of} />
      {isMissing && missing !== undefined ? (
        <Empty title={sentence(error.message)}>
          <Meant list={error.meant} />
          <a class="button" href={hrefOf(missing[1])}>
            {missing[0]}
          </a>
        </Empty>
      ) : (
        error !== undefined && <Problem status={error} right={right} />
      )}
      {data !== undefined && <div class={isMissing ? 'gone' : ''}>{children(data)}</div>}
      {data === undefined && error === undefined && <Loading />}
    </>
  );
}
