import { collectAttribute } from './audience-rules';
import { Option, type Command } from './commander';
import { channelOption } from './build-commands';
import { deviceServer, serverAddress, withProject, type ServerOptions } from './connection';
import type { Context } from './context';
import { downloadBundle, type Offer } from './download';
import { Failure, Refusal, UsageError } from './failure';
import { sendJson } from './http-client';
import { formatBytes } from './output';

interface CheckOptions extends ServerOptions {
  readonly key: string;
  readonly device: string;
  readonly current: string;
  readonly platform: string;
  readonly channel?: string;
  readonly native?: string;
  readonly fingerprint?: string;
  readonly embedded?: string;
  readonly attr?: Readonly<Record<string, string>>;
  readonly download?: string;
  readonly publicKey?: string;
}

type Answer = (Offer | { readonly available: false; readonly message: string }) & {
  readonly nativeUpdateRequired?: { readonly minimum: string };
};

/** `sluice check` */
export function addCheckCommand(program: Command, context: Context): void {
  withProject(program.command('check').description('send an update check as a device does'))
    .requiredOption('--key <key>', 'API key of the app')
    .requiredOption('--device <id>', 'device ID; determines whether the device is in a rollout')
    .requiredOption('--current <version>', 'version of the bundle that the device runs')
    .addOption(
      new Option('--platform <platform>', 'platform of the device')
        .choices(['ios', 'android', 'web', 'all'])
        .default('all'),
    )
    .addOption(channelOption())
    .option('--native <version>', 'version of the native app on the device')
    .option('--fingerprint <text>', 'fingerprint of the native app on the device')
    .option('--embedded <version>', 'version of the bundle inside the native app on the device')
    .option('--attr <name=value>', 'attribute that the device sends (repeatable)', collectAttribute)
    .option('--download <file>', 'download and verify the bundle; resumes an interrupted download (FILE.part)')
    .option('--public-key <pem>', "PEM file with the app's public key; also verifies the signature (needs --download)")
    .action(async (options) => {
      const { terminal, output } = context;
      if (options.publicKey !== undefined && options.download === undefined) {
        throw new UsageError('--public-key verifies what --download fetches: give both.');
      }
      const server = serverAddress(options, context);
      const answer = await askWhereDevicesAsk(server, options, terminal.signal);
      if (!answer.available) {
        output.result(answer, () => ({ update: answer.message, ...nativeUpdate(answer) }));
        return;
      }
      let file: string | undefined;
      if (options.download !== undefined) {
        await downloadBundle(answer, options.download, options.publicKey, context);
        file = options.download;
      }
      output.result({ ...answer, file }, (offer) => ({
        update: offer.version,
        mandatory: offer.mandatory,
        size: formatBytes(offer.size),
        'SHA-256': offer.checksum,
        signature: offer.signature,
        notes: offer.releaseNotes ?? undefined,
        'from native': offer.minNativeVersion ?? undefined,
        'native range': offer.nativeRange,
        fingerprint: offer.fingerprint,
        platform: offer.platform,
        ...nativeUpdate(answer),
        ...(file === undefined ? { download: offer.downloadUrl, 'good until': offer.expiresAt } : { verified: file }),
      }));
    });
}

const nativeUpdate = ({ nativeUpdateRequired: native }: Answer) => ({
  'native update': native && `to ${native.minimum} at least, for a newer build`,
});

/** The description on a server without a device API has the address of that API. */
async function askWhereDevicesAsk(server: string, options: CheckOptions, signal: AbortSignal): Promise<Answer> {
  try {
    return await ask(server, options, signal);
  } catch (refusal) {
    if (!(refusal instanceof Refusal) || refusal.code !== 'NOT_FOUND') throw refusal;
    const other = await deviceServer(server, signal);
    if (other !== undefined && other !== server) return ask(other, options, signal);
    const { attempt, code } = refusal;
    throw new Failure({
      ...(attempt !== undefined && { attempt }),
      code,
      message: `${new URL(server).origin} has no update check, and does not name the server that has.`,
      advice: 'Name the server that devices ask with --server or SLUICE_SERVER: the PUBLIC_URL of device-updates.',
    });
  }
}

async function ask(server: string, options: CheckOptions, signal: AbortSignal): Promise<Answer> {
  const attempt = 'check for an update';
  const query = options.channel === undefined ? '' : `?channel=${options.channel}`;
  const url = `${server}/api/v1/updates/check${query}`;
  return sendJson<Answer>(attempt, url, {
    signal,
    headers: {
      accept: 'application/json',
      'x-api-key': options.key,
      'x-device-id': options.device,
      'x-current-version': options.current,
      'x-platform': options.platform,
      ...(options.native !== undefined && { 'x-app-version': options.native }),
      ...(options.fingerprint !== undefined && { 'x-native-fingerprint': options.fingerprint }),
      ...(options.embedded !== undefined && { 'x-embedded-version': options.embedded }),
      ...Object.fromEntries(Object.entries(options.attr ?? {}).map(([name, value]) => [`x-attr-${name}`, value])),
    },
    advice: { 401: 'Make a key with: sluice key create --app APP --name NAME' },
  });
}
