import { useState } from 'react';
import { Button } from '../../../parts/button';
import { numbers, Table } from '../../../parts/page';
import { DayChart } from './day-chart';
import { lastDay, sum, type Series } from './series';

/** Series of days as a chart with its legend, or as a table. */
export function DayFigures({
  title,
  unit,
  days,
  series,
}: {
  readonly title: string;
  /** What is counted, such as `active devices`. */
  readonly unit: string;
  readonly days: readonly string[];
  readonly series: readonly Series[];
}) {
  const [asTable, setAsTable] = useState(false);
  const last = lastDay(days, series);
  const ofLast = series.map(({ name, values }) => `${name}: ${values[last] ?? 0}`);
  const summary = `${unit} from ${days[0] ?? ''} to ${days.at(-1) ?? ''}. On ${days[last] ?? ''}: ${ofLast.join(', ')}.`;
  return (
    <div className="day-figures">
      {asTable ? (
        <FiguresTable title={title} days={days} series={series} />
      ) : (
        <>
          <DayChart title={title} summary={summary} days={days} series={series} />
          <Legend day={days[last] ?? ''} index={last} series={series} unit={unit} />
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
}: {
  readonly day: string;
  readonly index: number;
  readonly series: readonly Series[];
  readonly unit: string;
}) {
  const total = sum(series.map(({ values }) => values[index] ?? 0));
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
}: {
  readonly title: string;
  readonly days: readonly string[];
  readonly series: readonly Series[];
}) {
  return (
    <Table label={title} head={['Day (UTC)', ...series.map(({ name }) => numbers(name))]}>
      {days
        .map((day, index) => (
          <tr key={day}>
            <th scope="row">{day}</th>
            {series.map(({ name, values }) => (
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
