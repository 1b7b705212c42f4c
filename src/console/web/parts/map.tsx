import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Health } from '../../../answers/fleetsummary.js';
import { HEALTHS, type Counts, type FleetMap, type MapGroup } from '../../wire/fleet.js';
import { shown } from '../command.js';
import { navigate } from '../navigate.js';
import { Count } from './name.js';
import { HEALTH_LOOK } from './icon.js';

/** Every cluster as a cell, group by group. The cells are a picture: groups, counts and the table say the same. */

/** So many groups are drawn. */
const MOST_GROUPS = 60;
const GAP = 2;

export interface MapProps {
  readonly map: FleetMap;
  /** Filters by the group. */
  readonly onGroup: (term: string) => void;
}

export function MapView({ map, onGroup }: MapProps): JSX.Element {
  const size = cellSize(map.matched);
  let first = 0;
  const groups = map.groups.slice(0, MOST_GROUPS).map((group) => {
    const begin = first;
    first += group.count;
    return { group, names: map.names.slice(begin, first), health: map.health.slice(begin, first) };
  });
  return (
    <div class="map">
      {groups.map(({ group, names, health }) => (
        <section key={group.value} class="map-group">
          <GroupHead group={group} by={map.group} onGroup={onGroup} />
          <Cells names={names} health={health} size={size} />
        </section>
      ))}
      {map.groups.length > MOST_GROUPS && (
        <p class="muted">{map.groups.length - MOST_GROUPS} more groups: filter, or group by something else.</p>
      )}
    </div>
  );
}

function cellSize(count: number): number {
  if (count <= 100) return 24;
  if (count <= 400) return 16;
  return count <= 3_000 ? 10 : 7;
}

function GroupHead({
  group,
  by,
  onGroup,
}: {
  readonly group: MapGroup;
  readonly by: string;
  readonly onGroup: (term: string) => void;
}): JSX.Element {
  const name =
    group.value === '' ? noneText(by) : shown(by === 'health' ? HEALTH_LOOK[group.value as Health].text : group.value);
  const { term } = group;
  return (
    <div class="map-head">
      {term === undefined ? (
        <span class="map-name muted">{name}</span>
      ) : (
        <button type="button" class="link map-name" onClick={() => onGroup(term)} title={`Show ${name} alone`}>
          <bdi>{name}</bdi>
        </button>
      )}
      <Count of={group.count} />
      <span class="muted map-counts">{countsText(group.counts)}</span>
    </div>
  );
}

function noneText(by: string): string {
  return by === 'set' ? 'in no cluster set' : `without ${by.slice(by.indexOf(':') + 1)}`;
}

/** What is not as it should be; empty where all is well. */
function countsText(counts: Counts): string {
  return HEALTHS.filter((health) => health !== 'available' && counts[health] > 0)
    .map((health) => `${counts[health].toLocaleString('en-US')} ${HEALTH_LOOK[health].text}`)
    .join(', ');
}

interface CellsProps {
  readonly names: readonly string[];
  readonly health: string;
  readonly size: number;
}

function Cells({ names, health, size }: CellsProps): JSX.Element {
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
  const columns = Math.max(Math.floor(width.value / step), 1);
  const height = Math.ceil(names.length / columns) * step;
  useEffect(() => {
    const { current } = canvas;
    if (current === null || width.value === 0) return undefined;
    const draw = (): void => drawCells(current, { health, size, columns, width: width.value, height });
    draw();
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => scheme.removeEventListener('change', draw);
  }, [health, size, columns, height, width.value]);
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
          if (name !== undefined) navigate({ page: 'cluster', name, drain: false });
        }}
      />
    </div>
  );
}

interface Drawing {
  readonly health: string;
  readonly size: number;
  readonly columns: number;
  readonly width: number;
  readonly height: number;
}

function drawCells(canvas: HTMLCanvasElement, { health, size, columns, width, height }: Drawing): void {
  const ratio = devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.scale(ratio, ratio);
  const style = getComputedStyle(canvas);
  const step = size + GAP;
  const line = Math.max(size / 7, 1.2);
  // What is set for a cell costs more than the cell, and is the same for all of one health.
  for (const [which, one] of HEALTHS.entries()) {
    const color = style.getPropertyValue(`--${HEALTH_LOOK[one].tone}`);
    Object.assign(context, { fillStyle: color, strokeStyle: color, lineWidth: line });
    context.setLineDash(one === 'noAgent' ? [line * 1.5, line] : []);
    const digit = String(which);
    for (let index = health.indexOf(digit); index >= 0; index = health.indexOf(digit, index + 1)) {
      const cell = { x: (index % columns) * step, y: Math.floor(index / columns) * step, size };
      drawCell(context, one, cell, line);
    }
  }
}

interface CellPlace {
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

/** Full, half, crossed, or a frame: to be told apart without color. */
function drawCell(context: CanvasRenderingContext2D, health: Health, { x, y, size }: CellPlace, line: number): void {
  if (health === 'available') {
    context.fillRect(x, y, size, size);
    return;
  }
  if (health === 'silent') context.fillRect(x, y + size / 2, size, size / 2);
  if (health === 'unavailable') {
    context.beginPath();
    context.moveTo(x + line, y + line);
    context.lineTo(x + size - line, y + size - line);
    context.moveTo(x + size - line, y + line);
    context.lineTo(x + line, y + size - line);
    context.lineWidth = line * 1.6;
    context.stroke();
    context.lineWidth = line;
  }
  if (health === 'deleting') context.fillRect(x + size / 4, y + size / 2 - line / 2, size / 2, line);
  context.strokeRect(x + line / 2, y + line / 2, size - line, size - line);
}
