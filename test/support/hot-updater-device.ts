import { createHash, createVerify } from 'node:crypto';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { strFromU8, unzipSync } from 'fflate';

const LIBRARY = join(__dirname, '../../node_modules/@hot-updater/react-native/lib/commonjs');

/** What is read here of @hot-updater/react-native. */
interface Library {
  readonly createDefaultResolver: (baseURL: string) => object;
  readonly checkForUpdate: (options: {
    readonly resolver: object;
    readonly updateStrategy: 'appVersion' | 'fingerprint';
    readonly channel?: string;
    readonly onError: (error: Error) => void;
  }) => Promise<Offer | null>;
}

export interface Offer {
  readonly id: string;
  readonly status: 'UPDATE' | 'ROLLBACK';
  readonly shouldForceUpdate: boolean;
  readonly message: string | null;
  readonly fileUrl: string | null;
  readonly fileHash: string | null;
  readonly updateBundle: () => Promise<boolean>;
}

/** The published library, its imports apart from React's included. */
let code: string | undefined;

function library(): string {
  const [bundle] = buildSync({
    stdin: {
      contents: `exports.checkForUpdate = require('./checkForUpdate.js').checkForUpdate;
        exports.createDefaultResolver = require('./DefaultResolver.js').createDefaultResolver;`,
      resolveDir: LIBRARY,
    },
    ...{ bundle: true, write: false, format: 'cjs', platform: 'node' },
    ...{ external: ['react', 'react-native'], define: { __DEV__: 'false' }, logLevel: 'error' },
  }).outputFiles;
  return bundle?.text ?? '';
}

export interface PhoneOptions {
  readonly baseUrl: string;
  readonly platform?: 'ios' | 'android';
  readonly appVersion?: string;
  readonly fingerprint?: string;
  readonly channel?: string;
  readonly cohort?: string;
  /** Of the bundle in the native app. */
  readonly minBundleId: string;
  /** PEM: the app takes signed bundles alone. */
  readonly publicKey?: string;
}

/**
 * A phone with an app that contains @hot-updater/react-native: the native half of that library, as its Kotlin and Swift do it,
 * below its unmodified JavaScript.
 */
export function hotUpdaterPhone({ minBundleId, publicKey, ...options }: PhoneOptions) {
  const { baseUrl, platform = 'ios', appVersion = '1.0.0', channel = 'production', cohort = '17' } = options;
  let bundleId = minBundleId;
  const errors: Error[] = [];

  const native = {
    getConstants: () => ({
      ...{ MIN_BUNDLE_ID: minBundleId, APP_VERSION: appVersion, CHANNEL: channel, DEFAULT_CHANNEL: channel },
      FINGERPRINT_HASH: options.fingerprint ?? null,
    }),
    getBundleId: () => bundleId,
    getCohort: () => cohort,
    async updateBundle(to: { readonly bundleId: string; readonly fileUrl: string | null; readonly fileHash: string }) {
      if (to.fileUrl === null) {
        bundleId = minBundleId;
        return true;
      }
      const bytes = Buffer.from(await (await fetch(to.fileUrl)).arrayBuffer());
      verify(bytes, to.fileHash, publicKey);
      // What the app is asked for from then on is in the bundle itself.
      const manifest = unzipSync(bytes)['manifest.json'] ?? Buffer.from('{}');
      ({ bundleId } = JSON.parse(strFromU8(manifest)) as { bundleId: string });
      return true;
    },
  };
  const reactNative = {
    Platform: { OS: platform },
    TurboModuleRegistry: { getEnforcing: () => native },
    NativeEventEmitter: class {
      addListener = () => ({ remove: () => undefined });
    },
  };

  /** As at a start of the app: the library keeps what runs in memory. */
  function start(): Library {
    code ??= library();
    const exported = {};
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    const required = (name: string): unknown => (name === 'react-native' ? reactNative : require(name));
    // eslint-disable-next-line @typescript-eslint/no-implied-eval
    const run = new Function('require', 'exports', code) as (required: unknown, exported: object) => void;
    run(required, exported);
    return exported as Library;
  }

  async function check(updateStrategy: 'appVersion' | 'fingerprint' = 'appVersion', ofChannel?: string) {
    const { checkForUpdate, createDefaultResolver } = start();
    const before = errors.length;
    const offer = await checkForUpdate({
      ...{ resolver: createDefaultResolver(baseUrl), updateStrategy, onError: (error: Error) => errors.push(error) },
      ...(ofChannel !== undefined && { channel: ofChannel }),
    });
    return errors.length > before ? errors[before] : offer;
  }

  return {
    check,
    running: () => bundleId,
    runs: (id: string) => (bundleId = id),
    /** Returns the status of what was installed; undefined: there was nothing. */
    async update(strategy?: 'appVersion' | 'fingerprint'): Promise<string | undefined> {
      const offer = await check(strategy);
      if (offer instanceof Error) throw offer;
      if (offer === null || offer === undefined) return undefined;
      await offer.updateBundle();
      return offer.status;
    },
  };
}

/** As SignatureVerifier.kt does. */
function verify(bytes: Buffer, fileHash: string, publicKey: string | undefined): void {
  const digest = createHash('sha256').update(bytes).digest();
  const [, signature] = /^sig:(.+)$/.exec(fileHash) ?? [];
  if (signature === undefined) {
    if (publicKey !== undefined) throw new Error('Unsigned bundle not allowed when signing is enabled');
    if (digest.toString('hex') !== fileHash.toLowerCase()) throw new Error('File hash verification failed');
    return;
  }
  if (publicKey === undefined) throw new Error('Public key not configured for signature verification');
  const isValid = createVerify('RSA-SHA256').update(digest).verify(publicKey, signature, 'base64');
  if (!isValid) throw new Error('Bundle signature verification failed');
}
