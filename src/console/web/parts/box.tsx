import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Found, Meaning } from '../../wire/find.js';
import { routeOfMeaning, textOfMeaning } from '../meaning.js';
import { navigate } from '../navigate.js';
import { isStatus, readNow, useLatest } from '../store.js';
import { Combobox, type Option } from './combobox.js';

/** The one box: a cluster, a Placement, a set, a state or a question, from every page. */

interface Choice extends Option {
  readonly meaning: Meaning;
}

export function Box(): JSX.Element {
  const text = useSignal('');
  const isOpen = useSignal(false);
  const fault = useSignal<string | undefined>(undefined);
  const path = pathOf(text.value);
  const { data, withheld, isOther } = useLatest<Found>(isOpen.value ? path : undefined);
  const go = (meaning: Meaning): void => {
    [text.value, fault.value, isOpen.value] = ['', undefined, false];
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    navigate(routeOfMeaning(meaning));
  };
  /** The first answer to what is written now: what is shown may be older. */
  const goFirst = async (): Promise<void> => {
    const answer = await readNow<Found>(path);
    const [first] = isStatus(answer) ? [] : answer.data.rows;
    if (first !== undefined) go(first);
    else fault.value = isStatus(answer) ? answer.message : NOTHING;
  };
  const more = (data?.total ?? 0) - (data?.rows.length ?? 0);
  return (
    <Combobox<Choice>
      class="box"
      label="Find or ask"
      placeholder="Find, or ask: lose eu"
      value={text.value}
      isOpen={isOpen}
      list={(data?.rows ?? []).map((meaning) => ({ ...textOfMeaning(meaning), meaning }))}
      onInput={(value) => ([text.value, fault.value] = [value, undefined])}
      onTake={({ meaning }) => go(meaning)}
      onEnter={() => void (text.value.trim() !== '' && goFirst())}
      fault={fault.value}
    >
      <p class="box-note muted">
        {data?.total === 0 && !isOther && NOTHING}
        {more > 0 && `${more.toLocaleString('en-US')} more: write more of the name. `}
        {text.value === '' && EXAMPLES}
        {withheld.map(({ resource, verb }) => ` Without ${resource}: needs ${verb}.`)}
      </p>
    </Combobox>
  );
}

function pathOf(text: string): string {
  return `find?q=${encodeURIComponent(text.trim())}`;
}

const NOTHING = 'Nothing of what you may read is named so.';
const EXAMPLES = 'Or a name, set:NAME, why CLUSTER PLACEMENT, lose REGION, drain CLUSTER.';
