import type { ApiKey, App } from '@sluice/contracts';
import { api } from '../../../api/client';
import { useSettings } from '../../../api/queries';
import { showSecret } from '../../../api/shown-secret';
import { Confirm, Modal } from '../../../parts/dialog';
import { Copyable } from '../../../parts/values';
import * as texts from '../../../texts/api-keys';
import { useBuilds } from '../../builds/data';
import { useFirstCheck } from '../first-check/use-first-check';
import { CreateKey, type NewKey } from './create-key';
import { InUse } from './in-use';
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
  /** The limit of active keys, if it is reached. */
  readonly full: number | undefined;
  readonly close: () => void;
}

export function KeyDialogs({ app, act, full, close }: KeyDialogsProps) {
  const key = act === undefined || act.kind === 'make' ? undefined : act.key;
  const path = `/apps/${app.id}/api-keys/${key?.id ?? ''}`;
  const name = key?.name ?? '';
  const perHour = useSettings().data?.limits.key_actions_per_hour;
  const show = (title: string, { plaintext_key: secret }: PlainKey, recoverable = true): void =>
    showSecret({ title, label: texts.theKey, secret, recoverable, note: <UseKey app={app} secret={secret} /> });
  const showNew = async (made: NewKey): Promise<void> => {
    const known = await api.get<ApiKey>(`/apps/${app.id}/api-keys/${made.id}`).catch(() => undefined);
    show(texts.keyTitle(made.name), made, known?.recoverable ?? false);
  };
  const confirmOf = (kind: KeyAct['kind'], title: string, confirm: () => Promise<unknown>) => ({
    ...{ title, open: act?.kind === kind, close, confirm },
    refresh: [['keys', app.id]],
  });
  return (
    <>
      <Modal title={texts.newKey} open={act?.kind === 'make'} close={close}>
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
      <Modal title={texts.restrictionsTitle(name)} open={act?.kind === 'restrict'} close={close}>
        {key !== undefined && <Restrict app={app} apiKey={key} close={close} />}
      </Modal>
      <Confirm
        {...confirmOf('reveal', texts.showTitle(name), async () =>
          show(texts.keyTitle(name), await api.post<PlainKey>(`${path}/reveal`)),
        )}
        verb={texts.show}
        danger={false}
      >
        <p>{texts.showEffect(perHour)}</p>
      </Confirm>
      <Confirm
        verb={texts.rotate}
        typed={name}
        {...confirmOf('rotate', texts.rotateTitle(name), async () =>
          show(texts.newKeyTitle(name), await api.post<PlainKey>(`${path}/rotate`)),
        )}
      >
        <p>{texts.rotateEffect(<InUse apiKey={key} />)}</p>
        <p>{texts.rotateLater}</p>
      </Confirm>
      <Confirm
        verb={texts.deprecate}
        {...confirmOf('deprecate', texts.deprecateTitle(name), () => api.post(`${path}/deprecate`))}
        toast={texts.deprecated}
      >
        <p>{texts.deprecateEffect}</p>
      </Confirm>
      <Confirm
        verb={texts.revokePermanently}
        typed={name}
        {...confirmOf('revoke', texts.revokeTitle(name), () => api.post(`${path}/revoke`))}
        toast={texts.revoked}
      >
        <p>{texts.revokeEffect(<InUse apiKey={key} />)}</p>
      </Confirm>
      <Confirm
        verb={texts.deletePermanently}
        typed={name}
        {...confirmOf('delete', texts.deleteTitle(name), () => api.delete(path))}
        toast={texts.deleted}
      >
        <p>{texts.deleteEffect(<InUse apiKey={key} />)}</p>
      </Confirm>
    </>
  );
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
