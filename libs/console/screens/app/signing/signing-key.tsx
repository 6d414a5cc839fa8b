import type { App, SigningCertificate, SigningKey } from '@sluice/contracts';
import { useGet } from '../../../api/queries';
import { Button } from '../../../parts/button';
import { Modal } from '../../../parts/dialog';
import { Facts, Section } from '../../../parts/page';
import { useDialog } from '../../../parts/send';
import { Empty, QueryState } from '../../../parts/states';
import { Copyable, Status, Time } from '../../../parts/values';
import * as texts from '../../../texts/signing';
import { OtherKeys } from './other-keys';
import { SigningKeyForm } from './signing-key-form';

export function SigningKeySection({ app }: { readonly app: App }) {
  const { show, dialog } = useDialog();
  const key = useGet<SigningKey>(`/apps/${app.id}/signing-key`, ['signing-key', app.id]);
  const configured = key.data?.configured === true ? key.data : undefined;
  return (
    <Section
      title={texts.signingKey}
      actions={configured !== undefined && <Button onClick={() => show(true)}>{texts.rotate}</Button>}
    >
      <QueryState of={key} what={texts.loadingKey} />
      {key.data?.configured === false && (
        <Empty title={texts.noKey}>
          <p>{texts.noKeyEffect}</p>
          <Button kind="primary" onClick={() => show(true)}>
            {texts.newKey}
          </Button>
        </Empty>
      )}
      {configured !== undefined && (
        <>
          <Facts
            facts={{
              [texts.name]: configured.name,
              [texts.status]: <Status of={configured.status} />,
              [texts.scheme]: texts.schemes[configured.scheme],
              [texts.created]: <Time at={configured.created_at} />,
              [texts.rotated]: <Time at={configured.rotated_at} />,
            }}
          />
          <h3>{texts.fingerprint}</h3>
          <p className="dim">{texts.fingerprintHelp}</p>
          <Copyable text={configured.fingerprint} label={texts.theFingerprint} />
          <h3>{texts.publicKey}</h3>
          <p className="dim">{texts.publicKeyHelp}</p>
          <Copyable text={configured.public_key} label={texts.thePublicKey} block />
          <Certificate app={app} keyId={configured.id} />
          <OtherKeys app={app} />
        </>
      )}
      <Modal title={configured === undefined ? texts.newKey : texts.rotateTitle} {...dialog}>
        <SigningKeyForm app={app} present={configured} close={dialog.close} />
      </Modal>
    </Section>
  );
}

/** Of the key, for apps with the client of Expo. */
function Certificate({ app, keyId }: { readonly app: App; readonly keyId: number }) {
  const path = `/apps/${app.id}/signing-keys/${keyId}/certificate`;
  const certificate = useGet<SigningCertificate>(path, ['signing-certificate', keyId]);
  return (
    <>
      <h3>{texts.certificate}</h3>
      <QueryState of={certificate} what={texts.loadingCertificate} />
      {certificate.data !== undefined && (
        <>
          <p className="dim">{texts.certificateHelp(certificate.data.keyid, certificate.data.alg)}</p>
          <Copyable text={certificate.data.certificate} label={texts.theCertificate} block />
        </>
      )}
    </>
  );
}
