import type { App, SigningKey } from '@sluice/contracts';
import { useGet } from '../../../api/queries';
import { Button } from '../../../parts/button';
import { Modal } from '../../../parts/dialog';
import { Facts, Section } from '../../../parts/page';
import { useDialog } from '../../../parts/send';
import { Empty, QueryState } from '../../../parts/states';
import { Copyable, Status, Time } from '../../../parts/values';
import { OtherKeys } from './other-keys';
import { SigningKeyForm } from './signing-key-form';

const SCHEMES = {
  pkcs1v15: 'RSA PKCS#1 v1.5 with SHA-256',
  pss: 'RSA-PSS with SHA-256, salt of 32 bytes',
} as const;

export function SigningKeySection({ app }: { readonly app: App }) {
  const { show, dialog } = useDialog();
  const key = useGet<SigningKey>(`/apps/${app.id}/signing-key`, ['signing-key', app.id]);
  const configured = key.data?.configured === true ? key.data : undefined;
  return (
    <Section
      title="Signing key"
      actions={configured !== undefined && <Button onClick={() => show(true)}>Rotate</Button>}
    >
      <QueryState of={key} what="the signing key" />
      {key.data?.configured === false && (
        <Empty title="Builds are not signed by the server">
          <p>
            With a signing key the server signs each build, and devices that hold the public key refuse anything else. A
            signature that comes with an upload is kept as it is.
          </p>
          <Button kind="primary" onClick={() => show(true)}>
            New signing key
          </Button>
        </Empty>
      )}
      {configured !== undefined && (
        <>
          <Facts
            facts={{
              Name: configured.name,
              Status: <Status of={configured.status} />,
              'Signs with': SCHEMES[configured.scheme],
              'Trusted since': <Time at={configured.created_at} />,
              Rotated: <Time at={configured.rotated_at} />,
            }}
          />
          <h3>Fingerprint</h3>
          <p className="dim">SHA-256 of the public key. Compare it with what your app carries.</p>
          <Copyable text={configured.fingerprint} label="the fingerprint" />
          <h3>Public key</h3>
          <p className="dim">
            Build it into your app: devices check each bundle with it. The private half never leaves the server.
          </p>
          <Copyable text={configured.public_key} label="the public key" block />
          <OtherKeys app={app} />
        </>
      )}
      <Modal title={configured === undefined ? 'New signing key' : 'Rotate the signing key'} {...dialog}>
        <SigningKeyForm app={app} present={configured} close={dialog.close} />
      </Modal>
    </Section>
  );
}
