import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { routeOfMeaning } from '../meaning.js';
import { navigate } from '../navigate.js';
import { Combo } from './combo.js';

const EXAMPLES = 'Or a name, set:NAME, why CLUSTER PLACEMENT, lose REGION, drain CLUSTER, edit NAME, who changed NAME.';

/** The one box: a cluster, a Placement, a set, a state or a question, from every page. */
export function Box(): JSX.Element {
  const text = useSignal('');
  return (
    <div class="box">
      <Combo
        label="Find or ask"
        placeholder="Find, or ask: lose eu"
        value={text.value}
        onInput={(value) => (text.value = value)}
        onTake={(meaning) => {
          text.value = '';
          if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
          navigate(routeOfMeaning(meaning));
        }}
        first="enter"
        examples={EXAMPLES}
      />
    </div>
  );
}
