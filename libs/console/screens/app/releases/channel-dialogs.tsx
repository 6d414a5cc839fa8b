import { useQueryClient } from '@tanstack/react-query';
import type { App, AppChannel } from '@sluice/contracts';
import { useMemo } from 'react';
import { api } from '../../../api/client';
import { Modal, type DialogState } from '../../../parts/dialog';
import { CheckField, Form, SelectField, TextField } from '../../../parts/form';
import { useForm } from '../../../parts/send';
import { showToast } from '../../../parts/toasts';
import { exactTime } from '../../../parts/values';
import { ConcurrentChanges, ConfirmChange, useWatched, type Watched, type WatchedKind } from '../../../parts/watched';
import { audience as audienceName, channelAudienceHelp } from '../../../texts/audience';
import * as texts from '../../../texts/channels';
import { yesOrNo } from '../../../texts/shared';
import { atAudienceFields, AudienceFields } from './audience';
import { audienceDraft, toAudience } from './audience-draft';
import { wordsOfAudience } from './watched-build';

const DAY_MS = 86_400_000;

const endOf = (days: string): string | null =>
  days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString();

export type ChannelRequest =
  | { readonly kind: 'add'; readonly expires?: string }
  | { readonly kind: 'change' | 'remove'; readonly channel: AppChannel };

interface ChannelDialogsProps extends DialogState {
  readonly app: App;
  readonly request: ChannelRequest | undefined;
}

/** The dialog that adds, changes or deletes a channel. */
export function ChannelDialogs({ app, request, ...dialog }: ChannelDialogsProps) {
  if (request === undefined) return null;
  if (request.kind === 'add') return <AddChannel app={app} expires={request.expires} {...dialog} />;
  const Dialog = request.kind === 'change' ? ChangeChannel : RemoveChannel;
  return <Dialog app={app} channel={request.channel} {...dialog} />;
}

interface AddChannelProps extends DialogState {
  readonly app: App;
  /** In days; it is a preview then. */
  readonly expires: string | undefined;
}

function AddChannel({ app, expires: proposed = '', open, close }: AddChannelProps) {
  const { field, form } = useForm(
    { name: '', expires: proposed, self_assign: false },
    ({ name, expires, self_assign }) =>
      api.post<AppChannel>(`/apps/${app.id}/channels`, {
        ...{ name: name.trim(), expires_at: endOf(expires) },
        ...(self_assign && { self_assign }),
      }),
    {
      refresh: [['apps', app.id]],
      done: ({ name }) => {
        showToast(texts.added(name));
        close();
      },
    },
  );
  return (
    <Modal title={texts.addTitle} keeps open={open} close={close}>
      <p>{texts.addHelp}</p>
      <Form {...form} verb={texts.addVerb} cancel={close}>
        <TextField
          {...field('name')}
          label={texts.name}
          help={texts.nameHelp}
          placeholder={texts.nameExample}
          required
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="none"
        />
        <SelectField
          {...field('expires')}
          name="expires_at"
          label={texts.expires}
          help={texts.expiresHelp}
          options={texts.lifetimes}
        />
        <CheckField {...field('self_assign')} label={texts.selfAssign} help={texts.selfAssignHelp} />
      </Form>
    </Modal>
  );
}

interface OfChannel extends DialogState {
  readonly app: App;
  readonly channel: AppChannel;
}

const watchedChannel = ({ app, channel }: OfChannel): WatchedKind<AppChannel> => ({
  ...{ path: `/apps/${app.id}/channels/${channel.name}`, scope: ['apps', app.id], name: texts.nameOf(channel.name) },
  fields: [
    ['expires_at', texts.expires, ({ expires_at: at }) => (at === null ? texts.neverExpires : exactTime(at))],
    ['self_assign', texts.selfAssign, ({ self_assign: may }) => yesOrNo(may)],
    ['audience', audienceName, wordsOfAudience],
  ],
});

const AS_BEFORE = 'as before';

const isSameAudience = (...drafts: readonly Parameters<typeof toAudience>[0][]): boolean =>
  new Set(drafts.map((draft) => JSON.stringify(toAudience(draft)))).size === 1;

function ChangeChannel(props: OfChannel) {
  const { app, channel, open, close } = props;
  const kind = watchedChannel(props);
  const { draft, change, field, form } = useForm(
    () => draftOf(channel),
    (wanted) => api.patch(kind.path, changesOf(wanted, watched.seen), watched.seen.revision),
    { refresh: [['apps', app.id]], evenOnError: true, toast: texts.saved(channel.name), done: close },
  );
  const watched: Watched<AppChannel> = useWatched(channel, kind, { open, close, busy: form.busy });
  const judged = watched.judge(form.error);
  const error = useMemo(() => atAudienceFields(judged), [judged]);
  return (
    <Modal title={texts.changeTitle(channel.name)} keeps open={open} close={close}>
      <Form {...form} error={error} verb={texts.save} cancel={close}>
        {!channel.standard && (
          <SelectField
            {...field('expires')}
            name="expires_at"
            label={texts.expires}
            help={texts.expiresHelp}
            options={[[AS_BEFORE, texts.asBefore], ...texts.lifetimes]}
          />
        )}
        {!channel.standard && (
          <CheckField {...field('self_assign')} label={texts.selfAssign} help={texts.selfAssignHelp} />
        )}
        <AudienceFields app={app} {...field('audience')} help={channelAudienceHelp} />
        <ConcurrentChanges of={watched} form={{ draft, draftOf, change, mine: changesOf(draft, watched.seen) }} />
      </Form>
    </Modal>
  );
}

const draftOf = ({ self_assign, audience }: AppChannel) => ({
  ...{ expires: AS_BEFORE, self_assign, audience: audienceDraft(audience) },
});

/** Only what the draft changes: of a standard channel, nothing else than its audience may be sent. */
const changesOf = ({ expires, self_assign, audience }: ReturnType<typeof draftOf>, before: AppChannel) => ({
  ...(isSameAudience(audience, audienceDraft(before.audience)) ? {} : { audience: toAudience(audience) }),
  ...(expires !== AS_BEFORE && { expires_at: endOf(expires) }),
  ...(self_assign !== before.self_assign && { self_assign }),
});

function RemoveChannel(props: OfChannel) {
  const { app, channel, open, close } = props;
  const client = useQueryClient();
  const kind = watchedChannel(props);
  const remove = async (revision: number): Promise<void> => {
    await api.delete(kind.path, revision);
    void client.invalidateQueries({ queryKey: ['builds', app.id] });
  };
  return (
    <ConfirmChange
      thing={channel}
      kind={kind}
      title={texts.removeTitle(channel.name)}
      verb={texts.removeVerb}
      typed={channel.name}
      open={open}
      close={close}
      confirm={remove}
      refresh={[['apps', app.id]]}
      toast={texts.removed(channel.name)}
    >
      <p>{texts.removeEffect}</p>
    </ConfirmChange>
  );
}
