import { keepPreviousData } from '@tanstack/react-query';
import type { Build } from '@sluice/contracts';
import { useState } from 'react';
import { query } from '../../../api/client';
import { useList } from '../../../api/queries';
import { Form, TextField } from '../../../parts/form';
import { rowHead, Table } from '../../../parts/page';
import { Pager } from '../../../parts/pager';
import { NoteBesideFields, QueryState } from '../../../parts/states';
import { State } from '../releases/state';

/** The builds of an app as they stood at a time that is asked for. */
export function AsItStood({ app }: { readonly app: number }) {
  const [draft, setDraft] = useState('');
  const [asked, setAsked] = useState({ time: '', page: 1 });
  const { time, page } = asked;
  const then = time === '' ? '' : new Date(time).toISOString();
  const builds = useList<Build>(`/apps/${app}/builds${query({ as_of: then, page, per_page: 20 })}`, ['builds', app], {
    enabled: time !== '',
    placeholderData: keepPreviousData,
  });
  return (
    <details className="as-it-stood">
      <summary>The builds as they stood at a time</summary>
      <div>
        <Form
          submit={() => setAsked({ time: draft, page: 1 })}
          busy={builds.isFetching}
          error={builds.error}
          verb="Show the builds of then"
        >
          <TextField
            name="as_of"
            label="At"
            type="datetime-local"
            step={1}
            required
            value={draft}
            change={setDraft}
            help="What each channel had then, deleted builds included."
          />
        </Form>
        {time !== '' && <QueryState of={builds} what="the builds of then" note={NoteBesideFields} />}
        {builds.data !== undefined && !builds.isError && (
          <>
            <p role="status">
              {builds.data.meta.total === 1 ? 'One build' : `${builds.data.meta.total.toLocaleString()} builds`} on{' '}
              {new Date(time).toLocaleString()}, newest first.
            </p>
            {builds.data.data.length > 0 && (
              <Table
                label="Builds as they stood"
                rows={builds.data.data}
                columns={[
                  [
                    rowHead('Version'),
                    ({ version, id }) => (
                      <>
                        {version} <small>build {id}</small>
                      </>
                    ),
                  ],
                  ['Channel', ({ channel }) => channel],
                  ['State', (build) => <State of={build} />],
                ]}
              />
            )}
            <Pager meta={builds.data.meta} turn={(next) => setAsked({ time, page: next })} />
          </>
        )}
      </div>
    </details>
  );
}
