import type { JSX } from 'preact';
import type { FunnelStep } from '../../wire/placement.js';
import { shown } from '../command.js';
import { Count } from './name.js';

/** The way of all clusters into the decision, step by step, with how many stay behind at each. */

const TEXTS: Readonly<Record<FunnelStep['step'], readonly [title: string, lost: string]>> = {
  fleet: ['fleet', ''],
  bound: ['bound sets', 'in no bound set'],
  sets: ['cluster sets', 'in other sets'],
  match: ['match', 'match no predicate'],
  taints: ['tolerated', 'tainted or leaving'],
  in: ['in decision', ''],
};

export function Funnel({ steps }: { readonly steps: readonly FunnelStep[] }): JSX.Element {
  const most = Math.max(...steps.map(({ count }) => count), 1);
  return (
    <ol class="funnel" aria-label="From the fleet to the decision">
      {steps.map(({ step, count, out }, index) => {
        const lost = (steps[index - 1]?.count ?? count) - count;
        const [title, why] = TEXTS[step];
        const text = step === 'in' ? (out ?? '') : lost > 0 ? `−${lost.toLocaleString('en-US')} ${why}` : '';
        return (
          <li key={step} class={step === 'in' ? 'last' : ''}>
            <span class="funnel-title">{title}</span>
            <Count of={count} />
            <span class="funnel-bar">
              <span style={{ width: `${Math.max((count / most) * 100, count > 0 ? 2 : 0)}%` }} />
            </span>
            <span class="muted funnel-lost">{text === '' ? '\u00a0' : shown(text)}</span>
          </li>
        );
      })}
    </ol>
  );
}
