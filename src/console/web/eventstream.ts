/** Server-sent events, as the HTML standard has them, of what this server sends: no carriage returns, no comments that matter. */

export interface ServerEvent {
  /** `message` where none is given. */
  readonly event: string;
  readonly data: string;
  /** Empty where none is given. */
  readonly id: string;
}

/** The events that are complete in `text`, and the text after the last one. */
export function eventsIn(text: string): { readonly events: readonly ServerEvent[]; readonly rest: string } {
  const blocks = text.split('\n\n');
  const rest = blocks.pop() ?? '';
  return { events: blocks.map(eventOf), rest };
}

function eventOf(block: string): ServerEvent {
  const fields = new Map(
    block.split('\n').map((line) => {
      const [name = '', value = ''] = line.split(/: ?(.*)/s, 2);
      return [name, value];
    }),
  );
  return { event: fields.get('event') ?? 'message', data: fields.get('data') ?? '', id: fields.get('id') ?? '' };
}
