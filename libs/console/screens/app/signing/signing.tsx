import type { App } from '@sluice/contracts';
import { KeystoreBackup } from './keystore';
import { SigningKeySection } from './signing-key';

/** What builds are signed with, and the backup of what the native app is signed with. */
export function Signing({ app }: { readonly app: App }) {
  return (
    <>
      <SigningKeySection app={app} />
      <KeystoreBackup app={app} />
    </>
  );
}
