import { keepPreviousData } from '@tanstack/react-query';
import type { App, AppChannel, Build } from '@sluice/contracts';
import { Link } from 'wouter';
import { usePaged } from '../../../api/queries';
import { Actions } from '../../../parts/menu';
import { rowHead, Section, Table, unseen } from '../../../parts/page';
import { Listed } from '../../../parts/pager';
import { ErrorNote } from '../../../parts/states';
import { Time } from '../../../parts/values';
import * as texts from '../../../texts/channels';
import { useBuildActions } from './build-dialogs';
import type { ChannelRequest } from './channel-dialogs';
import { HealthInShort, StateAndHealth } from './health';
import { usePreviewAddress } from './preview-address';

interface PreviewsProps {
  readonly app: App;
  /** The newest builds of the app. */
  readonly latest: readonly Build[];
  readonly show: (request: ChannelRequest) => void;
}

/** The channels that expire. */
export function Previews({ app, latest, show }: PreviewsProps) {
  const start = useBuildActions();
  const address = usePreviewAddress(app);
  const { list, turn } = usePaged<AppChannel>(`/apps/${app.id}/channels`, ['apps', app.id], {
    perPage: 10,
    filter: { expires: true },
    placeholderData: keepPreviousData,
  });
  if (list.data?.meta.total === 0) return null;
  return (
    <Section title={texts.previews}>
      <p className="dim">{texts.previewsHelp}</p>
      {address.error !== null && <ErrorNote error={address.error} />}
      <Listed of={list} turn={turn} what={texts.loadingPreviews}>
        {(rows) => (
          <Table
            stacks
            label={texts.previews}
            rows={rows}
            columns={[
              [rowHead(texts.channel), ({ name }) => <Link to={`/apps/${app.id}/builds?channel=${name}`}>{name}</Link>],
              [
                texts.newestBuild,
                ({ name }) => <Newest app={app} of={latest.find(({ channel }) => channel === name)} />,
              ],
              [texts.age, ({ created_at: at }) => <Time at={at} />],
              [texts.expires, ({ expires_at: at }) => <Time at={at} ahead />],
              [
                unseen(texts.actions),
                (channel) => (
                  <Actions
                    label={texts.actionsFor(channel.name)}
                    entries={[
                      {
                        name: texts.showLink,
                        help: texts.makesKey,
                        act: () => address.mutate({ channel: channel.name }),
                      },
                      { name: texts.upload, act: () => start({ kind: 'upload', channel: channel.name }) },
                      { name: texts.change, act: () => show({ kind: 'change', channel }) },
                      { name: texts.remove, act: () => show({ kind: 'remove', channel }), danger: true },
                    ]}
                  />
                ),
              ],
            ]}
          />
        )}
      </Listed>
    </Section>
  );
}

function Newest({ app, of: build }: { readonly app: App; readonly of: Build | undefined }) {
  if (build === undefined) return <span className="dim">–</span>;
  return (
    <>
      <Link to={`/apps/${app.id}/builds/${build.id}`}>{build.version}</Link> <StateAndHealth app={app} build={build} />
      <HealthInShort app={app} build={build} />
    </>
  );
}
