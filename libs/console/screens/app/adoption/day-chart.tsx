import { scaleBand, scaleLinear } from '@visx/scale';
import { BarStack } from '@visx/shape';
import { useEffect, useId, useRef, useState } from 'react';
import * as texts from '../../../texts/adoption';
import { dayWords, shortDayWords, sum, type Series } from './series';

const HEIGHT = 260;
const ROOM = { top: 10, right: 24, bottom: 26, left: 44 };
/** Between two days of the axis, in pixels. */
const TICK_ROOM = 90;
const MOST_TICKS = 5;

interface Day {
  readonly day: string;
  readonly values: readonly number[];
}

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
  const rows = days.map((day, index): Day => ({ day, values: series.map(({ values }) => values[index] ?? 0) }));
  const keys = series.map((_, index) => index);
  const most = Math.max(1, ...rows.map(({ values }) => sum(values)));
  const ticks = Math.min(MOST_TICKS, most);
  const x = scaleBand({
    domain: [...days],
    range: [ROOM.left, Math.max(ROOM.left + 1, width - ROOM.right)],
    padding: 0.15,
  });
  const y = scaleLinear({ domain: [0, most], range: [HEIGHT - ROOM.bottom, ROOM.top], nice: ticks });
  const every = Math.max(1, Math.ceil(days.length / Math.max(1, Math.floor(width / TICK_ROOM))));
  const left = (day: string): number => (x(day) ?? 0) - (x.step() - x.bandwidth()) / 2;
  return (
    <div ref={place} className="day-chart" onPointerLeave={() => choose(undefined)}>
      <svg width="100%" height={HEIGHT} role="img" aria-labelledby={`${id}-title ${id}-desc`}>
        <title id={`${id}-title`}>{title}</title>
        <desc id={`${id}-desc`}>{summary}</desc>
        {width > 0 && (
          <>
            <g className="axis" aria-hidden="true">
              <rect
                className="chosen-day"
                x={left(days[chosen] ?? '')}
                y={ROOM.top}
                width={x.step()}
                height={HEIGHT - ROOM.top - ROOM.bottom}
              />
              <line x1={ROOM.left} x2={width - ROOM.right} y1={HEIGHT - ROOM.bottom} y2={HEIGHT - ROOM.bottom} />
              {days
                .filter((_, index) => (days.length - 1 - index) % every === 0)
                .map((day) => (
                  <text key={day} x={(x(day) ?? 0) + x.bandwidth() / 2} y={HEIGHT - ROOM.bottom + 17} className="day">
                    {shortDayWords(day)}
                  </text>
                ))}
              {y
                .ticks(ticks)
                .filter(Number.isInteger)
                .map((value) => (
                  <g key={value}>
                    <line x1={ROOM.left} x2={width - ROOM.right} y1={y(value)} y2={y(value)} />
                    <text x={ROOM.left - 8} y={y(value) + 4} className="count">
                      {value.toLocaleString()}
                    </text>
                  </g>
                ))}
            </g>
            <BarStack<Day, number>
              data={rows}
              keys={keys}
              x={({ day }) => day}
              value={({ values }, key) => values[key] ?? 0}
              xScale={x}
              yScale={y}
              color={(key) => series[key]?.colour ?? ''}
            >
              {(stacks) =>
                stacks.flatMap(({ key, bars }) =>
                  bars.map((bar) =>
                    bar.height > 0 ? (
                      <rect
                        key={`${key}-${bar.index}`}
                        className={`bar ${bar.color}`}
                        x={bar.x}
                        y={bar.y}
                        width={bar.width}
                        height={bar.height}
                      />
                    ) : null,
                  ),
                )
              }
            </BarStack>
            {days.map((day, index) => (
              <rect
                key={day}
                className="day-area"
                x={left(day)}
                y={0}
                width={x.step()}
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
