import { useQueryClient } from '@tanstack/react-query';
import type { ApiKey, App, AppChannel, Build, EffectiveSettings } from '@sluice/contracts';
import { previewAddress } from '../../../../client/index';
import { api, ApiError, listAll, query } from '../../../api/client';
import { getOf } from '../../../api/queries';
import { showSecret } from '../../../api/shown-secret';
import { Facts } from '../../../parts/page';
import { QrCode } from '../../../parts/qr-code';
import { useSend } from '../../../parts/send';
import { Copyable, Time } from '../../../parts/values';
import * as texts from '../../../texts/channels';

const WEEK_MS = 7 * 86_400_000;

interface Shown {
  readonly channel: string;
  /** The build that it is for, and when it expires. */
  readonly of?: { readonly version: string; readonly expiresAt: string | null };
}

/** Shows the address that opens an app on a preview, with a key of the channel. */
export function usePreviewAddress(app: App) {
  const show = useShowAddress(app);
  return useSend(show);
}

/** Makes a preview of exactly one build, or renews it, and shows its address. */
export function useTryBuild(app: App, { id, version }: Build) {
  const show = useShowAddress(app);
  const send = async (): Promise<void> => {
    const channel = texts.previewOf(id);
    const { expires_at: expiresAt } = await addOrRenew(app, channel, new Date(Date.now() + WEEK_MS).toISOString());
    if (!(await offeredIn(app.id, channel)).some(({ promoted_from_id: source }) => source === id)) {
      await api.post(`/apps/${app.id}/builds/${id}/promote`, { target_channel: channel, rollout_percentage: 100 });
    }
    await show({ channel, of: { version, expiresAt } });
  };
  return useSend(send, { refresh: [['apps', app.id], ['builds', app.id]], evenOnError: true }); // prettier-ignore
}

/** @throws ApiError CHANNEL_EXISTS also for a channel that does not expire: it is no preview */
async function addOrRenew({ id }: App, name: string, expires_at: string): Promise<AppChannel> {
  const path = `/apps/${id}/channels`;
  try {
    return await api.post<AppChannel>(path, { name, expires_at });
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'CHANNEL_EXISTS')) throw error;
    if ((await api.get<AppChannel>(`${path}/${name}`)).expires_at === null) throw error;
    return api.patch<AppChannel>(`${path}/${name}`, { expires_at });
  }
}

const offeredIn = async (app: number, channel: string): Promise<readonly Build[]> =>
  (await api.list<Build>(`/apps/${app}/builds${query({ channel, status: 'active' })}`)).data;

/** An address that only the computer of the server has. */
const isLoopback = (server: string): boolean => /^(localhost|127\..*|\[::1\])$/.test(new URL(server).hostname);

function useShowAddress({ id }: App) {
  const client = useQueryClient();
  return async ({ channel, of }: Shown): Promise<void> => {
    const settings = await client.query({
      ...getOf<EffectiveSettings>('/settings', ['settings', null]),
      staleTime: 'static',
    });
    const server = settings.device_url ?? location.origin;
    const isEmpty = of === undefined && (await offeredIn(id, channel)).length === 0;
    const path = `/apps/${id}/channels/${channel}/keys`;
    const known = (await listAll<ApiKey>(path)).find(({ status }) => status === 'active');
    const { plaintext_key: apiKey } =
      known === undefined
        ? await api.post<PlainKey>(path, { name: texts.keyName(channel) })
        : await api.post<PlainKey>(`${path}/${known.id}/reveal`);
    const address = previewAddress({ open: texts.opensApp, server, channel, apiKey });
    const note = (
      <>
        <QrCode text={address} label={texts.qrCode} />
        {of !== undefined && (
          <>
            <p>{texts.tryHelp(of.version)}</p>
            <Facts facts={{ [texts.expires]: <Time at={of.expiresAt} ahead /> }} />
          </>
        )}
        {isLoopback(server) && <p className="note warn">{texts.loopback(server)}</p>}
        {isEmpty && <p className="note warn">{texts.emptyPreview(channel)}</p>}
        <p>
          {texts.needsCode}{' '}
          <a href="/docs/guides/ci#previews-of-pull-requests" target="_blank" rel="noopener">
            {texts.guide}
          </a>
        </p>
        <p className="dim">{texts.holdsKey}</p>
        <p className="dim">{texts.otherUrl}</p>
        <Copyable text={texts.showCommand(id, channel)} label={texts.theCommand} block />
      </>
    );
    const title = of === undefined ? texts.linkTitle(channel) : texts.tryTitle(of.version);
    showSecret({ title, label: texts.theLink, secret: address, recoverable: true, note });
  };
}

interface PlainKey {
  readonly plaintext_key: string;
}
