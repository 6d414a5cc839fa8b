import type { App, Group } from '@sluice/contracts';
import { useState } from 'react';
import { api, upload, type Sent } from '../../../api/client';
import { usePaged } from '../../../api/queries';
import { Button } from '../../../parts/button';
import { Modal, type DialogState } from '../../../parts/dialog';
import { Form, TextField } from '../../../parts/form';
import { Actions } from '../../../parts/menu';
import { numbers, rowHead, Section, Table, unseen } from '../../../parts/page';
import { Listed } from '../../../parts/pager';
import { useFreshDialog, useSend } from '../../../parts/send';
import { showToast } from '../../../parts/toasts';
import { exactTime, Time } from '../../../parts/values';
import { ConcurrentChanges, ConfirmChange, useWatched, type Watched, type WatchedKind } from '../../../parts/watched';
import * as texts from '../../../texts/groups';
import { FileField } from '../releases/file-field';

const NOTHING: Sent = { bytes: 0, of: 0 };

/** The device groups of an app, which audiences name. */
export function DeviceGroups({ app }: { readonly app: App }) {
  const { list, turn } = usePaged<Group>(`/apps/${app.id}/groups`, ['apps', app.id], { perPage: 10 });
  const { shown, show, dialog } = useFreshDialog<GroupAct>();
  const { about: act } = shown;
  return (
    <Section title={texts.title} actions={<Button onClick={() => show({ kind: 'add' })}>{texts.add}</Button>}>
      <p>{texts.help}</p>
      <Listed of={list} turn={turn} what={texts.loading} empty={<p className="dim">{texts.none}</p>}>
        {(rows) => (
          <Table
            stacks
            label={texts.title}
            rows={rows}
            keyOf={({ name }) => name}
            columns={[
              [rowHead(texts.name), ({ name }) => name],
              [numbers(texts.devices), ({ devices }) => devices.toLocaleString()],
              [texts.changed, ({ updated_at: at }) => <Time at={at} />],
              [
                unseen(texts.actions),
                (each) => (
                  <Actions
                    label={texts.actionsFor(each.name)}
                    entries={[
                      { name: texts.replace, act: () => show({ kind: 'replace', group: each }) },
                      { name: texts.remove, act: () => show({ kind: 'remove', group: each }), danger: true },
                    ]}
                  />
                ),
              ],
            ]}
          />
        )}
      </Listed>
      {(act?.kind === 'add' || act?.kind === 'replace') && (
        <UploadGroup key={shown.key} app={app} group={'group' in act ? act.group : undefined} {...dialog} />
      )}
      {act?.kind === 'remove' && (
        <ConfirmChange
          key={shown.key}
          thing={act.group}
          kind={watchedGroup(app, act.group)}
          title={texts.removeTitle(act.group.name)}
          verb={texts.removeVerb}
          {...dialog}
          confirm={(revision) => api.delete(`/apps/${app.id}/groups/${act.group.name}`, revision)}
          refresh={[['apps', app.id]]}
          toast={texts.removed(act.group.name)}
        >
          <p>{texts.removeEffect}</p>
        </ConfirmChange>
      )}
    </Section>
  );
}

type GroupAct = { readonly kind: 'add' } | { readonly kind: 'replace' | 'remove'; readonly group: Group };

const watchedGroup = (app: App, { name }: Group): WatchedKind<Group> => ({
  ...{ path: `/apps/${app.id}/groups/${name}`, scope: ['apps', app.id], name: texts.nameOf(name) },
  fields: [
    ['devices', texts.devices, ({ devices }) => devices.toLocaleString()],
    ['updated_at', texts.changed, ({ updated_at: at }) => exactTime(at)],
  ],
});

/** The place of one that is added. */
const NEW: Group = { name: '', devices: 0, revision: 0, updated_at: new Date(0).toISOString() };

interface UploadGroupProps extends DialogState {
  readonly app: App;
  /** The one that is replaced. */
  readonly group: Group | undefined;
}

function UploadGroup({ app, group, open, close }: UploadGroupProps) {
  const [name, setName] = useState(group?.name ?? '');
  const [file, setFile] = useState<File>();
  const [sent, setSent] = useState(NOTHING);
  const send = useSend(
    () => {
      const form = new FormData();
      if (file !== undefined) form.set('file', file);
      setSent(NOTHING);
      return upload<Group>(`/apps/${app.id}/groups/${encodeURIComponent(name.trim())}`, form, {
        progress: setSent,
        ifRevision: group === undefined ? undefined : watched.seen.revision,
      });
    },
    {
      refresh: [['apps', app.id]],
      evenOnError: true,
      done: (stored) => {
        showToast(texts.stored(stored.name, stored.devices));
        close();
      },
    },
  );
  const of = group ?? NEW;
  const isReplacing = group !== undefined;
  const watched: Watched<Group> = useWatched(of, watchedGroup(app, of), {
    ...{ open: open && isReplacing, close, busy: send.isPending },
  });
  return (
    <Modal
      title={group === undefined ? texts.addTitle : texts.replaceTitle(group.name)}
      keeps
      stays={send.isPending}
      open={open}
      close={close}
    >
      {group !== undefined && <p>{texts.replaceHelp}</p>}
      <Form
        submit={() => send.mutate()}
        busy={send.isPending}
        error={watched.judge(send.error)}
        verb={group === undefined ? texts.addVerb : texts.replaceVerb}
        cancel={close}
      >
        {group === undefined && (
          <TextField
            name="name"
            label={texts.name}
            help={texts.nameHelp}
            placeholder={texts.nameExample}
            required
            value={name}
            change={setName}
            spellCheck={false}
            autoComplete="off"
            autoCapitalize="none"
          />
        )}
        <FileField label={texts.file} file={file} change={setFile} accept={texts.fileTypes} choose={texts.chooseFile}>
          <p className="help">{texts.fileHelp}</p>
        </FileField>
        <ConcurrentChanges of={watched} />
        {send.isPending && <progress aria-label={texts.progress} value={sent.bytes} max={Math.max(1, sent.of)} />}
      </Form>
    </Modal>
  );
}
