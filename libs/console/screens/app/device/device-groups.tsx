import type { App, Group } from '@sluice/contracts';
import { useState } from 'react';
import { api, upload, type Sent } from '../../../api/client';
import { usePaged } from '../../../api/queries';
import { Button } from '../../../parts/button';
import { Confirm, Modal, type DialogState } from '../../../parts/dialog';
import { Form, TextField } from '../../../parts/form';
import { Actions } from '../../../parts/menu';
import { numbers, rowHead, Section, Table, unseen } from '../../../parts/page';
import { Listed } from '../../../parts/pager';
import { useDialog, useSend } from '../../../parts/send';
import { showToast } from '../../../parts/toasts';
import { Time } from '../../../parts/values';
import * as texts from '../../../texts/groups';
import { FileField } from '../releases/file-field';

const NOTHING: Sent = { bytes: 0, of: 0 };

/** The device groups of an app, which audiences name. */
export function DeviceGroups({ app }: { readonly app: App }) {
  const { list, turn } = usePaged<Group>(`/apps/${app.id}/groups`, ['groups', app.id], { perPage: 10 });
  // Each opening mounts a dialog of its own.
  const [count, setCount] = useState(0);
  const upload = useDialog<Group | 'new'>();
  const removal = useDialog<Group>();
  const [group, setGroup] = useState<Group>();
  const open = (of: Group | undefined): void => {
    setCount(count + 1);
    setGroup(of);
    upload.show(of ?? 'new');
  };
  return (
    <Section title={texts.title} actions={<Button onClick={() => open(undefined)}>{texts.add}</Button>}>
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
                      { name: texts.replace, act: () => open(each) },
                      {
                        name: texts.remove,
                        act: () => {
                          setGroup(each);
                          removal.show(each);
                        },
                        danger: true,
                      },
                    ]}
                  />
                ),
              ],
            ]}
          />
        )}
      </Listed>
      {count > 0 && <UploadGroup key={count} app={app} group={group} {...upload.dialog} />}
      <Confirm
        title={texts.removeTitle(group?.name ?? '')}
        verb={texts.removeVerb}
        {...removal.dialog}
        confirm={() => api.delete(`/apps/${app.id}/groups/${group?.name ?? ''}`)}
        refresh={[['groups', app.id]]}
        toast={texts.removed(group?.name ?? '')}
      >
        <p>{texts.removeEffect}</p>
      </Confirm>
    </Section>
  );
}

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
      return upload<Group>(`/apps/${app.id}/groups/${encodeURIComponent(name.trim())}`, form, { progress: setSent });
    },
    {
      refresh: [['groups', app.id]],
      done: (stored) => {
        showToast(texts.stored(stored.name, stored.devices));
        close();
      },
    },
  );
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
        error={send.error}
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
        {send.isPending && <progress aria-label={texts.progress} value={sent.bytes} max={Math.max(1, sent.of)} />}
      </Form>
    </Modal>
  );
}
