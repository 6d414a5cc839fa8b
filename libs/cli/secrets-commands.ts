import {
  type countDeviceFacts,
  DATA_KEY_NAMES,
  type listDataKeys,
  type ReplyOf,
  type resealSecrets,
  SEAL_PURPOSES,
} from '@sluice/contracts';
import { masterKeyFrom } from '@sluice/vault/keyring';
import { deriveSealKeys } from '@sluice/vault/seal-keys';
import { type Command, Option } from './commander';
import { confirm } from './confirm';
import { keyOf, ownerClient, withServer } from './connection';
import type { Context } from './context';
import { Failure } from './failure';

type Part = ReplyOf<typeof resealSecrets>;
type DataKeys = ReplyOf<typeof listDataKeys>;
/** A server of an earlier release returns no `ended_by_rotation`. */
type ListedDataKeys = DataKeys & {
  /** A server of an earlier release counts none of these, or pins alone. */
  readonly ended_by_rotation?: Partial<ReplyOf<typeof countDeviceFacts>> | null;
};

/** `sluice secrets …`: commands of the operator. */
export function addSecretsCommands(program: Command, context: Context): void {
  const secrets = program
    .command('secrets')
    .description(
      "the encrypted secrets of the server (needs the operator's owner key: OWNER_KEY, or DATA_DIR/owner.key)",
    );

  withServer(
    secrets
      .command('reseal')
      .description(
        're-encrypt all secrets that still use the previous master key or an older format. Run it after you change MASTER_KEY, and after an upgrade',
      ),
  ).action(async (options) => {
    const client = await ownerClient(options, context);
    const attempt = 'seal the secrets again';
    let resealed = 0;
    let before: number;
    let remaining: number;
    let failed: string[];
    // What a process that still has the former key alone has sealed behind us takes another round.
    do {
      before = resealed;
      failed = [];
      let after: string | null = null;
      do {
        const part: Part = await client.call<Part>(attempt, 'POST', '/secrets/reseal', after === null ? {} : { after });
        resealed += part.resealed;
        failed.push(...part.failed);
        after = part.next;
        remaining = part.remaining ?? 0;
        if (after !== null) context.output.note(`${resealed} sealed again so far.`);
      } while (after !== null);
    } while (remaining > failed.length && resealed > before);

    context.output.result({ resealed, remaining, failed }, (shown) => ({
      'sealed again': shown.resealed,
      remaining: shown.remaining,
      failed: shown.failed.length === 0 ? undefined : shown.failed.join(', '),
    }));
    if (remaining > 0) {
      throw new Failure({
        attempt,
        code: 'SECRETS_REMAIN',
        message: `${remaining} secrets are under a key that the server was not given, or are damaged.`,
        advice:
          'Give the server the key that they were sealed under as MASTER_KEY_PREVIOUS, and run the command again.',
      });
    }
    context.output.note('Everything is sealed under MASTER_KEY: MASTER_KEY_PREVIOUS can go, and SEAL_KEYS_PREVIOUS.');
  });

  secrets
    .command('derive')
    .description(
      'print the SEAL_KEYS of one service, so that it can run without MASTER_KEY. Reads MASTER_KEY, or DATA_DIR/master.key, on this machine',
    )
    .addOption(
      new Option('--service <name>', 'name of the service').choices(Object.keys(SEAL_PURPOSES)).makeOptionMandatory(),
    )
    .option('--json', 'print JSON: the result on stdout, an error on stderr')
    .action(async ({ service, json }) => {
      const masterKey = readMasterKey(await keyOf('master', context.terminal));
      const sealKeys = deriveSealKeys(masterKey, SEAL_PURPOSES[service] ?? []);
      if (json) context.output.result({ service, seal_keys: sealKeys }, () => ({}));
      else context.terminal.stdout.write(`SEAL_KEYS=${sealKeys}\n`);
    });

  const rotate = secrets
    .command('rotate-data-keys')
    .description(
      'rotate the data keys (download URLs, sessions, device hashes, OAuth verifiers). Run it if both the state store and MASTER_KEY leaked',
    );
  withServer(rotate)
    .addOption(new Option('--name <names...>', 'data keys to rotate (default: all)').choices(DATA_KEY_NAMES))
    .option('--end-sessions', 'end the sessions of all owners')
    .option('--yes', 'do not ask for confirmation (with --json or without a terminal, no command asks)')
    .action(async ({ name: names, endSessions, ...options }) => {
      const { output } = context;
      const client = await ownerClient(options, context);
      const attempt = 'rotate the data keys';
      await confirm(attempt, 'Nothing was changed.', options, context, async () => {
        const listed = await client.call<ListedDataKeys>('list the data keys', 'GET', '/secrets/data-keys');
        const rotated = listed.keys.filter(({ name }) => names?.includes(name) ?? true);
        for (const key of rotated) {
          output.note(consequenceOf(key));
          if (key.name === 'device-id') output.note(endedBy(listed));
        }
        if (endSessions === true) output.note('All sessions of owners end immediately.');
        return 'Rotate these data keys?';
      });
      const body = { ...(names && { names }), ...(endSessions && { end_sessions: true }) };
      const describe = ({ keys, ended_sessions: ended }: DataKeys & { readonly ended_sessions: number }) => ({
        ...Object.fromEntries(keys.map(({ name, versions }) => [name, `version ${versions[0]?.version}`])),
        'ended sessions': ended === 0 ? undefined : ended,
      });
      await client.show(attempt, 'POST', '/secrets/data-keys/rotate', describe, body);
    });
}

function readMasterKey(text: string): Buffer {
  try {
    return masterKeyFrom(text);
  } catch (error) {
    throw new Failure({ code: 'INVALID_MASTER_KEY', message: (error as Error).message, cause: error });
  }
}

function consequenceOf({ name, versions, former_kept_seconds: kept, consequence }: DataKeys['keys'][number]): string {
  const held = versions.map(({ version }) => version).join(', ');
  return `${name} (held: version ${held}; a former version is kept for ${duration(kept)}): ${consequence}`;
}

function endedBy({ ended_by_rotation: ended }: ListedDataKeys): string {
  if (ended === undefined || ended === null)
    return 'How many pins, groups and chosen channels end could not be counted.';
  const { pins = 0, groups = 0, chosen_channels: chosen = 0 } = ended;
  const expiring = `pins of devices: ${pins}, chosen channels: ${chosen} (those that expire later)`;
  return `What ends when the former version is deleted: ${expiring}, device groups: ${groups} (upload their files again before).`;
}

function duration(seconds: number): string {
  return seconds >= 172_800 ? `${Math.ceil(seconds / 86_400)} days` : `${Math.ceil(seconds / 60)} minutes`;
}
