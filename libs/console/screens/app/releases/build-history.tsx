import { keepPreviousData } from '@tanstack/react-query';
import type { App, Build } from '@sluice/contracts';
import { ApiError } from '../../../api/client';
import { usePaged } from '../../../api/queries';
import { Section } from '../../../parts/page';
import { Listed } from '../../../parts/pager';
import { Timeline, type TimelineEntry } from '../../../parts/timeline';
import * as texts from '../../../texts/builds';

interface BuildHistoryProps {
  readonly app: App;
  readonly id: number;
  /** Unless it is deleted. */
  readonly build: Build | undefined;
}

/** Who changed a build, what and when, also of a deleted build. */
export function BuildHistory({ app, id, build }: BuildHistoryProps) {
  const { list: history, turn } = usePaged<TimelineEntry>(`/apps/${app.id}/builds/${id}/history`, ['history', app.id], {
    perPage: 20,
    placeholderData: keepPreviousData,
  });
  if (history.error instanceof ApiError && history.error.code === 'BUILD_NOT_FOUND') return null;
  return (
    <Section title={texts.history}>
      <Listed of={history} turn={turn} what={texts.loadingHistory} empty={<p className="dim">{texts.noHistory}</p>}>
        {(entries) => (
          <Timeline
            entries={entries}
            builds={build === undefined ? [] : [build]}
            buildPath={(of) => `/apps/${app.id}/builds/${of}`}
          />
        )}
      </Listed>
    </Section>
  );
}
