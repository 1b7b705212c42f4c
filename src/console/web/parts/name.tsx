import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { shown } from '../command.js';
import { hrefOf } from '../navigate.js';
import { placementRoute } from '../route.js';
import { now } from '../store.js';
import { sinceText } from '../time.js';

/** Names of the fleet: text that somebody else has written, isolated from what stands around it. */

export function Text({ of }: { readonly of: string }): JSX.Element {
  const text = shown(of);
  return (
    <bdi class="name" title={text}>
      {text}
    </bdi>
  );
}

export function ClusterLink({ name }: { readonly name: string }): JSX.Element {
  return (
    <a href={hrefOf({ page: 'cluster', name, act: '' })}>
      <Text of={name} />
    </a>
  );
}

export function SetLink({ name }: { readonly name: string }): JSX.Element {
  return (
    <a href={hrefOf({ page: 'set', name })}>
      <Text of={name} />
    </a>
  );
}

export function PlacementLink({ namespace, name }: { readonly namespace: string; readonly name: string }): JSX.Element {
  return (
    <a href={hrefOf(placementRoute(namespace, name))}>
      <bdi class="name" title={`${shown(namespace)}/${shown(name)}`}>
        <span class="muted">{shown(namespace)}/</span>
        {shown(name)}
      </bdi>
    </a>
  );
}

export interface YamlLinkProps {
  readonly resource: string;
  /** Of an object that has one. */
  readonly namespace?: string;
  readonly name: string;
  readonly isButton?: boolean;
}

/** To the object as kubectl prints it. */
export function YamlLink({ resource, namespace = '', name, isButton }: YamlLinkProps): JSX.Element {
  return (
    <a
      class={isButton === true ? 'button' : 'yaml-link'}
      href={hrefOf({ page: 'yaml', resource, namespace, name })}
      aria-label={`YAML of ${shown(name)}`}
    >
      YAML
    </a>
  );
}

/** So many are named. */
const FEW = 5;

export interface NamesProps {
  readonly names: readonly string[];
  /** How many there are, where not all are in `names`. */
  readonly total?: number;
  /** Where all of them are listed; absent: `names` has all, and they are opened here. */
  readonly all?: string;
  /** Absent: they are clusters. */
  readonly linkOf?: (name: string) => JSX.Element;
}

export function Names({ names, total = names.length, all, linkOf = clusterLink }: NamesProps): JSX.Element {
  const isOpen = useSignal(false);
  const shownNames = isOpen.value ? names : names.slice(0, FEW);
  const more = `${(total - shownNames.length).toLocaleString('en-US')} more`;
  return (
    <span class="names">
      {shownNames.map((name, index) => (
        <span key={name}>
          {index > 0 && ', '}
          {linkOf(name)}
        </span>
      ))}
      {total > shownNames.length && ' and '}
      {total > shownNames.length &&
        (all === undefined ? (
          <button type="button" class="link" onClick={() => (isOpen.value = true)}>
            {more}
          </button>
        ) : (
          <a href={all}>{more}</a>
        ))}
    </span>
  );
}

function clusterLink(name: string): JSX.Element {
  return <ClusterLink name={name} />;
}

/** How long something is so; `isAgo`: how long ago it was. */
export function Since(of: { readonly time: string | undefined; readonly isAgo?: boolean }): JSX.Element | null {
  const { time, isAgo } = of;
  const text = sinceText(time, now.value);
  if (text === '' || time === undefined) return null;
  return (
    <time
      dateTime={time}
      title={`${new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'long' })}, ${time}`}
      class="muted nowrap"
    >
      {text}
      {isAgo === true && text !== 'now' && ' ago'}
    </time>
  );
}

export function Count({ of }: { readonly of: number }): JSX.Element {
  return <span class="count">{of.toLocaleString('en-US')}</span>;
}
