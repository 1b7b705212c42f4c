import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Status, Withheld } from '../../wire/answer.js';
import type { Loaded } from '../store.js';
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

export function Problem({ status }: { readonly status: Status }): JSX.Element {
  return (
    <div class="notice bad" role="alert">
      <strong>{status.code === 404 ? 'Not found' : 'This could not be read'}</strong>
      <p>{status.message}</p>
    </div>
  );
}

/** What may not be read, and how to ask for the right. */
function WithheldNotice({
  withheld,
  namespace,
}: {
  readonly withheld: readonly Withheld[];
  readonly namespace: string | undefined;
}): JSX.Element | null {
  if (withheld.length === 0) return null;
  return (
    <div class="notice info" role="note">
      <strong>Not all can be read with your rights.</strong>
      {namespace !== undefined && <p>Of Placements, decisions and bindings, only namespace {namespace} is shown.</p>}
      <details>
        <summary>{withheld.map(withheldText).join('; ')}</summary>
        <ul class="withheld">
          {withheld.map(({ resource, verb }) => (
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

function withheldText({ resource, verb, status }: Withheld): string {
  return status === 404 ? `${resource} is not served by this hub` : `needs ${verb} ${resource}`;
}

/** Whether it is not known what there is of a kind. */
export function isWithheld({ withheld }: Loaded<unknown>, plural: string): boolean {
  return withheld.some(({ resource }) => resource === plural);
}

const NAMESPACED = new Set(['placements', 'placementdecisions', 'managedclustersetbindings', 'events']);

export interface ShowProps<T> {
  readonly of: Loaded<T>;
  readonly missing?: JSX.Element;
  readonly children: (data: T) => ComponentChildren;
}

/** The data, or what is there in its place. */
export function Show<T>({ of, missing, children }: ShowProps<T>): JSX.Element {
  const { data, error, withheld, namespace } = of;
  const isMissing = error?.code === 404;
  return (
    <>
      <WithheldNotice withheld={withheld} namespace={namespace} />
      {isMissing && missing !== undefined ? missing : error !== undefined && <Problem status={error} />}
      {data !== undefined && <div class={isMissing ? 'gone' : ''}>{children(data)}</div>}
      {data === undefined && error === undefined && <Loading />}
    </>
  );
}
