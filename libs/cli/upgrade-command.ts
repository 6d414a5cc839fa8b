import type { finishUpgrade, ReplyOf } from '@sluice/contracts';
import type { Command } from './commander';
import { confirm, withYes } from './confirm';
import { ownerClient, withServer } from './connection';
import type { Context } from './context';

/** `sluice upgrade finish`, a command of the operator. */
export function addUpgradeCommand(program: Command, context: Context): void {
  const upgrade = program
    .command('upgrade')
    .description(
      "upgrade the data format of an installation (needs the operator's owner key: OWNER_KEY, or DATA_DIR/owner.key)",
    );

  const finish = upgrade
    .command('finish')
    .description(
      'finish an upgrade after every replica runs the new release: enables features that earlier releases do not support. You cannot return to them afterwards',
    );
  withYes(withServer(finish)).action(async (options) => {
    const { output } = context;
    const client = await ownerClient(options, context);
    const attempt = 'finish the upgrade';
    await confirm(attempt, 'Nothing was changed.', options, context, () => {
      output.note('After this, no earlier release may run on this installation again.');
      return 'Finish the upgrade?';
    });
    const columns = { 'installation format': 'format' } as const;
    await client.show<ReplyOf<typeof finishUpgrade>>(attempt, 'POST', '/upgrade/finish', columns);
  });
}
