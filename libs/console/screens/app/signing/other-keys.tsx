import type { App, CountedSigningKey } from '@sluice/contracts';
import { useState } from 'react';
import { api, query } from '../../../api/client';
import { useList } from '../../../api/queries';
import { Button } from '../../../parts/button';
import { Confirm } from '../../../parts/dialog';
import { Facts } from '../../../parts/page';
import { ErrorNote } from '../../../parts/states';
import { Copyable, Time } from '../../../parts/values';
import * as texts from '../../../texts/signing';

/** How many digits of a fingerprint a person types to confirm. */
export const TYPED_DIGITS = 8;

/** The keys before the active one: those that still sign, which can be retired, and the retired ones. */
export function OtherKeys({ app }: { readonly app: App }) {
  const [retiring, setRetiring] = useState<CountedSigningKey>();
  const keys = useList<CountedSigningKey>(`/apps/${app.id}/signing-keys${query({ per_page: 50 })}`, [
    'signing-key',
    app.id,
  ]);
  if (keys.isError) return <ErrorNote error={keys.error} retry={() => void keys.refetch()} />;
  const withStatus = (wanted: CountedSigningKey['status']) =>
    keys.data?.data.filter(({ status }) => status === wanted) ?? [];
  const [former, retired] = [withStatus('former'), withStatus('retired')];
  return (
    <>
      {former.length > 0 && (
        <>
          <h3>{texts.formerKeys}</h3>
          <p className="dim">{texts.formerKeysHelp}</p>
          {former.map((key) => (
            <div key={key.id}>
              <Facts
                facts={{
                  [texts.name]: key.name,
                  [texts.created]: <Time at={key.created_at} />,
                  [texts.superseded]: <Time at={key.superseded_at} />,
                  [texts.devices]: key.devices?.toLocaleString() ?? texts.unknown,
                }}
              />
              <Copyable text={key.fingerprint} label={texts.fingerprintOf(key.id)} />
              <div className="buttons">
                <Button kind="danger" onClick={() => setRetiring(key)}>
                  {texts.retire(key.id)}
                </Button>
              </div>
            </div>
          ))}
        </>
      )}
      {retired.length > 0 && (
        <>
          <h3>{texts.retiredKeys}</h3>
          <p className="dim">{texts.retiredKeysHelp}</p>
          {retired.map((key) => (
            <details key={key.id}>
              <summary>
                {texts.retiredKey(
                  <Time at={key.retired_at} />,
                  <Time at={key.created_at} />,
                  key.fingerprint.slice(0, 16),
                )}
              </summary>
              <Copyable text={key.public_key} label={texts.theRetiredKey} block />
            </details>
          ))}
        </>
      )}
      {retiring !== undefined && (
        <Confirm
          title={texts.retireTitle(retiring.id)}
          verb={texts.retirePermanently}
          typed={retiring.fingerprint.slice(0, TYPED_DIGITS)}
          open
          close={() => setRetiring(undefined)}
          confirm={() => api.post(`/apps/${app.id}/signing-keys/${retiring.id}/retire`)}
          refresh={[
            ['history', app.id],
            ['signing-key', app.id],
          ]}
          toast={texts.retired}
        >
          {retiring.devices !== null && <p>{texts.retireDevices(retiring.devices.toLocaleString())}</p>}
          <p>{texts.retireEffect}</p>
        </Confirm>
      )}
    </>
  );
}
