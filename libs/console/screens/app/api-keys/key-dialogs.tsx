import type { ApiKey, App } from '@sluice/contracts';
import { api } from '../../../api/client';
import { showSecret } from '../../../api/shown-secret';
import { Confirm, Modal } from '../../../parts/dialog';
import { Copyable } from '../../../parts/values';
import { useBuilds } from '../../builds/data';
import { useFirstCheck } from '../first-check/use-first-check';
import { InUse } from './in-use';
import { MakeKey, type NewKey } from './make-key';
import { Restrict } from './restrict';

/** Which dialog is open, and of which key. */
export type KeyAct =
  | { readonly kind: 'make' }
  | {
      readonly kind: 'reveal' | 'restrict' | 'rotate' | 'deprecate' | 'revoke' | 'delete';
      readonly key: ApiKey;
    };

interface PlainKey {
  readonly plaintext_key: string;
}

interface KeyDialogsProps {
  readonly app: App;
  readonly act: KeyAct | undefined;
  /** As many keys are active as may be. */
  readonly full: boolean;
  readonly close: () => void;
}

export function KeyDialogs({ app, act, full, close }: KeyDialogsProps) {
  const key = act === undefined || act.kind === 'make' ? undefined : act.key;
  const path = `/apps/${app.id}/api-keys/${key?.id ?? ''}`;
  const name = key?.name ?? '';
  const show = (title: string, { plaintext_key: secret }: PlainKey, again = true): void =>
    showSecret({ title, label: 'the key', secret, again, note: <UseIt app={app} secret={secret} /> });
  const showNew = async (made: NewKey): Promise<void> => {
    const known = await api.get<ApiKey>(`/apps/${app.id}/api-keys/${made.id}`).catch(() => undefined);
    show(`The key “${made.name}”`, made, known?.recoverable ?? false);
  };
  const confirmOf = (kind: KeyAct['kind'], deed: string, confirm: () => Promise<unknown>) => ({
    ...{ title: `${deed} “${name}”`, open: act?.kind === kind, close, confirm },
    refresh: [['keys', app.id]],
  });
  return (
    <>
      <Modal title="New API key" open={act?.kind === 'make'} close={close}>
        <MakeKey
          app={app}
          full={full}
          close={close}
          made={(made) => {
            close();
            void showNew(made);
          }}
        />
      </Modal>
      <Modal title={`Restrictions of “${name}”`} open={act?.kind === 'restrict'} close={close}>
        {key !== undefined && <Restrict app={app} apiKey={key} close={close} />}
      </Modal>
      <Confirm
        {...confirmOf('reveal', 'Show', async () =>
          show(`The key “${name}”`, await api.post<PlainKey>(`${path}/reveal`)),
        )}
        verb="Show the key"
        danger={false}
      >
        <p>The whole key will stand on your screen. Showing and rotating a key is limited to a few times an hour.</p>
      </Confirm>
      <Confirm
        verb="Rotate"
        typed={name}
        {...confirmOf('rotate', 'Rotate', async () =>
          show(`The new key “${name}”`, await api.post<PlainKey>(`${path}/rotate`)),
        )}
      >
        <p>
          The current key stops working immediately: apps that carry it get no updates until they carry the new one.{' '}
          <InUse apiKey={key} />
        </p>
        <p>For a change without a gap, make another key, build it in, then deprecate and later revoke this one.</p>
      </Confirm>
      <Confirm
        verb="Deprecate"
        {...confirmOf('deprecate', 'Deprecate', () => api.post(`${path}/deprecate`))}
        said="The key is deprecated."
      >
        <p>It keeps working and no longer counts towards the three active keys. You can’t undo this.</p>
      </Confirm>
      <Confirm
        verb="Revoke permanently"
        typed={name}
        {...confirmOf('revoke', 'Revoke', () => api.post(`${path}/revoke`))}
        said="The key is revoked."
      >
        <p>
          Apps that carry it get no updates from now on. A revoked key can’t be brought back. <InUse apiKey={key} />
        </p>
      </Confirm>
      <Confirm
        verb="Delete permanently"
        typed={name}
        {...confirmOf('delete', 'Delete', () => api.delete(path))}
        said="The key is deleted."
      >
        <p>
          Apps that carry it get no updates from now on, and it leaves this list. The history still has it.{' '}
          <InUse apiKey={key} />
        </p>
      </Confirm>
    </>
  );
}

function UseIt({ app, secret }: { readonly app: App; readonly secret: string }) {
  const builds = useBuilds(app, {});
  const line = useFirstCheck(app, builds.data?.data ?? [], secret);
  return (
    <>
      <p className="dim">
        Build it into your app: it is sent as <code>X-API-Key</code> with each question for updates. The first such
        question, as a device with version 0.0.1 asks it:
      </p>
      {line !== undefined && <Copyable text={line} label="the first update check" block />}
    </>
  );
}
