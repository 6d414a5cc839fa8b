/** The texts of the screen “Signing”: the signing key, earlier keys and the keystore backup. */
import type { ReactNode } from 'react';

export const signingKey = 'Signing key';
export const loadingKey = 'the signing key';
export const noKey = 'No signing key yet';
export const noKeyEffect =
  'With a signing key, the server signs every new build, and devices that have the public key reject bundles without a valid signature. If you upload a build with your own signature, that signature is kept.';
export const newKey = 'New signing key';
export const rotate = 'Rotate';
export const rotateTitle = 'Rotate the signing key';
export const name = 'Name';
export const status = 'Status';
export const scheme = 'Scheme';
export const created = 'Created';
export const rotated = 'Rotated';
export const schemes = {
  pkcs1v15: 'RSA PKCS#1 v1.5 with SHA-256',
  pss: 'RSA-PSS with SHA-256 and a salt of 32 bytes',
} as const;
export const fingerprint = 'Fingerprint';
export const fingerprintHelp =
  'SHA-256 of the public key in DER form. Compare it with the fingerprint of the key in your app.';
export const theFingerprint = 'the fingerprint';
export const publicKey = 'Public key';
export const publicKeyHelp =
  'Add it to your app. Devices verify each bundle with it. The private key never leaves the server.';
export const thePublicKey = 'the public key';
export const certificate = 'Certificate for Expo';
export const loadingCertificate = 'the certificate';
export const certificateHelp = (keyid: string, alg: string) =>
  `The public key as apps with the client of Expo need it, in codeSigningCertificate. Their codeSigningMetadata is { keyid: '${keyid}', alg: '${alg}' }.`;
export const theCertificate = 'the certificate';

export const schemeHelp = 'The scheme that your app verifies. Both are RSA with SHA-256.';
export const schemeChoices = {
  pkcs1v15: 'PKCS#1 v1.5 (as openssl dgst -sign)',
  pss: 'PSS (for apps that verify RSA-PSS)',
} as const;
export const create = 'Create key';
export const keyCreated = 'Signing key created. Builds that are uploaded from now on are signed.';
export const keyRotated =
  'Signing key rotated. Update responses now carry signatures by the new key and by all previous keys that are not retired.';
export const rotateEffect =
  'From then on, update responses carry signatures by both keys and by earlier keys that are not retired, also for builds that the server signed before. So installed apps that trust only one of the keys still accept updates. Ship the new public key in your next native release. Later, when no installed app trusts only the current key, retire it.';

export const currentFingerprint = (digits: string): ReactNode => (
  <>
    Fingerprint of the current key: <code>{digits}</code>
  </>
);
export const firstDigits = (count: number): string => `First ${count} characters of the fingerprint`;
export const firstDigitsHelp = 'Confirms that you rotate this key.';
export const otherFingerprint = (count: number): string =>
  `Enter the first ${count} characters of the fingerprint above.`;

export const formerKeys = 'Previous keys that still sign';
export const formerKeysHelp =
  'Installed apps that trust one of these keys still accept updates. Retire a key when no such app is in use: see the native versions under Adoption.';
export const superseded = 'Rotated out';
export const devices = 'Devices that run a build without a signature by a newer key';
export const unknown = 'unknown';
export const fingerprintOf = (id: number): string => `the fingerprint of key ${id}`;
export const retire = (id: number): string => `Retire key ${id}`;
export const retireTitle = (id: number): string => `Retire signing key ${id}`;
export const retirePermanently = 'Retire permanently';
export const retired = 'Signing key retired.';
export const retireDevices = (count: string): ReactNode => (
  <>
    {devices}: <strong>{count}</strong>
  </>
);
export const retireEffect =
  'Devices that trust only this key reject all updates until a native release gives them another key. The private key is deleted. You can’t undo this.';
export const retiredKeys = 'Retired keys';
export const retiredKeysHelp =
  'Sluice keeps these public keys so that signatures of older builds can still be verified.';
export const retiredKey = (retiredAt: ReactNode, createdAt: ReactNode, start: string): ReactNode => (
  <>
    Retired {retiredAt}, created {createdAt}: <code>{start}…</code>
  </>
);
export const theRetiredKey = 'the retired public key';

export const keystore = 'Keystore backup';
export const loadingKeystore = 'the keystore backup';
export const noKeystore =
  'No backup yet. Without the keystore that signs your Android app, you can’t publish new versions of the native app, unless you use Play App Signing. Upload a zip with the keystore and its passwords. The server stores it encrypted.';
export const file = 'File';
export const size = 'Size';
export const uploaded = 'Uploaded';
export const sha256 = 'SHA-256 of the file: ';
export const theSha256 = 'the SHA-256';
export const download = 'Download';
export const deleteKeystore = 'Delete';
export const deleteTitle = 'Delete the keystore backup';
export const deletePermanently = 'Delete permanently';
export const deleted = 'Keystore backup deleted.';
export const deleteEffect =
  'The file is deleted from the server. You can’t undo this. Make sure that you have another copy.';

export const zip = 'Zip with the keystore';
export const otherZip = 'Another zip with the keystore';
export const store = 'Store backup';
export const stored = 'Keystore backup stored.';
export const progress = 'Upload progress';
export const replace = 'Replace backup';
export const replaceTitle = 'Replace the keystore backup';
export const replacePermanently = 'Replace permanently';
export const replaceEffect = (name: string): ReactNode => (
  <>
    <code>{name}</code> is deleted from the server. You can’t undo this. Make sure that the new zip contains the
    keystore that your published app is signed with.
  </>
);
