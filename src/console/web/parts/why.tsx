import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { WhyCluster } from '../../wire/placement.js';
import { shown } from '../command.js';
import { useLoaded } from '../store.js';
import { TroubleMark } from './icon.js';
import { Loading, Problem } from './states.js';

export interface WhyProps {
  /** Of the Placement. */
  readonly path: string;
  readonly cluster: string;
  readonly onClose: () => void;
}

/** What `explain` says of a cluster, in a dialog: Escape closes it, and the focus goes back to where it was. */
export function Why({ path, cluster, onClose }: WhyProps): JSX.Element {
  const { data, error } = useLoaded<WhyCluster>(`${path}/why/${encodeURIComponent(cluster)}`);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const title = `Why ${shown(cluster)}?`;
  return (
    <dialog ref={dialog} aria-label={title} onClose={onClose}>
      <div class="dialog-head">
        <h2>{title}</h2>
        <button type="button" class="quiet-button" onClick={onClose}>
          Close
        </button>
      </div>
      {data !== undefined && <TroubleMark of={data} />}
      {error !== undefined && <Problem status={error} />}
      {data === undefined && error === undefined && <Loading rows={3} />}
      <div class="why">
        {data?.lines.map((line, index) => (
          <p key={index} class={`why-${/^ {4}/.test(line) ? 'deep' : /^ {2}/.test(line) ? 'in' : 'head'}`}>
            {shown(line.trim())}
          </p>
        ))}
      </div>
    </dialog>
  );
}
