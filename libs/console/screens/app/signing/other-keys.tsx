import type { App, CountedSigningKey } from '@sluice/contracts';
import { useState } from 'react';
import { api, query } from '../../../api/client';
import { useList } from '../../../api/queries';
import { Button } from '../../../parts/button';
import { Confirm } from '../../../parts/dialog';
import { Facts } from '../../../parts/page';
import { ErrorNote } from '../../../parts/states';
import { Copyable, Time } from '../../../parts/values';

/** As many digits of a fingerprint as a person types to confirm. */
export const TYPED_DIGITS = 8;

/** The keys before the active one: those that still sign, which can be retired, and the retired ones. */
export function OtherKeys({ app }: { readonly app: App }) {
  const [retiring, setRetiring] = useState<CountedSigningKey>();
  const keys = useList<CountedSigningKey>(`/apps/${app.id}/signing-keys${query({ per_page: 50 })}`, [
    'signing-key',
    app.id,
  ]);
  if (keys.isError) return <ErrorNote error={keys.error} again={() => void keys.refetch()} />;
  const withStatus = (wanted: CountedSigningKey['status']) =>
    keys.data?.data.filter(({ status }) => status === wanted) ?? [];
  const [former, retired] = [withStatus('former'), withStatus('retired')];
  return (
    <>
      {former.length > 0 && (
        <>
          <h3>Former keys that still sign</h3>
          <p className="dim">
            Installed apps that trust one of them continue to accept updates. Retire a key when no such app is in use
            any more.
          </p>
          {former.map((key) => (
            <div key={key.id}>
              <Facts
                facts={{
                  Name: key.name,
                  'Trusted since': <Time at={key.created_at} />,
                  Superseded: <Time at={key.superseded_at} />,
                  'Devices on versions that no newer key signed': key.devices?.toLocaleString() ?? 'unknown now',
                }}
              />
              <Copyable text={key.fingerprint} label={`the fingerprint of key ${key.id}`} />
              <div className="buttons">
                <Button kind="danger" onClick={() => setRetiring(key)}>
                  Retire key {key.id}
                </Button>
              </div>
            </div>
          ))}
        </>
      )}
      {retired.length > 0 && (
        <>
          <h3>Retired keys</h3>
          <p className="dim">Builds that they signed are still checked with them.</p>
          {retired.map((key) => (
            <details key={key.id}>
              <summary>
                Retired <Time at={key.retired_at} />, trusted since <Time at={key.created_at} />:{' '}
                <code>{key.fingerprint.slice(0, 16)}…</code>
              </summary>
              <Copyable text={key.public_key} label="the retired public key" block />
            </details>
          ))}
        </>
      )}
      {retiring !== undefined && (
        <Confirm
          title={`Retire signing key ${retiring.id}`}
          verb="Retire permanently"
          typed={retiring.fingerprint.slice(0, TYPED_DIGITS)}
          open
          close={() => setRetiring(undefined)}
          confirm={() => api.post(`/apps/${app.id}/signing-keys/${retiring.id}/retire`)}
          refresh={[
            ['history', app.id],
            ['signing-key', app.id],
          ]}
          said="The signing key is retired."
        >
          {retiring.devices !== null && (
            <p>
              Devices that last reported a version which no newer key signed:{' '}
              <strong>{retiring.devices.toLocaleString()}</strong>
            </p>
          )}
          <p>
            Devices that trust only this key stop accepting updates, and get none until a native release brings them
            another key. Its private half is deleted and can’t be brought back.
          </p>
        </Confirm>
      )}
    </>
  );
}
