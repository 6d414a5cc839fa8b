import { createHash, createVerify, type KeyLike } from 'node:crypto';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import { crc32, inflateRawSync } from 'node:zlib';
import { buildSync } from 'esbuild';

/** What is read here of react-native-code-push. */
export interface CodePush {
  sync(
    options?: object,
    onStatus?: undefined,
    onProgress?: undefined,
    onMismatch?: (update: { readonly appVersion: string }) => void,
  ): Promise<number>;
  notifyAppReady(): Promise<unknown>;
  readonly SyncStatus: Readonly<Record<'UP_TO_DATE' | 'UPDATE_INSTALLED', number>>;
}

export interface CodePushConfig {
  readonly os: 'ios' | 'android';
  readonly serverUrl: string;
  readonly deploymentKey: string;
  readonly clientUniqueId?: string | null;
  /** Verifies signed packages; with it, unsigned ones are rejected. */
  readonly publicKey?: KeyLike;
}

type Files = ReadonlyMap<string, Buffer>;

/** What the client keeps of a package: the members of the update check. */
interface Metadata {
  readonly packageHash: string;
  readonly label: string;
  readonly appVersion: string;
  readonly isMandatory: boolean;
  readonly description: string;
  readonly packageSize: number;
  readonly deploymentKey: string;
  readonly downloadUrl: string;
}
interface Package {
  readonly metadata: Metadata;
  readonly files: Files;
}

type StatusReport = Readonly<Record<string, unknown>>;

type Run = (...given: readonly unknown[]) => void;

let bundled: string | undefined;

/** CodePush.js as it is published, for a JavaScript engine with modules of CommonJS. */
function bundle(): string {
  bundled ??= buildSync({
    entryPoints: [join(__dirname, '../../node_modules/react-native-code-push/CodePush.js')],
    ...{ bundle: true, write: false, format: 'cjs', platform: 'node', loader: { '.js': 'jsx' } },
    ...{ external: ['react', 'react-native'], logLevel: 'error' },
  }).outputFiles[0]?.text;
  return bundled ?? '';
}

/**
 * A phone with an app that contains react-native-code-push: the native half of that library, as its Java and Objective-C do it,
 * around its published JavaScript. It is strict about what it downloads.
 */
export class CodePushDevice {
  /** The file that the app runs; undefined: the bundle inside the native app. */
  current: Package | undefined;
  /** Of downloads, their bytes. */
  readonly downloads: { readonly size: number; readonly isDiff: boolean; readonly isMandatory: boolean }[] = [];
  readonly requests: { readonly url: string; readonly body: string | undefined }[] = [];
  /** The app ends before it is ready. */
  crashes = false;
  isOffline = false;
  private previous: Package | undefined;
  private downloaded: Package | undefined;
  private pending: { readonly hash: string; isLoading: boolean } | undefined;
  private readonly failed = new Set<string>();
  private didUpdate = false;
  private rolledBack: Package | undefined;
  /** What it last reported to run: a native version, or a deployment key with a label. */
  reported: string | undefined;
  private retry: StatusReport | undefined;
  private onResume: ((state: string) => unknown)[] = [];

  constructor(
    private readonly config: CodePushConfig,
    public appVersion: string,
  ) {}

  /** Installs another version of the app from the store; it is started next. */
  installBinary(appVersion: string): void {
    this.appVersion = appVersion;
  }

  /** Starts the app, as the native half does before any JavaScript runs. */
  start(): CodePush {
    this.didUpdate = false;
    this.onResume = [];
    if (this.current !== undefined && this.current.metadata.appVersion !== this.appVersion) {
      // Compared as text. The updates were for another native app.
      this.current = this.previous = this.pending = undefined;
    }
    if (this.pending !== undefined) {
      if (this.pending.isLoading) this.rollBack();
      else {
        this.didUpdate = true;
        this.pending.isLoading = true;
      }
    }
    return this.evaluate();
  }

  /** The app comes back to the foreground. */
  async resume(): Promise<void> {
    await Promise.all(this.onResume.map((listener) => listener('active')));
  }

  text(path: string): string | undefined {
    return this.current?.files.get(path)?.toString('utf8');
  }

  private rollBack(): void {
    const broken = this.current;
    if (broken !== undefined) this.failed.add(broken.metadata.packageHash);
    this.rolledBack = broken;
    this.current = this.previous;
    this.previous = this.pending = undefined;
  }

