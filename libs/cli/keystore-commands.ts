import { createHash } from 'node:crypto';
import { open, rm, stat, type FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ConfiguredKeystore, deleteKeystore, Keystore, ReplyOf } from '@sluice/contracts';
import type { Command } from './commander';
import { bundleForm } from './bundle-form';
import { confirm, withYes } from './confirm';
import { appPath, managementClient, withApp, type AppOptions } from './connection';
import type { Context } from './context';
import { Failure } from './failure';
import { formatBytes, type Cell } from './output';
import { startProgress } from './progress';

/** `sluice keystore …` */
export function addKeystoreCommands(program: Command, context: Context): void {
  const keystore = program
    .command('keystore')
    .description(
      'a backup of the keystore that you sign native builds with, such as the Android upload keystore. The server does not use it',
    );
  const pathOf = ({ app }: AppOptions) => `${appPath(app)}/keystore`;

  withApp(keystore.command('show').description('show the name, size and date of the stored keystore')).action(
    (options) => managementClient(options, context).show('show the keystore', 'GET', pathOf(options), describe),
  );

  withApp(keystore.command('upload').description('upload a keystore backup. Replaces an existing one'))
    .argument('<zip>', 'zip file with the keystore')
    .action(async (path, options) => {
      const client = managementClient(options, context);
      const attempt = 'upload the keystore';
      const { size } = await stat(path).catch((error: unknown) => refuseFile(attempt, error));
      const progress = await startProgress('Uploading', size, context);
      try {
        const form = bundleForm({}, { path, size, name: basename(path) }, (bytes) => progress.update(bytes));
        context.output.result(await client.upload<ConfiguredKeystore>(attempt, pathOf(options), form), describe);
      } finally {
        progress.stop();
      }
    });

  withApp(keystore.command('download').description('download the zip as it was uploaded'))
    .argument('<file>', 'output file; must not exist yet')
    .action(async (path, options) => {
      const client = managementClient(options, context);
      const attempt = 'download the keystore';
      const kept = await client.call<Keystore>(attempt, 'GET', pathOf(options));
      const response = await client.download(attempt, `${pathOf(options)}/download`);
      const file = await open(path, 'wx', 0o600).catch((error: unknown) => refuseFile(attempt, error));
      try {
        const sha256 = await receive(response, file).finally(() => file.close());
        if (kept.configured && sha256 !== kept.sha256) {
          throw new Failure({ attempt, code: 'CHECKSUM_MISMATCH', message: `The file's SHA-256 is ${sha256}.` });
        }
      } catch (error) {
        await rm(path, { force: true });
        if (context.terminal.signal.aborted || error instanceof Failure) throw error;
        const { message } = error as Error;
        throw new Failure({ attempt, code: 'DOWNLOAD_BROKEN_OFF', message, cause: error });
      }
      context.output.result({ ...kept, file: path }, () => ({ file: path, ...describe(kept) }));
    });

  withYes(withApp(keystore.command('delete').description('delete the backup permanently'))).action(async (options) => {
    const client = managementClient(options, context);
    const attempt = 'delete the keystore';
    const question = `Delete the keystore backup of ${options.app} permanently?`;
    await confirm(attempt, 'Nothing was deleted.', options, context, () => question);
    await client.show<ReplyOf<typeof deleteKeystore>>(attempt, 'DELETE', pathOf(options), { deleted: 'deleted' });
  });
}

/** Answers the hex SHA-256 of what came. */
async function receive(response: Response, file: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    hash.update(bytes);
    await file.appendFile(bytes);
  }
  await file.sync();
  return hash.digest('hex');
}

function refuseFile(attempt: string, error: unknown): never {
  const { code, message } = error as NodeJS.ErrnoException;
  throw new Failure({ attempt, code: code ?? 'DISK', message, cause: error });
}

function describe(keystore: Keystore): Record<string, Cell> {
  if (!keystore.configured) return { configured: false };
  const { original_name: name, size_bytes: size, sha256, uploaded_at: uploaded } = keystore;
  return { name, size: formatBytes(size), 'SHA-256': sha256, uploaded };
}
