import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { FleetMap, Key, LegendRow, MapGroup } from '../../wire/fleet.js';
import { shown } from '../command.js';
import { navigate } from '../navigate.js';
import { useLoaded } from '../store.js';
import { spaced } from '../words.js';
import { Count } from './name.js';
import { CellMark, looksOf, type CellLook } from './icon.js';

/** Every cluster as a cell, group by group. The cells are a picture: groups, counts and the table say the same. */

/** So many groups are drawn. */
const MOST_GROUPS = 60;
const GAP = 2;

export interface MapProps {
  readonly map: FleetMap;
  /** Filters by the group; absent: groups are no filters. */
  readonly onGroup?: ((term: string) => void) | undefined;
}

export function MapView({ map, onGroup }: MapProps): JSX.Element {
  const size = cellSize(map.matched);
  const looks = looksOf(map.legend.map(({ key }) => key));
  let first = 0;
  const groups = map.groups.slice(0, MOST_GROUPS).map((group) => {
    const begin = first;
    first += group.count;
    return { group, names: map.names.slice(begin, first), marks: map.marks.slice(begin, first) };
  });
  return (
    <div class="map">
      {groups.map(({ group, names, marks }) => (
        <section key={group.value} class="map-group">
          <GroupHead group={group} map={map} looks={looks} onGroup={onGroup} />
          <Cells names={names} marks={marks} looks={looks} size={size} />
        </section>
      ))}
      {map.groups.length > MOST_GROUPS && (
        <p class="muted">{map.groups.length - MOST_GROUPS} more groups: filter, or group by something else.</p>
      )}
    </div>
  );
}

function cellSize(count: number): number {
  if (count <= 150) return 24;
  if (count <= 500) return 16;
  return count <= 3_000 ? 10 : 7;
}

interface GroupHeadProps extends MapProps {
  readonly group: MapGroup;
  readonly looks: readonly CellLook[];
}

function GroupHead({ group, map, looks, onGroup }: GroupHeadProps): JSX.Element {
  const { value, term, count, counts } = group;
  const name = value === '' ? noneText(map) : shown(map.group === 'health' ? spaced(value) : value);
  const said = looks.flatMap(({ isLoud, text }, index) => {
    const of = counts[index] ?? 0;
    return of === 0 || isLoud !== true ? [] : `${of.toLocaleString('en-US')} ${text}`;
  });
  return (
    <div class="map-head">
      {term === undefined || onGroup === undefined ? (
        <span class="map-name strong">{name}</span>
      ) : (
        <button type="button" class="link map-name" onClick={() => onGroup(term)} title={`Show ${name} alone`}>
          <bdi>{name}</bdi>
        </button>
      )}
      <Count of={count} /> <span class="unseen">clusters</span>
      <span class="muted map-counts">{said.map(shown).join(', ')}</span>
    </div>
  );
}

function noneText({ group: by, setsUnread }: FleetMap): string {
  if (by === 'set') return setsUnread === true ? 'cluster sets not known' : 'in no cluster set';
  return `without ${shown(by.slice(by.indexOf(':') + 1))}`;
}

