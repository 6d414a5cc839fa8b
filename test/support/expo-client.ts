import { createHash, createVerify, X509Certificate } from 'node:crypto';
import {
  isMultipartPartWithName,
  type MultipartPart,
  parseMultipartMixedResponseAsync,
} from '@expo/multipart-body-parser';
import { parseDictionary } from 'structured-headers';

interface Asset {
  readonly key: string;
  readonly url: string;
  readonly hash: string;
  readonly contentType: string;
  readonly fileExtension: string;
}

export interface Manifest {
  readonly id: string;
  readonly createdAt: string;
  readonly runtimeVersion: string;
  readonly launchAsset: Asset;
  readonly assets: readonly Asset[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly extra: Readonly<Record<string, unknown>>;
}

export interface Directive {
  readonly type: string;
  readonly parameters?: { readonly commitTime?: string };
}

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly manifest?: Manifest;
  readonly directive?: Directive;
}

export interface Certificate {
  readonly pem: string;
  readonly keyId: string;
}

export interface ExpoDevice {
  readonly url: string;
  readonly clientId: string;
  readonly platform?: 'ios' | 'android';
  readonly runtimeVersion?: string;
  readonly channel?: string;
  /** Verifies whatever it gets by it. */
  readonly certificate?: Certificate;
  /** When the native app was built, milliseconds since 1970. */
  readonly builtAt?: number;
}

interface Update {
  readonly id: string;
  createdAt: number;
  readonly manifest?: Manifest;
  failed?: boolean;
}

const EMBEDDED_ID = '0e0e0e0e-0000-4000-8000-00000000000e';
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * What a client of Expo does with the responses of protocol 1: it takes an update only if it was created later than the
 * one that runs, keeps files by their key, verifies hashes and signatures, and starts the newest update that it has.
 */
export class ExpoClient {
  /** The contents of files, by key. */
  readonly files = new Map<string, Buffer>();
  private readonly updates: Update[];
  private running: Update;

  constructor(readonly device: ExpoDevice) {
    this.running = { id: EMBEDDED_ID, createdAt: device.builtAt ?? 0 };
    this.updates = [this.running];
  }

  /** Undefined: the bundle inside the native app. */
  get runs(): Manifest | undefined {
    return this.running.manifest;
  }

  /** Requests a manifest, as at the start of the app. */
  async request(more: Readonly<Record<string, string>> = {}): Promise<Received> {
    const { url, certificate } = this.device;
    const failed = this.updates.filter((update) => update.failed).map(({ id }) => `"${id}"`);
    const response = await fetch(url, {
      headers: {
        ...{ 'Expo-Protocol-Version': '1', 'Expo-API-Version': '1', 'Expo-Updates-Environment': 'BARE' },
        ...{ 'Expo-JSON-Error': 'true', 'Expo-Platform': this.device.platform ?? 'ios' },
        'Expo-Runtime-Version': this.device.runtimeVersion ?? '1.0.0',
        Accept: 'multipart/mixed,application/expo+json,application/json',
        'EAS-Client-ID': this.device.clientId,
        'Expo-Current-Update-ID': this.running.id,
        'Expo-Embedded-Update-ID': EMBEDDED_ID,
        ...(this.device.channel !== undefined && { 'expo-channel-name': this.device.channel }),
        ...(failed.length > 0 && { 'Expo-Recent-Failed-Update-IDs': failed.join(', ') }),
        ...(certificate && {
          'expo-expect-signature': `sig, keyid="${certificate.keyId}", alg="rsa-v1_5-sha256"`,
        }),
        ...more,
      },
    });
    return this.read(response);
  }

  /** Checks, downloads, and starts again. Returns what it received. */
  async update(): Promise<Received> {
    const received = await this.request();
    const { manifest, directive } = received;
    if (directive?.type === 'rollBackToEmbedded') this.rollBack(timeOf(directive.parameters?.commitTime));
    if (manifest !== undefined && manifest.runtimeVersion === (this.device.runtimeVersion ?? '1.0.0')) {
      const createdAt = timeOf(manifest.createdAt);
      const known = this.updates.find(({ id }) => id === manifest.id);
      if (createdAt > this.running.createdAt && known?.failed !== true) {
        await this.download(manifest);
        if (known === undefined) this.updates.push({ id: manifest.id, createdAt, manifest });
      }
    }
    this.restart();
    return received;
  }

