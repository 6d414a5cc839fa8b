import type { ListingsModule } from '@sluice/contracts';
import { api } from '../../api/client';
import { Button } from '../../parts/button';
import { Confirm } from '../../parts/dialog';
import { Facts, Section } from '../../parts/page';
import { useDialog, useSend } from '../../parts/send';
import { Empty, ErrorNote } from '../../parts/states';
import { say } from '../../parts/toasts';
import { Badge } from '../../parts/values';
import { Limits } from './limits';
import { ALL_SHOWN } from './queries';

function useSetModule() {
  return useSend((changes: Partial<ListingsModule>) => api.put<ListingsModule>('/listings', changes), {
    refresh: ALL_SHOWN,
    awaited: true,
  });
}

/** Of a module that does not work: what it is, and what turns it on. */
export function ModuleOff({ state }: { readonly state: ListingsModule }) {
  const set = useSetModule();
  const { enabled, entitled } = state;
  const missing = !entitled ? 'This installation does not have the entitlement listings_ads.' : 'It is turned off.';
  const verb = entitled
    ? 'Turn the module on'
    : enabled
      ? 'Grant the entitlement'
      : 'Grant the entitlement and turn it on';
  return (
    <>
      <Empty title="The module is not at work">
        <p>
          It connects your shop to Google Merchant Center and sends your products there. {missing} Meanwhile its data is
          kept, and nothing is sent.
        </p>
        <Button
          kind="primary"
          busy={set.isPending}
          onClick={() => set.mutate({ enabled: true, entitled: true }, { onSuccess: () => say('The module is on.') })}
        >
          {verb}
        </Button>
        {set.error !== null && <ErrorNote error={set.error} />}
      </Empty>
      <Limits />
    </>
  );
}

/** The switch and the entitlement of a module that works. */
export function ModuleSection() {
  const { about: asked, show: setAsked, dialog } = useDialog<'enabled' | 'entitled'>();
  const set = useSetModule();
  return (
    <Section
      title="Module"
      actions={
        <>
          <Button onClick={() => setAsked('enabled')}>Turn off</Button>
          <Button onClick={() => setAsked('entitled')}>Take the entitlement away</Button>
        </>
      }
    >
      <Facts
        facts={{
          Switch: <Badge tone="good">on</Badge>,
          'Entitlement listings_ads': <Badge tone="good">granted</Badge>,
        }}
      />
      <Confirm
        title={asked === 'entitled' ? 'Take the entitlement away?' : 'Turn the module off?'}
        verb={asked === 'entitled' ? 'Take it away' : 'Turn it off'}
        {...dialog}
        confirm={() => set.mutateAsync(asked === 'entitled' ? { entitled: false } : { enabled: false })}
      >
        <p>
          No sync runs any more, and a current run is stopped. The connection, the settings and the state of each offer
          are kept. Offers in the merchant account stay there until they expire.
        </p>
      </Confirm>
    </Section>
  );
}
