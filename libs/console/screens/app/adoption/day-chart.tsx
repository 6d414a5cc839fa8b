import { useEffect, useId, useRef, useState } from 'react';
import * as texts from '../../../texts/adoption';
import { dayWords, shortDayWords, sum, type Series } from './series';
import { ticksUpTo } from './ticks';

const HEIGHT = 260;
const ROOM = { top: 10, right: 24, bottom: 26, left: 44 };
/** Between two days of the axis, in pixels. */
const TICK_ROOM = 90;
const MOST_TICKS = 5;
/** Between two columns, as a share of the width of a day. */
const PADDING = 0.15;

interface DayChartProps {
  readonly title: string;
  /** The description for people who don't see the chart. */
  readonly summary: string;
  readonly days: readonly string[];
  readonly series: readonly Series[];
  /** The index of a day. */
  readonly chosen: number;
  /** Undefined: the pointer has left. */
  readonly choose: (day: number | undefined) => void;
  /** The counts of the chosen day, in words. */
  readonly counts: string;
}

/**
 * A stacked column for each day. A day is chosen by pointing at it, or by the arrow keys; its counts are in the legend
 * below.
 */
export function DayChart({ title, summary, days, series, chosen, choose, counts }: DayChartProps) {
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const most = Math.max(1, ...days.map((_, day) => sum(series.map(({ values }) => values[day] ?? 0))));
  const ticks = ticksUpTo(most, MOST_TICKS);
  const floor = HEIGHT - ROOM.bottom;
  const y = (value: number): number => floor - ((floor - ROOM.top) * value) / (ticks.at(-1) ?? 1);
  const dayWidth = Math.max(1, width - ROOM.left - ROOM.right) / (days.length + PADDING);
  const left = (day: number): number => ROOM.left + dayWidth * (day + PADDING / 2);
  const every = Math.max(1, Math.ceil(days.length / Math.max(1, Math.floor(width / TICK_ROOM))));
  return (
    <div ref={place} className="day-chart" onPointerLeave={() => choose(undefined)}>
      <svg width="100%" height={HEIGHT} role="img" aria-labelledby={`${id}-title ${id}-desc`}>
        <title id={`${id}-title`}>{title}</title>
        <desc id={`${id}-desc`}>{summary}</desc>
        {width > 0 && (
          <>
            <g className="axis" aria-hidden="true">
              <rect className="chosen-day" x={left(chosen)} y={ROOM.top} width={dayWidth} height={floor - ROOM.top} />
              <line x1={ROOM.left} x2={width - ROOM.right} y1={floor} y2={floor} />
              {days.map(
                (day, index) =>
                  (days.length - 1 - index) % every === 0 && (
                    <text key={day} x={left(index) + dayWidth / 2} y={floor + 17} className="day">
                      {shortDayWords(day)}
                    </text>
                  ),
              )}
              {ticks.map((value) => (
                <g key={value}>
                  <line x1={ROOM.left} x2={width - ROOM.right} y1={y(value)} y2={y(value)} />
                  <text x={ROOM.left - 8} y={y(value) + 4} className="count">
                    {value.toLocaleString()}
                  </text>
                </g>
              ))}
            </g>
            {days.map((day, index) => (
              <Column
                key={day}
                x={left(index) + (dayWidth * PADDING) / 2}
                width={dayWidth * (1 - PADDING)}
                parts={series.map(({ colour, values }) => [colour, values[index] ?? 0])}
                y={y}
              />
            ))}
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
        aria-valuetext={texts.countsOn(dayWords(days[chosen] ?? ''), counts)}
        min={0}
        max={days.length - 1}
        value={chosen}
        onChange={({ target }) => choose(target.valueAsNumber)}
      />
    </div>
  );
}

interface ColumnProps {
  readonly x: number;
  readonly width: number;
  /** From the bottom up. */
  readonly parts: readonly (readonly [colour: string, value: number])[];
  readonly y: (value: number) => number;
}

function Column({ x, width, parts, y }: ColumnProps) {
  return parts.map(([colour, value], index) => {
    const top = sum(parts.slice(0, index + 1).map(([, each]) => each));
    return (
      value > 0 && (
        <rect
          key={colour}
          className={`bar ${colour}`}
          x={x}
          y={y(top)}
          width={width}
          height={y(top - value) - y(top)}
        />
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