/** What the cells mean, with counts; of what there is. */
function Legend({ rows }: { readonly rows: readonly LegendRow[] }): JSX.Element {
  const looks = looksOf(rows.map(({ key }) => key));
  return (
    <ul class="legend" aria-label="Legend">
      {looks.map((look, index) => {
        const { key, count } = rows[index] ?? { key: '', count: 0 };
        return count === 0 ? null : (
          <li key={key}>
            <CellMark look={{ ...look, text: shown(look.text) }} /> <Count of={count} />
          </li>
        );
      })}
    </ul>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly list: readonly string[];
  readonly onChange: (value: string) => void;
}

/** One of a list, or what the address has beside it. */
export function Select({ label, value, list, onChange }: SelectProps): JSX.Element {
  return (
    <label class="nowrap">
      {label}{' '}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {[...new Set([...list, value])].map((one) => (
          <option key={one} value={one}>
            {shown(one.replace(':', ' '))}
          </option>
        ))}
      </select>
    </label>
  );
}

/** So many keys are offered to group by: those that most clusters have. */
const MOST_KEYS = 40;

export function GroupSelect({ value, onChange }: Pick<SelectProps, 'value' | 'onChange'>): JSX.Element {
  const { data: keys = [] } = useLoaded<readonly Key[]>('fleet/keys');
  const list = ['set', 'health', ...keys.slice(0, MOST_KEYS).map(({ source, key }) => `${source}:${key}`)];
  return <Select label="Group by" value={value} list={list} onChange={onChange} />;
}

/** Legend to the left, what changes the map to the right. */
export function MapBar(props: {
  readonly rows: readonly LegendRow[];
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div class="map-bar">
      <Legend rows={props.rows} />
      <div class="actions">{props.children}</div>
    </div>
  );
}

interface CellsProps {
  readonly names: readonly string[];
  readonly marks: string;
  readonly looks: readonly CellLook[];
  readonly size: number;
}

function Cells({ names, marks, looks, size }: CellsProps): JSX.Element {
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useSignal(0);
  useLayoutEffect(() => {
    const parent = canvas.current?.parentElement;
    if (parent === null || parent === undefined) return undefined;
    const observer = new ResizeObserver(() => (width.value = parent.clientWidth));
    observer.observe(parent);
    return () => observer.disconnect();
  }, [width]);
  const step = size + GAP;
  const columns = Math.max(Math.floor((width.value + GAP) / step), 1);
  // Before the width is known, one column of all cells would make the page very long.
  const height = width.value === 0 ? 0 : Math.ceil(names.length / columns) * step;
  const drawn = looks.map(({ text }) => text).join();
  useEffect(() => {
    const { current } = canvas;
    if (current === null || width.value === 0) return undefined;
    const draw = (): void => drawCells(current, { marks, looks, size, columns, width: width.value, height });
    draw();
    const schemes = ['(prefers-color-scheme: dark)', '(forced-colors: active)'].map((query) => matchMedia(query));
    for (const scheme of schemes) scheme.addEventListener('change', draw);
    return () => {
      for (const scheme of schemes) scheme.removeEventListener('change', draw);
    };
  }, [marks, drawn, size, columns, height, width.value]);
  const nameAt = (event: MouseEvent): string | undefined => {
    const column = Math.floor(event.offsetX / step);
    return column < columns ? names[Math.floor(event.offsetY / step) * columns + column] : undefined;
  };
  return (
    <div class="cells">
      <canvas
        ref={canvas}
        aria-hidden="true"
        style={{ height: `${height}px` }}
        onMouseMove={(event) => {
          const name = nameAt(event);
          event.currentTarget.title = name === undefined ? '' : shown(name);
          event.currentTarget.style.cursor = name === undefined ? '' : 'pointer';
        }}
        onClick={(event) => {
          const name = nameAt(event);
          if (name !== undefined) navigate({ page: 'cluster', name, act: '' });
        }}
      />
    </div>
  );
}

interface Drawing extends Omit<CellsProps, 'names'> {
  readonly columns: number;
  readonly width: number;
  readonly height: number;
}

function drawCells(canvas: HTMLCanvasElement, { marks, looks, size, columns, width, height }: Drawing): void {
  const ratio = devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.scale(ratio, ratio);
  const style = getComputedStyle(canvas);
  const step = size + GAP;
  const line = Math.max(size / 9, 1.2);
  // What is set for a cell costs more than the cell, and is the same for all of one look.
  for (const [which, look] of looks.entries()) {
    const color = style.getPropertyValue(`--${look.tone}`);
    Object.assign(context, { fillStyle: color, strokeStyle: color, lineWidth: line });
    context.setLineDash(look.isDashed === true ? [line * 1.5, line] : []);
    const digit = String(which);
    for (let index = marks.indexOf(digit); index >= 0; index = marks.indexOf(digit, index + 1)) {
      const cell = { x: (index % columns) * step, y: Math.floor(index / columns) * step, size };
      drawCell(context, look, cell, line);
    }
  }
}

interface CellPlace {
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

/** Full, in part, crossed, or a frame: to be told apart without color. */
function drawCell(context: CanvasRenderingContext2D, look: CellLook, { x, y, size }: CellPlace, line: number): void {
  const { fill, over } = look;
  const filled = size * (over === 'dot' ? 0.3 : fill);
  if (over === 'dot') {
    context.fillRect(x + (size - filled) / 2, y + (size - filled) / 2, filled, filled);
    return;
  }
  context.fillRect(x, y + size - filled, size, filled);
  if (fill === 1) return;
  context.strokeRect(x + line / 2, y + line / 2, size - line, size - line);
  if (over === 'bar') context.fillRect(x + size / 4, y + size / 2 - line, size / 2, line * 2);
  if (over !== 'cross') return;
  context.beginPath();
  context.moveTo(x + line, y + line);
  context.lineTo(x + size - line, y + size - line);
  context.moveTo(x + size - line, y + line);
  context.lineTo(x + line, y + size - line);
  context.lineWidth = line * 1.6;
  context.stroke();
  context.lineWidth = line;
}