  private evaluate(): CodePush {
    const module = { exports: {} as CodePush };
    const platform = { OS: this.config.os };
    const native = this.nativeModule();
    const reactNative = {
      NativeModules: { CodePush: native, CodePushDialog: {} },
      Platform: platform,
      Alert: {},
      AppState: {
        addEventListener: (_: string, listener: (state: string) => unknown) => {
          this.onResume.push(listener);
          return { remove: () => (this.onResume = this.onResume.filter((each) => each !== listener)) };
        },
      },
      NativeEventEmitter: Object,
    };
    const required = (name: string) => (name === 'react-native' ? reactNative : {});
    const request = (url: string, init: RequestInit) => {
      this.requests.push({ url, body: typeof init.body === 'string' ? init.body : undefined });
      return this.isOffline ? Promise.reject(new Error('offline')) : fetch(url, init);
    };
    const silent = { log: () => undefined };
    const run = compileFunction(bundle(), ['require', 'module', 'exports', 'fetch', 'console']) as Run;
    run(required, module, module.exports, request, silent);
    return module.exports;
  }

  private nativeModule() {
    const identifier = ({ deploymentKey, label }: Metadata) => `${deploymentKey}:${label}`;
    const done = (value?: unknown) => Promise.resolve(value);
    return {
      ...{ codePushInstallModeImmediate: 0, codePushInstallModeOnNextRestart: 1, codePushInstallModeOnNextResume: 2 },
      ...{ codePushInstallModeOnNextSuspend: 3 },
      ...{ codePushUpdateStateRunning: 0, codePushUpdateStatePending: 1, codePushUpdateStateLatest: 2 },
      getConfiguration: () => {
        const { serverUrl, deploymentKey, clientUniqueId = 'device-1' } = this.config;
        return done({ appVersion: this.appVersion, serverUrl, deploymentKey, clientUniqueId });
      },
      getUpdateMetadata: () => done(this.current && { ...this.current.metadata, isPending: false }),
      isFailedUpdate: (hash: string) => done(this.failed.has(hash)),
      isFirstRun: () => done(this.didUpdate),
      downloadUpdate: async (metadata: Metadata) => {
        this.downloaded = await this.download(metadata);
        return { ...this.downloaded.metadata };
      },
      installUpdate: () => {
        if (this.downloaded === undefined) return Promise.reject(new Error('There is no package to install.'));
        this.previous = this.current;
        this.current = this.downloaded;
        this.pending = { hash: this.downloaded.metadata.packageHash, isLoading: false };
        return done();
      },
      notifyApplicationReady: () => {
        this.pending = undefined;
        return done();
      },
      getNewStatusReport: () => done(this.statusReport(identifier)),
      recordStatusReported: (report: StatusReport) => {
        if (report['status'] === 'DeploymentFailed') return;
        const { appVersion, package: of } = report;
        this.reported = appVersion === undefined ? identifier(of as Metadata) : (appVersion as string);
      },
      saveStatusReportForRetry: (report: StatusReport) => (this.retry = report),
      setLatestRollbackInfo: () => done(),
      getLatestRollbackInfo: () => done(null),
      restartApp: () => undefined,
      clearPendingRestart: () => undefined,
    };
  }

  private statusReport(identifier: (of: Metadata) => string): StatusReport | null {
    const { reported } = this;
    const previously = (): StatusReport => {
      if (reported === undefined) return {};
      const [key = '', label] = reported.split(':');
      if (label === undefined) return { previousLabelOrAppVersion: reported };
      return { previousDeploymentKey: key, previousLabelOrAppVersion: label };
    };
    if (this.rolledBack !== undefined) {
      const { metadata } = this.rolledBack;
      this.rolledBack = undefined;
      return { package: { ...metadata }, status: 'DeploymentFailed' };
    }
    if (this.didUpdate && this.current !== undefined) {
      const { metadata } = this.current;
      if (reported === identifier(metadata)) return null;
      this.retry = undefined;
      return { package: { ...metadata }, status: 'DeploymentSucceeded', ...previously() };
    }
    if (this.current === undefined && reported !== this.appVersion) {
      this.retry = undefined;
      return { appVersion: this.appVersion, ...previously() };
    }
    const { retry = null } = this;
    this.retry = undefined;
    return retry;
  }

