import type { CountedSigningKey, ListedSigningKey, SigningCertificate, SigningKey } from '@sluice/contracts';
import { Option, type Command } from './commander';
import { parseId } from './arguments';
import { mayAsk } from './confirm';
import { appPath, managementClient, withApp, type AppOptions } from './connection';
import type { Context } from './context';
import { Failure } from './failure';
import type { ApiClient } from './http-client';
import type { Cell } from './output';

/** So much of a fingerprint is typed to confirm: enough to have looked at it. */
const TYPED_DIGITS = 8;

/** `sluice signing-key …` */
export function addSigningKeyCommands(program: Command, context: Context): void {
  const key = program.command('signing-key').description('the keys that the server uses to sign the bundles of an app');
  const withWish = (command: Command) =>
    withApp(command)
      .option('--name <name>', 'name of the key')
      .addOption(new Option('--scheme <scheme>', 'padding of the signatures').choices(['pkcs1v15', 'pss']));
  const pathOf = ({ app }: AppOptions) => `${appPath(app)}/signing-key`;

  withApp(key.command('show').description('show the active public key')).action((options) =>
    managementClient(options, context).show('show the signing key', 'GET', pathOf(options), describe),
  );

  withApp(
    key
      .command('list')
      .description(
        'list all signing keys, each with the number of devices that run a version first signed while it was the newest key',
      ),
  ).action((options) =>
    managementClient(options, context).table<CountedSigningKey>('list the signing keys', `${pathOf(options)}s`, {
      ...{ id: 'id', name: 'name', status: 'status', devices: 'devices', 'trusted since': 'created_at' },
      ...{ superseded: 'superseded_at', retired: 'retired_at', fingerprint: 'fingerprint' },
    }),
  );

  withApp(
    key
      .command('certificate')
      .description('show the certificate of a key, for codeSigningCertificate in the configuration of an Expo app')
      .argument('<key>', 'ID of the key', parseId),
  ).action((id, options) =>
    managementClient(options, context).show<SigningCertificate>(
      `get the certificate of the signing key ${id}`,
      'GET',
      `${pathOf(options)}s/${id}/certificate`,
      ({ keyid, alg, valid_from: from, valid_until: until, certificate }) => ({
        ...{ keyid, alg, 'valid from': from, 'valid until': until, certificate: `\n${certificate.trim()}` },
      }),
    ),
  );

  withWish(key.command('create').description('create the first signing key')).action(({ name, scheme, ...options }) => {
    const client = managementClient(options, context);
    return client.show('create the signing key', 'POST', pathOf(options), describe, { name, scheme });
  });

  withWish(key.command('rotate'))
    .description('create a new active key; the previous key continues to sign until you retire it')
    .option('--expected-fingerprint <hex>', 'rotate only if the active key has this fingerprint (no prompt)')
    .option('--yes', 'do not ask for the fingerprint of the key as a confirmation')
    .action(async (options) => {
      const client = managementClient(options, context);
      const attempt = 'rotate the signing key';
      const { name, scheme } = options;
      let expected = options.expectedFingerprint;
      if (expected === undefined && mayAsk(options, context)) {
        const present = await client.call<SigningKey>(attempt, 'GET', pathOf(options));
        if (present.configured) {
          context.output.note(
            'Responses get the signatures of the new key and of this one, for earlier builds too, until you retire it.',
          );
          await confirmFingerprint(present, attempt, context);
          expected = present.fingerprint;
        }
      }
      const body = { name, scheme, expected_fingerprint: expected };
      await client.show(attempt, 'POST', `${pathOf(options)}/rotate`, describe, body);
    });

  withApp(key.command('retire'))
    .description('retire a previous key. Devices that trust only this key stop accepting updates')
    .argument('<key>', 'ID of the key', parseId)
    .option('--yes', 'do not ask for the fingerprint of the key as a confirmation')
    .action(async (id, options) => {
      const client = managementClient(options, context);
      const attempt = `retire the signing key ${id}`;
      if (mayAsk(options, context)) {
        const former = await formerKey(client, id, attempt, pathOf(options));
        if (former !== undefined) {
          context.output.note("Devices that trust only this key stop accepting updates. It can't be brought back.");
          if (former.devices !== null) {
            context.output.note(`Devices that last reported a version which no newer key signed: ${former.devices}`);
          }
          await confirmFingerprint(former, attempt, context);
        }
      }
      await client.show<ListedSigningKey>(attempt, 'POST', `${pathOf(options)}s/${id}/retire`, {
        ...{ id: () => id, name: 'name', status: 'status', fingerprint: 'fingerprint', retired: 'retired_at' },
      });
    });
}

/** Undefined when there is nothing to confirm: the server then rejects the command with a message of its own. */
async function formerKey(client: ApiClient, id: number, attempt: string, path: string) {
  const keys = await client.list<CountedSigningKey>(attempt, `${path}s`);
  return keys.find((key) => key.id === id && key.status === 'former');
}

/** @throws Failure unless its first digits are typed */
async function confirmFingerprint(
  { name, fingerprint }: { readonly name: string; readonly fingerprint: string },
  attempt: string,
  { terminal, output }: Context,
): Promise<void> {
  output.note(`Key "${name}", fingerprint ${fingerprint}`);
  const typed = await terminal.ask(`Type the first ${TYPED_DIGITS} digits of the fingerprint: `);
  const digits = typed.trim().toLowerCase();
  if (digits.length >= TYPED_DIGITS && fingerprint.startsWith(digits)) return;
  throw new Failure({ attempt, code: 'NOT_CONFIRMED', message: 'Nothing was changed.' });
}

function describe(key: SigningKey): Record<string, Cell> {
  if (!key.configured) return { configured: false };
  const { id, name, scheme, fingerprint, status, created_at: created, rotated_at: rotated, former_keys: former } = key;
  return {
    ...{ id, name, scheme, fingerprint, status, 'trusted since': created, rotated },
    'also signs': former.length === 0 ? undefined : former.map((each) => `${each.id} (${each.fingerprint})`).join('\n'),
    'public key': `\n${key.public_key.trim()}`,
  };
}
