import { useState } from 'react';
import { Button } from '../../../parts/button';
import { numbers, Table } from '../../../parts/page';
import { DayChart } from './day-chart';
import { lastDay, scaledTo, sum, type Series } from './series';

/** Series of days as a chart with its legend, or as a table. */
export function DayFigures({
  title,
  unit,
  days,
  series,
  totals,
}: {
  readonly title: string;
  /** What is counted, such as `active devices`. */
  readonly unit: string;
  readonly days: readonly string[];
  readonly series: readonly Series[];
  /** Of each day, where the series may count one thing twice. Left out: their sums. */
  readonly totals?: readonly number[];
}) {
  const [asTable, setAsTable] = useState(false);
  const last = lastDay(days, series);
  const ofLast = series.map(({ name, values }) => `${name}: ${values[last] ?? 0}`);
  const total = totals?.[last] ?? sum(series.map(({ values }) => values[last] ?? 0));
  const inAll = totals === undefined ? '' : `${total} in all. `;
  const summary = `${unit} from ${days[0] ?? ''} to ${days.at(-1) ?? ''}. On ${days[last] ?? ''}: ${inAll}${ofLast.join(', ')}.`;
  return (
    <div className="day-figures">
      {asTable ? (
        <FiguresTable title={title} days={days} series={series} totals={totals} />
      ) : (
        <>
          <DayChart
            title={title}
            summary={summary}
            days={days}
            series={totals === undefined ? series : scaledTo(totals, series)}
          />
          <Legend day={days[last] ?? ''} index={last} series={series} unit={unit} total={total} />
          {totals !== undefined && (
            <p className="dim">
              A column is as high as its day has {unit}. One that reports two versions on a day counts under both, and
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

function Legend({
  day,
  index,
  series,
  unit,
  total,
}: {
  readonly day: string;
  readonly index: number;
  readonly series: readonly Series[];
  readonly unit: string;
  readonly total: number;
}) {
  return (
    <div>
      <p className="dim">
        On {day}: {total.toLocaleString()} {unit}
      </p>
      <ul className="legend">
        {series.map(({ name, values }, key) => {
          const value = values[index] ?? 0;
          const share = total === 0 ? 0 : Math.round((100 * value) / total);
          return (
            <li key={name}>
              <svg width="14" height="14" aria-hidden="true">
                <rect className={`series-${key}`} width="14" height="14" rx="3" />
              </svg>
              <strong>{name}</strong> {value.toLocaleString()} <span className="dim">{share} %</span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function FiguresTable({
  title,
  days,
  series,
  totals,
}: {
  readonly title: string;
  readonly days: readonly string[];
  readonly series: readonly Series[];
  readonly totals: readonly number[] | undefined;
}) {
  const columns = totals === undefined ? series : [{ name: 'Devices', values: totals }, ...series];
  return (
    <Table label={title} head={['Day (UTC)', ...columns.map(({ name }) => numbers(name))]}>
      {days
        .map((day, index) => (
          <tr key={day}>
            <th scope="row">{day}</th>
            {columns.map(({ name, values }) => (
              <td key={name} className="number">
                {(values[index] ?? 0).toLocaleString()}
              </td>
            ))}
          </tr>
        ))
        .reverse()}
    </Table>
  );
}
