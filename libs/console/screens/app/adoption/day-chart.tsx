import type { Adoption } from '@sluice/contracts';
import { useEffect, useId, useRef, useState } from 'react';
import { Name } from '../../../parts/name';
import * as texts from '../../../texts/adoption';
import { dayWords, shortDayWords, sum, TEXTURES, type Series } from './series';
import { ticksUpTo } from './ticks';

const HEIGHT = 280;
const ROOM = { top: 26, right: 24, bottom: 26, left: 48 };
/** Between two days of the axis, and two names of releases, in pixels. */
const TICK_ROOM = 90;
const RELEASE_ROOM = 64;
const MOST_TICKS = 5;
/** Between two columns, as a share of the width of a day. */
const PADDING = 0.15;

interface DayChartProps {
  readonly title: string;
  /** The description for people who don't see the chart. */
  readonly summary: string;
  readonly days: readonly string[];
  /** As they are drawn. */
  readonly series: readonly Series[];
  /** The values of `series` are percentages. */
  readonly shares: boolean;
  readonly releases: Adoption['releases'];
  /** The index of a day. */
  readonly chosen: number;
  /** Undefined: the pointer has left. */
  readonly choose: (day: number | undefined) => void;
  /** The counts of the chosen day, in words. */
  readonly counts: string;
  /** Shown next to the chosen day while a person points at it; undefined: no person does. */
  readonly tip: readonly (readonly [series: Series, count: string])[] | undefined;
  readonly total: string;
}

/** A stacked column for each day. A day is chosen by pointing at it, or by the arrow keys. */
export function DayChart(props: DayChartProps) {
  const { title, summary, days, series, shares, releases, chosen, choose, counts, tip, total } = props;
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const most = shares ? 100 : Math.max(1, ...days.map((_, day) => sum(series.map(({ values }) => values[day] ?? 0))));
  const ticks = ticksUpTo(most, MOST_TICKS);
  const floor = HEIGHT - ROOM.bottom;
  const y = (value: number): number => floor - ((floor - ROOM.top) * value) / (ticks.at(-1) ?? 1);
  const dayWidth = Math.max(1, width - ROOM.left - ROOM.right) / (days.length + PADDING);
  const left = (day: number): number => ROOM.left + dayWidth * (day + PADDING / 2);
  const middle = (day: number): number => left(day) + dayWidth / 2;
  const every = Math.max(1, Math.ceil(days.length / Math.max(1, Math.floor(width / TICK_ROOM))));
  const released = days.map((day) => releases.filter(({ at }) => at.startsWith(day)).map(({ version }) => version));
  const markers = released.flatMap((versions, day) => (versions.length === 0 ? [] : [{ day, versions }]));
  const onChosen = released[chosen] ?? [];
  return (
    <div
      ref={place}
      className="day-chart"
      // A finger leaves as soon as it is lifted.
      onPointerLeave={({ pointerType }) => pointerType !== 'touch' && choose(undefined)}
    >
      <svg width="100%" height={HEIGHT} role="img" aria-labelledby={`${id}-title ${id}-desc`}>
        <title id={`${id}-title`}>{title}</title>
        <desc id={`${id}-desc`}>{summary}</desc>
        {width > 0 && (
          <>
            {Array.from({ length: TEXTURES - 1 }, (_, index) => (
              <Texture key={index} id={`${id}-${index + 1}`} of={index + 1} />
            ))}
            <g className="axis" aria-hidden="true">
              <rect className="chosen-day" x={left(chosen)} y={ROOM.top} width={dayWidth} height={floor - ROOM.top} />
              <line x1={ROOM.left} x2={width - ROOM.right} y1={floor} y2={floor} />
              {days.map(
                (day, index) =>
                  (days.length - 1 - index) % every === 0 && (
                    <text key={day} x={middle(index)} y={floor + 17} className="day">
                      {shortDayWords(day)}
                    </text>
                  ),
              )}
              {ticks.map((value) => (
                <g key={value}>
                  <line x1={ROOM.left} x2={width - ROOM.right} y1={y(value)} y2={y(value)} />
                  <text x={ROOM.left - 8} y={y(value) + 4} className="count">
                    {shares ? texts.percentage(value) : value.toLocaleString()}
                  </text>
                </g>
              ))}
            </g>
            {days.map((day, index) => (
              <Column
                key={day}
                textures={id}
                x={left(index) + (dayWidth * PADDING) / 2}
                width={dayWidth * (1 - PADDING)}
                parts={series.map((each) => [each, each.values[index] ?? 0])}
                y={y}
              />
            ))}
            <g className="axis" aria-hidden="true">
              {markers.map(({ day, versions }, index) => (
                <g key={day} className="release">
                  <line x1={middle(day)} x2={middle(day)} y1={ROOM.top - 6} y2={floor} />
                  <path d={`M${middle(day) - 5} ${ROOM.top - 8}h10l-5 7z`} />
                  {middle(markers[index + 1]?.day ?? Infinity) - middle(day) > RELEASE_ROOM && (
                    <text x={Math.min(middle(day), width - 20)} y={ROOM.top - 12}>
                      {releaseWords(versions)}
                    </text>
                  )}
                </g>
              ))}
            </g>
            {days.map((day, index) => (
              <rect
                key={day}
                className="day-area"
                x={left(index)}
                y={0}
                width={dayWidth}
                height={HEIGHT}
                onPointerEnter={() => choose(index)}
              />
            ))}
          </>
        )}
      </svg>
      <input
        type="range"
        className="visually-hidden"
        aria-label={texts.dayOf(title)}
        aria-valuetext={texts.countsOn(dayWords(days[chosen] ?? ''), counts, onChosen)}
        min={0}
        max={days.length - 1}
        value={chosen}
        onFocus={() => choose(chosen)}
        onBlur={() => choose(undefined)}
        onChange={({ target }) => choose(target.valueAsNumber)}
      />
      {tip !== undefined && (
        // The slider reads the same to screen readers.
        <div
          className="chart-tip"
          aria-hidden="true"
          style={
            middle(chosen) < width / 2
              ? { insetInlineStart: left(chosen) + dayWidth + 4 }
              : { insetInlineEnd: width - left(chosen) + 4 }
          }
        >
          <p>
            <strong>{dayWords(days[chosen] ?? '')}</strong>
            <br />
            {total}
          </p>
          <ul>
            {tip.map(([each, count]) => (
              <li key={each.name}>
                <Swatch of={each} /> <Name>{each.name}</Name> <span>{count}</span>
              </li>
            ))}
          </ul>
          {onChosen.length > 0 && <p>{texts.releasedHere(onChosen)}</p>}
        </div>
      )}
    </div>
  );
}

