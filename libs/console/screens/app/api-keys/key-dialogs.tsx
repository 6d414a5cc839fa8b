import type { ApiKey, App } from '@sluice/contracts';
import { api } from '../../../api/client';
import { useSettings } from '../../../api/queries';
import { showSecret } from '../../../api/shown-secret';
import { Modal, type DialogState } from '../../../parts/dialog';
import { Copyable } from '../../../parts/values';
import { ConfirmChange } from '../../../parts/watched';
import * as texts from '../../../texts/api-keys';
import { useBuilds } from '../../builds/data';
import { useFirstCheck } from '../first-check/use-first-check';
import { CreateKey, type NewKey } from './create-key';
import { InUse } from './in-use';
import { Restrict } from './restrict';
import { watchedKey } from './watched-key';

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

interface KeyDialogProps extends DialogState {
  readonly app: App;
  readonly act: KeyAct;
  /** The limit of active keys, if it is reached. */
  readonly full: number | undefined;
}

export function KeyDialog({ act, full, ...dialog }: KeyDialogProps) {
  const { app, open, close } = dialog;
  const show = useShowKey(app);
  if (act.kind === 'make') {
    const showNew = async (made: NewKey): Promise<void> => {
      const known = await api.get<ApiKey>(`/apps/${app.id}/api-keys/${made.id}`).catch(() => undefined);
      show(texts.keyTitle(made.name), made, known?.recoverable ?? false);
    };
    return (
      <Modal title={texts.newKey} open={open} close={close}>
        <CreateKey
          app={app}
          full={full}
          close={close}
          made={(made) => {
            close();
            void showNew(made);
          }}
        />
      </Modal>
    );
  }
  if (act.kind === 'restrict') return <Restrict {...dialog} apiKey={act.key} />;
  return <ConfirmKeyAct {...dialog} kind={act.kind} apiKey={act.key} />;
}

/** Shows the plaintext of a key. */
function useShowKey(app: App) {
  return (title: string, { plaintext_key: secret }: PlainKey, recoverable = true): void =>
    showSecret({ title, label: texts.theKey, secret, recoverable, note: <UseKey app={app} secret={secret} /> });
}

interface ConfirmKeyActProps extends DialogState {
  readonly app: App;
  readonly apiKey: ApiKey;
  readonly kind: 'reveal' | 'rotate' | 'deprecate' | 'revoke' | 'delete';
}

/** Asks before a key is shown, or is changed in a way that can't be undone. */
function ConfirmKeyAct({ app, apiKey: key, kind, open, close }: ConfirmKeyActProps) {
  const perHour = useSettings().data?.limits.key_actions_per_hour;
  const show = useShowKey(app);
  const watched = watchedKey(app, key);
  const { path } = watched;
  const { name } = key;
  const inUse = <InUse apiKey={key} />;
  const shared = { thing: key, kind: watched, open, close, refresh: [['keys', app.id]] };
  switch (kind) {
    case 'reveal':
      return (
        <ConfirmChange
          {...shared}
          title={texts.showTitle(name)}
          verb={texts.show}
          danger={false}
          confirm={async () => show(texts.keyTitle(name), await api.post<PlainKey>(`${path}/reveal`))}
        >
          <p>{texts.showEffect(perHour)}</p>
        </ConfirmChange>
      );
    case 'rotate':
      return (
        <ConfirmChange
          {...shared}
          title={texts.rotateTitle(name)}
          verb={texts.rotate}
          typed={name}
          confirm={async (revision) =>
            show(texts.newKeyTitle(name), await api.post<PlainKey>(`${path}/rotate`, undefined, revision))
          }
        >
          <p>{texts.rotateEffect(inUse)}</p>
          <p>{texts.rotateLater}</p>
        </ConfirmChange>
      );
    case 'deprecate':
      return (
        <ConfirmChange
          {...shared}
          title={texts.deprecateTitle(name)}
          verb={texts.deprecate}
          confirm={(revision) => api.post(`${path}/deprecate`, undefined, revision)}
          toast={texts.deprecated}
        >
          <p>{texts.deprecateEffect}</p>
        </ConfirmChange>
      );
    case 'revoke':
      return (
        <ConfirmChange
          {...shared}
          title={texts.revokeTitle(name)}
          verb={texts.revokePermanently}
          typed={name}
          confirm={(revision) => api.post(`${path}/revoke`, undefined, revision)}
          toast={texts.revoked}
        >
          <p>{texts.revokeEffect(inUse)}</p>
        </ConfirmChange>
      );
    case 'delete':
      return (
        <ConfirmChange
          {...shared}
          title={texts.deleteTitle(name)}
          verb={texts.deletePermanently}
          typed={name}
          confirm={(revision) => api.delete(path, revision)}
          toast={texts.deleted}
        >
          <p>{texts.deleteEffect(inUse)}</p>
        </ConfirmChange>
      );
  }
}

function UseKey({ app, secret }: { readonly app: App; readonly secret: string }) {
  const builds = useBuilds(app, {});
  const line = useFirstCheck(app, builds.data?.data ?? [], secret);
  return (
    <>
      <p className="dim">{texts.useKey}</p>
      {line !== undefined && <Copyable text={line} label={texts.firstCheck} block />}
    </>
  );
}
