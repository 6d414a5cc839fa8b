import { useQueries } from '@tanstack/react-query';
import type { App, ChannelKey } from '@sluice/contracts';
import { PER_PAGE, query } from '../../../api/client';
import { listOf } from '../../../api/queries';
import { rowHead, Section, Table } from '../../../parts/page';
import { Badge, Status, Time } from '../../../parts/values';
import * as texts from '../../../texts/api-keys';
import { platforms } from '../../../texts/shared';
import { useChannels } from '../../builds/data';

/** The server makes keys that begin like this, and takes over none that does. */
const OWN_PREFIX = 'svc_app_';

/** The keys that belong to channels that do not expire, with those that were taken over from another update service. */
export function ChannelKeys({ app }: { readonly app: App }) {
  const channels = useChannels(app);
  const keys = useQueries({
    queries: channels.map(({ name }) =>
      listOf<ChannelKey>(`/apps/${app.id}/channels/${name}/keys${query({ per_page: PER_PAGE })}`, ['keys', app.id]),
    ),
  });
  const rows = channels.flatMap(({ name: channel }, at) =>
    (keys[at]?.data?.data ?? []).map((key) => ({ ...key, channel })),
  );
  if (rows.length === 0) return null;
  return (
    <Section title={texts.channelKeys}>
      <p className="dim">{texts.channelKeysHelp}</p>
      <Table
        stacks
        label={texts.channelKeys}
        rows={rows}
        columns={[
          [
            rowHead(texts.name),
            ({ name, key_preview: preview }) => (
              <>
                {name} {!preview.startsWith(OWN_PREFIX) && <Badge tone="dim">{texts.imported}</Badge>}
              </>
            ),
          ],
          [texts.key, ({ key_preview: preview }) => <code>{preview}</code>],
          [texts.channel, ({ channel }) => channel],
          [texts.platform, ({ platform }) => (platform === null ? texts.anyPlatform : platforms[platform])],
          [texts.state, ({ status }) => <Status of={status} />],
          [texts.lastUsed, ({ last_used_at: at }) => <Time at={at} />],
        ]}
      />
    </Section>
  );
}
