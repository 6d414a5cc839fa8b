import { countUnfinishedBuilds, getAppDevices, getHealth, listOwnedApps, type Call } from '@sluice/contracts';
import { DocumentStoreUnavailableError } from '@sluice/document-store';
import { UnavailableError } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import { OverviewController } from './overview.controller';

const app = { id: 7, app_id: 'a.b', name: 'Shop', platform: 'both' };
const caller = { actor: 'owner:1', commandId: 'c' };
const owner = { id: 1, name: 'operator', hash: '', suspended: false };

function overview(answer: (call: Call) => unknown) {
  const request = (call: Call): Promise<unknown> =>
    Promise.resolve().then(() => (call === listOwnedApps ? { items: [app], total: 1 } : answer(call)));
  return new OverviewController({ request } as unknown as Messaging).getOverview(
    { owner, caller },
    { page: 1, perPage: 20 },
  );
}

it('shows the other parts while a service, or its engine, is unavailable', async () => {
  const page = await overview((call) => {
    if (call === getAppDevices || call === getHealth) throw new UnavailableError('away');
    if (call === countUnfinishedBuilds) throw new DocumentStoreUnavailableError('away');
    return [{ count: 2, last_at: null }];
  }).catch((error: unknown) => error);
  expect(page).toMatchObject({ items: [{ ...app, devices: null, builds: null, health: null, blocked: { count: 2 } }] });
});

it('fails with what is a fault of its own', async () => {
  await expect(
    overview(() => {
      throw new TypeError('No.');
    }),
  ).rejects.toThrow('No.');
});
