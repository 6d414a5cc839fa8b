import type { Settings } from '@sluice/config';
import { OPERATOR_ID } from '@sluice/contracts';
import { installation, INSTALLATION_STREAM, KNOWN_FORMAT } from '@sluice/service-host';
import type { CommandHandling } from '@sluice/event-store';
import { newCommandId } from '@sluice/kernel';
import { owner, ownerStream } from '../owners/domain/owner';

/** Finishes the upgrade of a fresh installation, and of one process that has its DATA_DIR to itself. */
export async function finishOwnUpgrade(
  commands: CommandHandling,
  { busUrl, eventStoreUrl }: Pick<Settings, 'busUrl' | 'eventStoreUrl'>,
): Promise<void> {
  const isAlone = busUrl === 'inproc:' && eventStoreUrl.startsWith('sqlite:');
  const isFresh = async () => (await commands.load(owner, ownerStream(OPERATOR_ID))).state === undefined;
  if (!isAlone && !(await isFresh())) return;
  const context = { commandId: newCommandId(), actor: 'system:registry' };
  await commands.handle(installation, INSTALLATION_STREAM, { format: KNOWN_FORMAT, replicas: [] }, context);
}
