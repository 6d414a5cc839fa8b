import { useState } from 'react';
import { Button } from '../../../parts/button';
import { numbers, rowHead, Table } from '../../../parts/page';
import { DayChart } from './day-chart';
import { dayWords, scaledTo, sum, type Series } from './series';

interface DayFiguresProps {
  readonly title: string;
  /** What is counted, such as `active device` and `active devices`. */
  readonly unit: readonly [one: string, many: string];
  /** Whether the series of a day are parts of one whole. */
  readonly shares: boolean;
  readonly days: readonly string[];
  readonly series: readonly Series[];
  /** Of each day, where the series may count one thing twice. Left out: their sums. */
  readonly totals?: readonly number[];
}

/** Series of days as a chart with the figures of one day, or as a table. */
export function DayFigures({ title, unit: [one, many], shares, days, series, totals }: DayFiguresProps) {
  const [asTable, setAsTable] = useState(false);
  const [pointed, setPointed] = useState<number>();
  // The last one, in each chart of these days, whatever happened on it.
  const chosen = pointed !== undefined && pointed < days.length ? pointed : days.length - 1;
  const day = dayWords(days[chosen] ?? '');
  const figures = series.map(({ name, values }) => `${name}: ${values[chosen] ?? 0}`).join(', ');
  const total = totals?.[chosen] ?? sum(series.map(({ values }) => values[chosen] ?? 0));
  const inAll = totals === undefined ? '' : `${total} in all. `;
  const summary = `${many} from ${dayWords(days[0] ?? '')} to ${dayWords(days.at(-1) ?? '')}. On ${day}: ${inAll}${figures}.`;
  const drawn = totals === undefined ? series : scaledTo(totals, series);
  return (
    <div className="day-figures">
      {asTable ? (
        <FiguresTable title={title} days={days} series={series} totals={totals} />
      ) : (
        <>
          <DayChart {...{ title, summary, days, chosen, figures }} series={drawn} choose={setPointed} />
          <p className="dim">
            On {day}: {total.toLocaleString()} {total === 1 ? one : many}
          </p>
          <Legend day={chosen} series={series} whole={shares ? total : undefined} />
          {totals !== undefined && (
            <p className="dim">
              A column is as high as its day has {many}. One that reports two versions on a day counts under both, and
              once in the total.
            </p>
          )}
        </>
      )}
      <div>
        <Button onClick={() => setAsTable(!asTable)}>{asTable ? 'Show as chart' : 'Show as table'}</Button>
      </div>
    </div>
  );
}

interface LegendProps {
  /** Its index. */
  readonly day: number;
  readonly series: readonly Series[];
  /** What all are a share of, if they are. */
  readonly whole: number | undefined;
}

function Legend({ day, series, whole }: LegendProps) {
  return (
    <ul className="legend">
      {series.map(({ name, values, colour }) => {
        const value = values[day] ?? 0;
        return (
          <li key={name}>
            <svg width="14" height="14" aria-hidden="true">
              <rect className={colour} width="14" height="14" rx="3" />
            </svg>
            <strong>{name}</strong> {value.toLocaleString()}{' '}
            {whole !== undefined && whole > 0 && <span className="dim">{Math.round((100 * value) / whole)} %</span>}
          </li>
        );
      })}
    </ul>
  );
}

interface FiguresTableProps {
  readonly title: string;
  readonly days: readonly string[];
  readonly series: readonly Series[];
  readonly totals: readonly number[] | undefined;
}

function FiguresTable({ title, days, series, totals }: FiguresTableProps) {
  const columns = totals === undefined ? series : [{ name: 'Devices', values: totals }, ...series];
  return (
    <Table
      label={title}
      rows={days.map((_, index) => index).reverse()}
      keyOf={(index) => index}
      columns={[
        [rowHead('Day (UTC)'), (index) => dayWords(days[index] ?? '')],
        ...columns.map(
          ({ name, values }) => [numbers(name), (index: number) => (values[index] ?? 0).toLocaleString()] as const,
        ),
      ]}
    />
  );
}
