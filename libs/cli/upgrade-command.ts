import type { finishUpgrade, ReplyOf } from '@sluice/contracts';
import type { Command } from './commander';
import { confirm, withYes } from './confirm';
import { ownerClient, withServer } from './connection';
import type { Context } from './context';

/** `sluice upgrade finish`, a command of the operator. */
export function addUpgradeCommand(program: Command, context: Context): void {
  const upgrade = program
    .command('upgrade')
    .description('the upgrade of an installation (owner key of the first owner: OWNER_KEY, else DATA_DIR/owner.key)');

  const finish = upgrade
    .command('finish')
    .description(
      'after every replica runs the new release: let commands use what earlier releases do not know; there is no way back to those',
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