  /** The update that runs crashes, and the one before it starts. */
  crash(): void {
    this.running.failed = true;
    this.restart();
  }

  private restart(): void {
    const launchable = this.updates.filter((update) => update.failed !== true);
    this.running = launchable.reduce((one, other) => (other.createdAt > one.createdAt ? other : one));
  }

  private rollBack(commitTime: number): void {
    const embedded = this.updates[0]!;
    if (commitTime > this.running.createdAt) embedded.createdAt = commitTime;
  }

  private async download({ launchAsset, assets }: Manifest): Promise<void> {
    for (const { key, url, hash, fileExtension } of [launchAsset, ...assets]) {
      if (/[/\\]/.test(key) || !/^\.[^/]+$/.test(fileExtension))
        throw new Error(`An asset is named ${key}${fileExtension}`);
      if (this.files.has(key)) continue;
      const response = await fetch(url, { headers: { 'EAS-Client-ID': this.device.clientId } });
      if (!response.ok) throw new Error(`${url} was answered with ${response.status}`);
      const content = Buffer.from(await response.arrayBuffer());
      const actual = createHash('sha256').update(content).digest('base64url');
      if (actual !== hash) throw new Error(`${url} has the hash ${actual}, not ${hash}`);
      this.files.set(key, content);
    }
  }

  private async read(response: Response): Promise<Received> {
    const { status, headers } = response;
    if (headers.get('expo-protocol-version') !== '1') throw new Error('Legacy manifests are no longer supported');
    if (headers.get('expo-sfv-version') !== '0') throw new Error('The version of structured fields is not 0.');
    const type = headers.get('content-type') ?? '';
    if (status !== 200) {
      await response.text();
      return { status, headers };
    }
    if (!type.startsWith('multipart/mixed')) {
      const text = await response.text();
      this.verify(text, headers.get('expo-signature') ?? undefined);
      return { status, headers, manifest: JSON.parse(text) as Manifest };
    }
    const parts: readonly MultipartPart[] = await parseMultipartMixedResponseAsync(
      type,
      Buffer.from(await response.arrayBuffer()),
    );
    const bodyOf = (name: string): unknown => {
      const part = parts.find((each) => isMultipartPartWithName(each, name));
      if (part === undefined) return undefined;
      this.verify(part.body, textOf(part.headers.get('expo-signature')));
      return JSON.parse(part.body);
    };
    const manifest = bodyOf('manifest') as Manifest | undefined;
    const directive = bodyOf('directive') as Directive | undefined;
    return { status, headers, ...(manifest && { manifest }), ...(directive && { directive }) };
  }

  private verify(text: string, header: string | undefined): void {
    const { certificate } = this.device;
    if (certificate === undefined) return;
    if (header === undefined) throw new Error('No expo-signature header specified');
    const fields = parseDictionary(header);
    const field = (name: string): unknown => fields.get(name)?.[0];
    const [sig, keyId, alg] = [field('sig'), field('keyid'), field('alg')];
    if (keyId !== certificate.keyId || alg !== 'rsa-v1_5-sha256' || typeof sig !== 'string') {
      throw new Error(`The signature is ${header}`);
    }
    const { publicKey } = new X509Certificate(certificate.pem);
    const verifier = createVerify('RSA-SHA256').update(text, 'utf8');
    if (!verifier.verify(publicKey, sig, 'base64')) throw new Error('The signature is not valid.');
  }
}

/** Clients for Android take any other form for the present time. */
function timeOf(text = ''): number {
  if (!TIME.test(text)) throw new Error(`"${text}" is no time of a manifest.`);
  return Date.parse(text);
}

function textOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
