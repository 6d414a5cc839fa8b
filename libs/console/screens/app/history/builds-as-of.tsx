import { keepPreviousData } from '@tanstack/react-query';
import type { Build } from '@sluice/contracts';
import { useState } from 'react';
import { query } from '../../../api/client';
import { useList } from '../../../api/queries';
import { Form, TextField } from '../../../parts/form';
import { rowHead, Table } from '../../../parts/page';
import { Pager } from '../../../parts/pager';
import { FormErrorNote, QueryState } from '../../../parts/states';
import * as texts from '../../../texts/history';
import { buildId } from '../../../texts/shared';
import { RecallWords, State } from '../releases/state';

/** The builds of an app at an earlier time. */
export function BuildsAsOf({ app }: { readonly app: number }) {
  const [draft, setDraft] = useState('');
  const [shown, setShown] = useState({ time: '', page: 1 });
  const { time, page } = shown;
  const asOf = time === '' ? '' : new Date(time).toISOString();
  const builds = useList<Build>(`/apps/${app}/builds${query({ as_of: asOf, page, per_page: 20 })}`, ['builds', app], {
    enabled: time !== '',
    placeholderData: keepPreviousData,
  });
  return (
    <details className="builds-as-of">
      <summary>{texts.earlierBuilds}</summary>
      <div>
        <Form
          submit={() => setShown({ time: draft, page: 1 })}
          busy={builds.isFetching}
          error={builds.error}
          verb={texts.showBuilds}
        >
          <TextField
            name="as_of"
            label={texts.time}
            type="datetime-local"
            step={1}
            required
            value={draft}
            change={setDraft}
            help={texts.timeHelp}
          />
        </Form>
        {time !== '' && <QueryState of={builds} what={texts.loadingBuilds} note={FormErrorNote} />}
        {builds.data !== undefined && !builds.isError && (
          <>
            <p role="status">{texts.buildsAt(builds.data.meta.total, new Date(time).toLocaleString())}</p>
            {builds.data.data.length > 0 && (
              <Table
                stacks
                label={texts.buildsLabel}
                rows={builds.data.data}
                columns={[
                  [
                    rowHead(texts.version),
                    ({ version, id }) => (
                      <>
                        {version} <small>{buildId(id)}</small>
                      </>
                    ),
                  ],
                  [texts.channel, ({ channel }) => channel],
                  [
                    texts.state,
                    (build) => (
                      <>
                        <State of={build} /> <RecallWords of={build} />
                      </>
                    ),
                  ],
                ]}
              />
            )}
            <Pager meta={builds.data.meta} turn={(next) => setShown({ time, page: next })} />
          </>
        )}
      </div>
    </details>
  );
}
