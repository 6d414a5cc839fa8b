import { ErrorNote, Loading } from '../../parts/states';
import * as texts from '../../texts/listings/settings';
import { FeedSettingsForm } from './feed-settings';
import { useFeedSettings, useSyncSettings } from './queries';
import { SyncSettingsForm } from './sync-settings';

export function Settings() {
  const feed = useFeedSettings();
  const sync = useSyncSettings();
  return (
    <>
      {(feed.isPending || sync.isPending) && <Loading what={texts.loading} />}
      {feed.isError && <ErrorNote error={feed.error} retry={() => void feed.refetch()} />}
      {feed.data !== undefined && <FeedSettingsForm saved={feed.data} />}
      {sync.isError && <ErrorNote error={sync.error} retry={() => void sync.refetch()} />}
      {sync.data !== undefined && <SyncSettingsForm saved={sync.data} />}
    </>
  );
}
