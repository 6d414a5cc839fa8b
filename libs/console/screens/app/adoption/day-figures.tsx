import type { Adoption } from '@sluice/contracts';
import { useState } from 'react';
import { Name } from '../../../parts/name';
import { numbers, rowHead, Table } from '../../../parts/page';
import * as texts from '../../../texts/adoption';
import { percentOf } from '../../../texts/build-stats';
import { DayChart, Swatch } from './day-chart';
import { dayWords, scaledTo, sum, type Series } from './series';

export type View = 'devices' | 'shares' | 'table';

interface DayFiguresProps {
  readonly title: string;
  readonly view: View;
  readonly days: readonly string[];
  readonly series: readonly Series[];
  readonly totals: readonly number[];
  readonly releases: Adoption['releases'];
}

/** Versions by day as a chart with the counts of one day, or as a table. */
export function DayFigures({ title, view, days, series, totals, releases }: DayFiguresProps) {
  const [pointed, setPointed] = useState<number>();
  const isPointed = pointed !== undefined && pointed < days.length;
  const chosen = isPointed ? pointed : days.length - 1;
  if (view === 'table') return <FiguresTable {...{ title, days, series, totals, releases }} />;
  const day = dayWords(days[chosen] ?? '');
  const total = totals[chosen] ?? 0;
  const all = sum(series.map(({ values }) => values[chosen] ?? 0));
  const shareOf = (value: number): string => percentOf(value, all);
  const counts = series.map(({ name, values }) => texts.countOf(name, values[chosen] ?? 0)).join(', ');
  const summary = texts.summary(
    dayWords(days[0] ?? ''),
    dayWords(days.at(-1) ?? ''),
    day,
    total.toLocaleString(),
    counts,
  );
  const shares = view === 'shares';
  return (
    <div className="day-figures">
      <DayChart
        {...{ title, summary, days, chosen, counts, shares, releases }}
        series={scaledTo(shares ? totals.map((count) => (count > 0 ? 100 : 0)) : totals, series)}
        choose={setPointed}
        total={texts.activeUnit(total)}
        tip={
          isPointed
            ? series.map((each) => {
                const value = each.values[chosen] ?? 0;
                return [each, texts.countAndShare(value.toLocaleString(), shareOf(value))] as const;
              })
            : undefined
        }
      />
      <p className="dim">{texts.totalOn(day, texts.activeUnit(total))}</p>
      <ul className="legend">
        {series.map((each) => (
          <li key={each.name}>
            <Swatch of={each} />
            <strong>
              <Name>{each.name}</Name>
            </strong>{' '}
            {(each.values[chosen] ?? 0).toLocaleString()}{' '}
            {all > 0 && <span className="dim">({shareOf(each.values[chosen] ?? 0)})</span>}
          </li>
        ))}
      </ul>
      <p className="dim">{texts.totalsHelp}</p>
    </div>
  );
}

function FiguresTable({ title, days, series, totals, releases }: Omit<DayFiguresProps, 'view'>) {
  const columns = [{ name: texts.devices, values: totals }, ...series];
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
        [
          texts.released,
          (index) =>
            releases
              .filter(({ at }) => at.startsWith(days[index] ?? ''))
              .map(({ version }) => version)
              .join(', ') || '–',
        ],
      ]}
    />
  );
}
