import { useState } from 'react';
import { Button } from '../../../parts/button';
import { Name } from '../../../parts/name';
import { numbers, rowHead, Table } from '../../../parts/page';
import * as texts from '../../../texts/adoption';
import { DayChart } from './day-chart';
import { dayWords, scaledTo, sum, type Series } from './series';

interface DayFiguresProps {
  readonly title: string;
  /** A count in words, such as `3 active devices`. */
  readonly unit: (count: number) => string;
  /** Whether the series of a day are parts of one whole. */
  readonly shares: boolean;
  readonly days: readonly string[];
  readonly series: readonly Series[];
  /** Of each day, where the series may count one thing twice. Left out: their sums. */
  readonly totals?: readonly number[];
}

/** Series by day as a chart with the counts of one day, or as a table. */
export function DayFigures({ title, unit, shares, days, series, totals }: DayFiguresProps) {
  const [asTable, setAsTable] = useState(false);
  const [pointed, setPointed] = useState<number>();
  // Both charts show the same day by default: the last one.
  const chosen = pointed !== undefined && pointed < days.length ? pointed : days.length - 1;
  const day = dayWords(days[chosen] ?? '');
  const counts = series.map(({ name, values }) => texts.countOf(name, values[chosen] ?? 0)).join(', ');
  const total = totals?.[chosen] ?? sum(series.map(({ values }) => values[chosen] ?? 0));
  const summary = texts.summary(
    dayWords(days[0] ?? ''),
    dayWords(days.at(-1) ?? ''),
    day,
    totals === undefined ? undefined : total.toLocaleString(),
    counts,
  );
  const drawn = totals === undefined ? series : scaledTo(totals, series);
  return (
    <div className="day-figures">
      {asTable ? (
        <FiguresTable title={title} days={days} series={series} totals={totals} />
      ) : (
        <>
          <DayChart {...{ title, summary, days, chosen, counts }} series={drawn} choose={setPointed} />
          <p className="dim">{texts.totalOn(day, unit(total))}</p>
          <Legend day={chosen} series={series} whole={shares ? total : undefined} />
          {totals !== undefined && <p className="dim">{texts.totalsHelp}</p>}
        </>
      )}
      <div>
        <Button onClick={() => setAsTable(!asTable)}>{asTable ? texts.showChart : texts.showTable}</Button>
      </div>
    </div>
  );
}

interface LegendProps {
  /** Its index. */
  readonly day: number;
  readonly series: readonly Series[];
  /** The total that all are a share of, if they are. */
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
            <strong>
              <Name>{name}</Name>
            </strong>{' '}
            {value.toLocaleString()}{' '}
            {whole !== undefined && whole > 0 && (
              <span className="dim">{texts.percent(Math.round((100 * value) / whole))}</span>
            )}
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
  const columns = totals === undefined ? series : [{ name: texts.devices, values: totals }, ...series];
  return (
    <Table
      label={title}
      rows={days.map((_, index) => index).reverse()}
      keyOf={(index) => index}
      columns={[
        [rowHead(texts.day), (index) => dayWords(days[index] ?? '')],
        ...columns.map(
          ({ name, values }) => [numbers(name), (index: number) => (values[index] ?? 0).toLocaleString()] as const,
        ),
      ]}
    />
  );
}