  private async download(metadata: Metadata): Promise<Package> {
    const response = await fetch(metadata.downloadUrl, { headers: { 'Accept-Encoding': 'identity' } });
    const bytes = Buffer.from(await response.arrayBuffer());
    const { headers } = response;
    if (response.status !== 200) throw new Error(`The download was answered with ${response.status}.`);
    if (headers.get('content-encoding') !== null) throw new Error('The download is encoded.');
    if (headers.get('content-length') !== String(bytes.length)) {
      throw new Error(`Received ${bytes.length} bytes, expected ${headers.get('content-length')}`);
    }
    if (bytes.length !== metadata.packageSize) throw new Error(`The package has ${bytes.length} bytes.`);
    const unzipped = new Map(unzip(bytes));
    const list = unzipped.get('hotcodepush.json');
    const isDiff = list !== undefined;
    this.downloads.push({ size: bytes.length, isDiff, isMandatory: metadata.isMandatory });
    let files: Files = unzipped;
    if (isDiff) {
      if (this.current === undefined) throw new Error('There is no package that the difference applies to.');
      unzipped.delete('hotcodepush.json');
      const { deletedFiles } = JSON.parse(list.toString('utf8')) as { readonly deletedFiles: readonly string[] };
      const kept = [...this.current.files].filter(([path]) => !deletedFiles.includes(path));
      files = new Map([...kept, ...unzipped]);
    }
    const name = this.config.os === 'ios' ? 'main.jsbundle' : 'index.android.bundle';
    if (![...files.keys()].some((path) => path.split('/').at(-1) === name)) throw new Error(`There is no ${name}.`);
    // The clients check the hash of differences and of signed packages; this one, every time.
    const hash = hashOf(files);
    if (hash !== metadata.packageHash) throw new Error('The update contents failed the data integrity check.');
    const signature = files.get('CodePush/.codepushrelease');
    if (this.config.publicKey !== undefined) verifySignature(signature, hash, this.config.publicKey);
    return { metadata, files };
  }
}

/** As the clients compute it from the files of a package. */
export function hashOf(files: Files): string {
  const ignored = /^__MACOSX\/|(^|\/)(\.DS_Store|\.codepushrelease)$/;
  const lines = [...files].flatMap(([path, content]) =>
    ignored.test(path) ? [] : [`${path}:${createHash('sha256').update(content).digest('hex')}`],
  );
  return createHash('sha256').update(JSON.stringify(lines.sort())).digest('hex');
}

function verifySignature(token: Buffer | undefined, hash: string, publicKey: KeyLike): void {
  if (token === undefined) throw new Error('There is no JWT signature within the bundle.');
  const [header = '', claims = '', signature = ''] = token.toString('utf8').split('.');
  const part = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Record<string, unknown>;
  const verified =
    part(header)['alg'] === 'RS256' &&
    createVerify('RSA-SHA256').update(`${header}.${claims}`).verify(publicKey, signature, 'base64url');
  if (!verified) throw new Error('The update was not signed by a trusted party.');
  if (part(claims)['contentHash'] !== hash) throw new Error('The update contents failed the code signing check.');
}

/** The files of a zip, read from its local headers and compared with its central directory, as both kinds of readers exist. */
function unzip(zip: Buffer): [string, Buffer][] {
  const end = zip.length - 22;
  if (zip.readUInt32LE(end) !== 0x06054b50) throw new Error('The zip has no end.');
  const files: [string, Buffer][] = [];
  let central = zip.readUInt32LE(end + 16);
  const directory = central;
  for (let count = zip.readUInt16LE(end + 10); count > 0; count -= 1) {
    if (zip.readUInt32LE(central) !== 0x02014b50) throw new Error('The central directory is damaged.');
    const nameLength = zip.readUInt16LE(central + 28);
    const name = zip.subarray(central + 46, central + 46 + nameLength);
    const [method, sum, packed, size] = [
      ...[zip.readUInt16LE(central + 10), zip.readUInt32LE(central + 16)],
      ...[zip.readUInt32LE(central + 20), zip.readUInt32LE(central + 24)],
    ];
    const local = zip.readUInt32LE(central + 42);
    if (zip.readUInt32LE(local) !== 0x04034b50) throw new Error('A local header is missing.');
    const usesDescriptor = (zip.readUInt16LE(local + 6) & 8) !== 0;
    if (!usesDescriptor && (zip.readUInt32LE(local + 18) !== packed || zip.readUInt32LE(local + 14) !== sum)) {
      throw new Error('A local header differs from the central directory.');
    }
    const localName = zip.subarray(local + 30, local + 30 + zip.readUInt16LE(local + 26));
    if (!localName.equals(name)) throw new Error('A local header has another name.');
    const start = local + 30 + localName.length + zip.readUInt16LE(local + 28);
    if (start + packed! > directory) throw new Error('A file reaches into the central directory.');
    const content = zip.subarray(start, start + packed!);
    const bytes = method === 8 ? inflateRawSync(content) : Buffer.from(content);
    if (bytes.length !== size || crc32(bytes) !== sum) throw new Error(`${name.toString('utf8')} is damaged.`);
    if (!name.toString('utf8').endsWith('/')) files.push([name.toString('utf8'), bytes]);
    central += 46 + nameLength + zip.readUInt16LE(central + 30) + zip.readUInt16LE(central + 32);
  }
  return files;
}
