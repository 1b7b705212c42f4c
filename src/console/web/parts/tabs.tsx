import type { ComponentChildren, JSX } from 'preact';
import { Count } from './name.js';

export interface TabsProps<Key extends string> {
  readonly label: string;
  readonly list: readonly (readonly [key: Key, text: ComponentChildren])[];
  readonly on: Key;
  readonly onPress: (key: Key) => void;
}

/** Buttons of which one is pressed. */
export function Tabs<Key extends string>({ label, list, on, onPress }: TabsProps<Key>): JSX.Element | null {
  if (list.length === 0) return null;
  return (
    <div class="tabs" role="group" aria-label={label}>
      {list.map(([key, text]) => (
        <button key={key} type="button" aria-pressed={key === on} onClick={() => onPress(key)}>
          {text}
        </button>
      ))}
    </div>
  );
}

export function counted(title: ComponentChildren, count: number): JSX.Element {
  return (
    <>
      {title} <Count of={count} />
    </>
  );
}
