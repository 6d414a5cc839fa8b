import type { App, Keystore } from '@sluice/contracts';
import { api } from '../../../api/client';
import { useGet } from '../../../api/queries';
import { Button } from '../../../parts/button';
import { Confirm } from '../../../parts/dialog';
import { Facts, Section } from '../../../parts/page';
import { useDialog } from '../../../parts/send';
import { QueryState } from '../../../parts/states';
import { Copyable, size, Time } from '../../../parts/values';
import { KeystoreUpload } from './keystore-upload';

/** The zip with what the native app is signed with, kept sealed against its loss. */
export function KeystoreBackup({ app }: { readonly app: App }) {
  const removal = useDialog();
  const keystore = useGet<Keystore>(`/apps/${app.id}/keystore`, ['keystore', app.id]);
  const path = `/apps/${app.id}/keystore`;
  const kept = keystore.data?.configured === true ? keystore.data : undefined;
  return (
    <Section title="Keystore backup">
      <QueryState of={keystore} what="the keystore backup" />
      {keystore.data?.configured === false && (
        <p>
          No backup yet. Without its keystore, you can’t update a published Android app in the store. Put the keystore
          and its passwords into a zip, and keep a copy here. It is stored encrypted.
        </p>
      )}
      {kept !== undefined && (
        <>
          <Facts
            facts={{
              File: kept.original_name,
              Size: size(kept.size_bytes),
              Stored: <Time at={kept.uploaded_at} />,
            }}
          />
          <p>
            <span className="dim">SHA-256 of the file: </span>
            <Copyable text={kept.sha256} label="the SHA-256" />
          </p>
          <div className="buttons">
            <a className="button" href={api.address(`${path}/download`)} download={kept.original_name}>
              Download
            </a>
            <Button kind="danger" onClick={() => removal.show(true)}>
              Delete
            </Button>
          </div>
        </>
      )}
      {keystore.data !== undefined && <KeystoreUpload app={app} kept={kept} />}
      <Confirm
        title="Delete the keystore backup"
        verb="Delete permanently"
        typed={app.name}
        {...removal.dialog}
        confirm={() => api.delete(path)}
        refresh={[['keystore', app.id]]}
        said="The keystore backup is deleted."
      >
        <p>The file is removed from the server and can’t be brought back. Make sure that you have it elsewhere.</p>
      </Confirm>
    </Section>
  );
}
