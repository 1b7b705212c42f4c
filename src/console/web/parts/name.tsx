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
  /** Absent: they are clusters. */
  readonly linkOf?: (name: string) => JSX.Element;
}

export function Names({ names, total = names.length, linkOf = clusterLink }: NamesProps): JSX.Element {
  const shownNames = names.slice(0, FEW);
  return (
    <span class="names">
      {shownNames.map((name, index) => (
        <span key={name}>
          {index > 0 && ', '}
          {linkOf(name)}
        </span>
      ))}
      {total > shownNames.length && (
        <span class="muted"> and {(total - shownNames.length).toLocaleString('en-US')} more</span>
      )}
    </span>
  );
}

function clusterLink(name: string): JSX.Element {
  return <ClusterLink name={name} />;
}

export function Since({ time }: { readonly time: string | undefined }): JSX.Element | null {
  const text = sinceText(time, now.value);
  if (text === '' || time === undefined) return null;
  return (
    <time dateTime={time} title={new Date(time).toLocaleString('en-GB')} class="muted nowrap">
      {text}
    </time>
  );
}

export function Count({ of }: { readonly of: number }): JSX.Element {
  return <span class="count">{of.toLocaleString('en-US')}</span>;
}
