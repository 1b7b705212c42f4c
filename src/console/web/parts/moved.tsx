import type { JSX } from 'preact';
import type { Plan } from '../../wire/plan.js';
import { shown } from '../command.js';
import { planDifferences } from '../plandifference.js';

/** That the fleet has moved since the draft was written, and what is planned otherwise now. */
export function Moved({ before, after }: { readonly before: Plan; readonly after: Plan }): JSX.Element | null {
  if (before.basedOn === after.basedOn) return null;
  const differences = planDifferences(before, after);
  if (differences.length === 0)
    return (
      <p class="notice info" role="status">
        Something has moved since you wrote this. It would still move the same clusters.
      </p>
    );
  return (
    <div class="notice info" role="status">
      <strong>The fleet has moved since you wrote this. It would now do something else:</strong>
      <ul class="moves">
        {differences.map(({ placement, lines }) => (
          <li key={placement}>
            {shown(placement)}: {lines.map(shown).join('; ')}
          </li>
        ))}
      </ul>
    </div>
  );
}