const MOST_LETTERS = 14;

/** The versions of a day in little room: all of them, or the first one and how many follow. */
function releaseWords(versions: readonly string[]): string {
  const all = versions.join(', ');
  if (all.length <= MOST_LETTERS) return all;
  const more = versions.length > 1 ? ` +${versions.length - 1}` : '';
  const [first = ''] = versions;
  const room = MOST_LETTERS - more.length;
  return `${first.length > room ? `${first.slice(0, room - 1)}…` : first}${more}`;
}

/** The colour and texture of a series. */
export function Swatch({ of: { colour, texture } }: { readonly of: Pick<Series, 'colour' | 'texture'> }) {
  const id = useId();
  return (
    <svg className="swatch" width="14" height="14" aria-hidden="true">
      <rect className={colour} width="14" height="14" rx="3" />
      {texture > 0 && (
        <>
          <Texture id={id} of={texture} />
          <rect width="14" height="14" rx="3" fill={`url(#${id})`} />
        </>
      )}
    </svg>
  );
}

/** Stripes, or dots. */
function Texture({ id, of }: { readonly id: string; readonly of: number }) {
  return (
    <pattern id={id} className="texture" width="6" height="6" patternUnits="userSpaceOnUse">
      {of === 1 ? <path d="M-1 7L7 -1M-1 1L1 -1M5 7L7 5" /> : <circle cx="3" cy="3" r="1.3" />}
    </pattern>
  );
}

interface ColumnProps {
  /** Begins the ids of the textures. */
  readonly textures: string;
  readonly x: number;
  readonly width: number;
  /** From the bottom up. */
  readonly parts: readonly (readonly [series: Series, value: number])[];
  readonly y: (value: number) => number;
}

function Column({ textures, x, width, parts, y }: ColumnProps) {
  return parts.map(([{ name, colour, texture }, value], index) => {
    const top = sum(parts.slice(0, index + 1).map(([, each]) => each));
    const box = { x, y: y(top), width, height: y(top - value) - y(top) };
    return (
      value > 0 && (
        <g key={name}>
          <rect className={`bar ${colour}`} {...box} />
          {texture > 0 && <rect {...box} fill={`url(#${textures}-${texture})`} />}
        </g>
      )
    );
  });
}

/** Of an element, in pixels, as it changes; 0 before the first. */
function useWidth(place: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(element);
    return () => observer.disconnect();
  }, [place]);
  return width;
}
