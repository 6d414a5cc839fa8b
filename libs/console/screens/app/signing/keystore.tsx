import type { App, Keystore } from '@sluice/contracts';
import { api } from '../../../api/client';
import { useGet } from '../../../api/queries';
import { Button } from '../../../parts/button';
import { Confirm } from '../../../parts/dialog';
import { Facts, Section } from '../../../parts/page';
import { useDialog } from '../../../parts/send';
import { QueryState } from '../../../parts/states';
import { Copyable, size, Time } from '../../../parts/values';
import * as texts from '../../../texts/signing';
import { KeystoreUpload } from './keystore-upload';

/** The zip with the keystore of the native app, stored encrypted in case the original is lost. */
export function KeystoreBackup({ app }: { readonly app: App }) {
  const removal = useDialog();
  const keystore = useGet<Keystore>(`/apps/${app.id}/keystore`, ['keystore', app.id]);
  const path = `/apps/${app.id}/keystore`;
  const kept = keystore.data?.configured === true ? keystore.data : undefined;
  return (
    <Section title={texts.keystore}>
      <QueryState of={keystore} what={texts.loadingKeystore} />
      {keystore.data?.configured === false && <p>{texts.noKeystore}</p>}
      {kept !== undefined && (
        <>
          <Facts
            facts={{
              [texts.file]: kept.original_name,
              [texts.size]: size(kept.size_bytes),
              [texts.uploaded]: <Time at={kept.uploaded_at} />,
            }}
          />
          <p>
            <span className="dim">{texts.sha256}</span>
            <Copyable text={kept.sha256} label={texts.theSha256} />
          </p>
          <div className="buttons">
            <a className="button" href={api.address(`${path}/download`)} download={kept.original_name}>
              {texts.download}
            </a>
            <Button kind="danger" onClick={() => removal.show(true)}>
              {texts.deleteKeystore}
            </Button>
          </div>
        </>
      )}
      {keystore.data !== undefined && <KeystoreUpload app={app} kept={kept} />}
      <Confirm
        title={texts.deleteTitle}
        verb={texts.deletePermanently}
        typed={app.name}
        {...removal.dialog}
        confirm={() => api.delete(path)}
        refresh={[['keystore', app.id]]}
        toast={texts.deleted}
      >
        <p>{texts.deleteEffect}</p>
      </Confirm>
    </Section>
  );
}
