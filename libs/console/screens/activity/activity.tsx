import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { query } from '../../api/client';
import { useGet } from '../../api/queries';
import { SelectField } from '../../parts/form';
import { Name } from '../../parts/name';
import { PageHead, Section } from '../../parts/page';
import { Empty, FormErrorNote, QueryState } from '../../parts/states';
import { Timeline, type TimelineEntry } from '../../parts/timeline';
import * as texts from '../../texts/history';
import { HistoryFilter, useHistoryQuery } from '../app/history/history-filter';
import '../app/history/history.css';
import { useOverview } from '../apps/overview';
import { useOwnedApps } from '../tokens/owned-apps';

interface AppEntry extends TimelineEntry {
  readonly app: number;
  readonly app_name: string;
}

interface Latest {
  readonly entries: readonly AppEntry[];
  readonly older: string | null;
  readonly apps_left_out: number;
}

/** Who changed any app, what and when. */
export default function Activity() {
  const [search] = useSearchParams();
  const [, go] = useLocation();
  const { query: filter, narrow, isNarrowed } = useHistoryQuery();
  const { type, actor } = filter;
  const [app, setApp] = useState('');
  const before = search.get('before') ?? '';
  const latest = useGet<Latest>(`/activity${query({ type, actor, before })}`, ['history', null], {
    placeholderData: keepPreviousData,
  });
  const apps = useOwnedApps().data ?? [];
  const builds = useServedBuilds();
  const { entries, older, apps_left_out: leftOut } = latest.data ?? { entries: [], older: null, apps_left_out: 0 };
  return (
    <>
      <PageHead title={texts.activity} lead={texts.activityLead} />
      <Section title={texts.newestFirst}>
        <HistoryFilter
          key={type + actor}
          query={filter}
          narrow={narrow}
          submit={(next) =>
            app === '' ? narrow(next) : go(`/apps/${app}/history${query({ type: next.type, actor: next.actor })}`)
          }
          error={latest.error}
        >
          <SelectField
            name="app"
            label={texts.app}
            value={app}
            change={setApp}
            options={[['', texts.allApps], ...apps.map(({ id, name }) => [String(id), name] as const)]}
          />
        </HistoryFilter>
        <QueryState of={latest} what={texts.loadingActivity} note={FormErrorNote} />
        {latest.isSuccess && entries.length === 0 && (
          <Empty title={isNarrowed ? texts.noMatch : texts.noEntries}>{isNarrowed && <p>{texts.noMatchHelp}</p>}</Empty>
        )}
        <div className="feed">
          <Timeline
            entries={entries}
            builds={builds}
            buildPath={(build, { app }) => `/apps/${app}/builds/${build}`}
            aside={({ app, app_name: name }) => (
              <>
                {' · '}
                <Link to={`/apps/${app}`}>
                  <Name>{name}</Name>
                </Link>
              </>
            )}
          />
        </div>
        {leftOut > 0 && <p className="dim">{texts.leftOut(leftOut)}</p>}
        <nav className="pager" aria-label={texts.pages}>
          {before !== '' && (
            <Link className="button" to={`/activity${query({ type, actor })}`}>
              {texts.newest}
            </Link>
          )}
          {older !== null && (
            <Link className="button" to={`/activity${query({ type, actor, before: older })}`}>
              {texts.older}
            </Link>
          )}
        </nav>
      </Section>
    </>
  );
}

/** The builds that channels serve, whose versions the entries don't hold. */
const useServedBuilds = () =>
  (useOverview(false).data ?? []).flatMap(({ devices }) =>
    (devices?.channels ?? []).flatMap(({ channel, build }) =>
      build === null ? [] : [{ id: build.id, version: build.version, channel }],
    ),
  );
