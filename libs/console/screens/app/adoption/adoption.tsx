import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { App, Adoption as Figures } from '@sluice/contracts';
import { useState } from 'react';
import { api, isOfFields, query } from '../../../api/client';
import { Section } from '../../../parts/page';
import { Empty, ErrorNote, Loading } from '../../../parts/states';
import { DayFigures } from './day-figures';
import { Outcomes } from './outcomes';
import { lastDays, RangeField } from './range-field';
import { limited, sum } from './series';
import './adoption.css';

/** What devices report is no event: it is asked for as long as somebody looks. */
const REFRESH_MS = 15_000;

/** Which versions devices run, day by day, and what went wrong on the way. */
export default function Adoption({ app }: { readonly app: App }) {
  const [range, setRange] = useState(() => lastDays(30));
  const adoption = useQuery({
    queryKey: ['adoption', app.id, range],
    queryFn: ({ signal }) => api.get<Figures>(`/apps/${app.id}/adoption${query({ ...range })}`, signal),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  const series = limited(
    (adoption.data?.versions ?? []).map(({ version, active }) => ({ name: version ?? 'others', values: active })),
  );
  const isEmpty = series.every(({ values }) => sum(values) === 0);
  return (
    <>
      <Section title="Active devices by version">
        <RangeField range={range} choose={setRange} error={adoption.error} />
        {adoption.isPending && <Loading what="the figures" />}
        {adoption.isError && !isOfFields(adoption.error) && (
          <ErrorNote error={adoption.error} again={() => void adoption.refetch()} />
        )}
        {adoption.data !== undefined && isEmpty && (
          <Empty title="No device has reported on these days">
            <p>Devices report once a day which version they run, with an API key of this app.</p>
          </Empty>
        )}
        {adoption.data !== undefined && !isEmpty && (
          <DayFigures
            title="Active devices by version and day"
            unit="active devices"
            days={adoption.data.days}
            series={series}
          />
        )}
      </Section>
      <Outcomes app={app} range={range} />
    </>
  );
}
