/** What a rejected request means, where the message of the API is written for scripts. */

export const chooseBundle = 'Choose the bundle: a zip of your app’s web files.';
export const threeNumbers = 'Enter three numbers, for example 1.4.0.';
export const nativeRange = 'Enter a semver range of at most 100 characters, for example >=2.1.0 <3.0.0.';
export const nativeVersion = 'Enter a version, for example 2.1.';
export const base64 = 'Enter a signature in Base64.';
export const bundleIdForm = 'Enter an ID like com.example.shop.';
export const bundleIdInUse = 'Another app has this bundle ID. Choose another one, or leave it empty.';

export const notNewer = (head: string): string =>
  `The version must be higher than ${head}, the newest active version in the channel.`;
export const buildNotReady = 'The check of the build failed or is not complete, so devices can’t get it.';
export const buildNotFound = 'The build was deleted in the meantime.';
export const storageFull = (used: string, limit: string): string =>
  `Not enough storage: your bundles use ${used} of ${limit}. Delete builds, or lower “Builds to keep in each channel” in an app’s settings.`;
