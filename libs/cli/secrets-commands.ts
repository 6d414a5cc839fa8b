import type { ReplyOf, resealSecrets } from '@sluice/contracts';
import type { Command } from 'commander';
import { ownerClient, withServer, type ServerOptions } from './connection';
import type { Context } from './context';
import { Failure } from './failure';

type Part = ReplyOf<typeof resealSecrets>;

/** `sluice secrets …`: commands of the operator. */
export function addSecretsCommands(program: Command, context: Context): void {
  const secrets = program
    .command('secrets')
    .description('what the server keeps sealed (owner key of the first owner: OWNER_KEY, else DATA_DIR/owner.key)');

  withServer(
    secrets
      .command('reseal')
      .description(
        'after a change of MASTER_KEY or an upgrade: seal again what is under the former key, or in the former format',
      ),
  ).action(async (options: ServerOptions) => {
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
    context.output.note('Everything is sealed under MASTER_KEY: MASTER_KEY_PREVIOUS can go.');
  });
}
