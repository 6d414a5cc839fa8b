import { scaleBand, scaleLinear } from '@visx/scale';
import { BarStack } from '@visx/shape';
import { useEffect, useId, useRef, useState } from 'react';
import { sum, type Series } from './series';

const HEIGHT = 260;
const ROOM = { top: 10, right: 8, bottom: 26, left: 44 };
/** Between two days of the axis, in pixels. */
const TICK_ROOM = 90;

const dayName = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

interface Day {
  readonly day: string;
  readonly values: readonly number[];
}

/** A column for each day, the series one on the other. What it shows stands in the legend and the table beside it. */
export function DayChart({
  title,
  summary,
  days,
  series,
}: {
  readonly title: string;
  /** What there is to see, for those who don't see it. */
  readonly summary: string;
  readonly days: readonly string[];
  readonly series: readonly Series[];
}) {
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const rows = days.map((day, index): Day => ({ day, values: series.map(({ values }) => values[index] ?? 0) }));
  const keys = series.map((_, index) => index);
  const most = Math.max(1, ...rows.map(({ values }) => sum(values)));
  const x = scaleBand({
    domain: [...days],
    range: [ROOM.left, Math.max(ROOM.left + 1, width - ROOM.right)],
    padding: 0.15,
  });
  const y = scaleLinear({ domain: [0, most], range: [HEIGHT - ROOM.bottom, ROOM.top], nice: true });
  const every = Math.max(1, Math.ceil(days.length / Math.max(1, Math.floor(width / TICK_ROOM))));
  return (
    <div ref={place} className="day-chart">
      <svg width="100%" height={HEIGHT} role="img" aria-labelledby={`${id}-title ${id}-desc`}>
        <title id={`${id}-title`}>{title}</title>
        <desc id={`${id}-desc`}>{summary}</desc>
        {width > 0 && (
          <>
            <g className="axis" aria-hidden="true">
              <line x1={ROOM.left} x2={width - ROOM.right} y1={HEIGHT - ROOM.bottom} y2={HEIGHT - ROOM.bottom} />
              {days
                .filter((_, index) => index % every === 0)
                .map((day) => (
                  <text key={day} x={(x(day) ?? 0) + x.bandwidth() / 2} y={HEIGHT - ROOM.bottom + 17} className="day">
                    {dayName.format(new Date(day))}
                  </text>
                ))}
              {y
                .ticks(Math.min(5, most))
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
              color={(key) => `series-${key}`}
            >
              {(stacks) =>
                stacks.flatMap(({ key, bars }) =>
                  bars.map((bar) =>
                    bar.height > 0 ? (
                      <rect
                        key={`${key}-${bar.index}`}
                        className={bar.color}
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
          </>
        )}
      </svg>
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
