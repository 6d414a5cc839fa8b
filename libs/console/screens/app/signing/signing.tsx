import type { App } from '@sluice/contracts';
import { KeystoreBackup } from './keystore';
import { SigningKeySection } from './signing-key';

/** The signing key of builds, and the backup of the keystore of the native app. */
export function Signing({ app }: { readonly app: App }) {
  return (
    <>
      <SigningKeySection app={app} />
      <KeystoreBackup app={app} />
    </>
  );
}
