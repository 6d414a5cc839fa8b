import type { SigningKey } from '@sluice/contracts';
import { Option, type Command } from 'commander';
import { managementClient, withToken, type TokenOptions } from './connection';
import type { Context } from './context';
import type { Cell } from './output';

interface KeyOptions extends TokenOptions {
  readonly app: string;
}

interface MakeOptions extends KeyOptions {
  readonly name?: string;
  readonly scheme?: string;
}

/** `sluice signing-key …` */
export function addSigningKeyCommands(program: Command, context: Context): void {
  const key = program.command('signing-key').description('the key with which the server signs the bundles of an app');
  const withApp = (command: Command) => withToken(command).requiredOption('--app <id>', 'id or app id of the app');
  const pathOf = ({ app }: KeyOptions) => `/apps/${encodeURIComponent(app)}/signing-key`;

  withApp(key.command('show').description('show the public key')).action(async (options: KeyOptions) => {
    const client = managementClient(options, context);
    context.output.result(await client.call<SigningKey>('show the signing key', 'GET', pathOf(options)), describe);
  });

  const makers = [
    ['create', '', 'make a signing key (name and scheme: default, pkcs1v15)'],
    ['rotate', '/rotate', 'replace the signing key (name and scheme: as they are)'],
  ] as const;
  for (const [verb, path, description] of makers) {
    withApp(key.command(verb).description(description))
      .option('--name <name>', 'name of the key')
      .addOption(new Option('--scheme <scheme>', 'padding of the signatures').choices(['pkcs1v15', 'pss']))
      .action(async (options: MakeOptions) => {
        const client = managementClient(options, context);
        const { name, scheme } = options;
        const made = await client.call<SigningKey>(`${verb} the signing key`, 'POST', pathOf(options) + path, {
          name,
          scheme,
        });
        context.output.result(made, describe);
      });
  }
}

function describe(key: SigningKey): Record<string, Cell> {
  if (!key.configured) return { configured: false };
  const { id, name, scheme, fingerprint, status, created_at: created, rotated_at: rotated } = key;
  return { id, name, scheme, fingerprint, status, created, rotated, 'public key': `\n${key.public_key.trim()}` };
}
