import type { ListingsModule } from '@sluice/contracts';
import { api } from '../../api/client';
import { Button } from '../../parts/button';
import { Confirm } from '../../parts/dialog';
import { Facts, Section } from '../../parts/page';
import { useDialog, useSend } from '../../parts/send';
import { Empty, ErrorNote } from '../../parts/states';
import { showToast } from '../../parts/toasts';
import { Badge } from '../../parts/values';
import * as texts from '../../texts/listings/module';
import { Limits } from './limits';
import { ALL_SHOWN } from './queries';

function useSetModule() {
  return useSend((changes: Partial<ListingsModule>) => api.put<ListingsModule>('/listings', changes), {
    refresh: ALL_SHOWN,
    awaited: true,
  });
}

/** Shown while the module is off: what it does, and the button that turns it on. */
export function ModuleOff({ state }: { readonly state: ListingsModule }) {
  const set = useSetModule();
  const { enabled, entitled } = state;
  const verb = entitled ? texts.turnOn : enabled ? texts.grant : texts.grantAndTurnOn;
  return (
    <>
      <Empty title={texts.off}>
        <p>{texts.about}</p>
        {!entitled && <p>{texts.notEntitled}</p>}
        <Button
          kind="primary"
          busy={set.isPending}
          onClick={() => set.mutate({ enabled: true, entitled: true }, { onSuccess: () => showToast(texts.turnedOn) })}
        >
          {verb}
        </Button>
        {set.error !== null && <ErrorNote error={set.error} />}
      </Empty>
      <Limits />
    </>
  );
}

/** The status and the entitlement of a module that is on. */
export function ModuleSection() {
  const { about: choice, show: setChoice, dialog } = useDialog<'enabled' | 'entitled'>();
  const isEntitlement = choice === 'entitled';
  const set = useSetModule();
  return (
    <Section
      title={texts.moduleTitle}
      actions={
        <>
          <Button onClick={() => setChoice('enabled')}>{texts.turnOff}</Button>
          <Button onClick={() => setChoice('entitled')}>{texts.removeEntitlement}</Button>
        </>
      }
    >
      <Facts
        facts={{
          [texts.status]: <Badge tone="good">{texts.on}</Badge>,
          [texts.entitlement]: <Badge tone="good">{texts.granted}</Badge>,
        }}
      />
      <Confirm
        title={isEntitlement ? texts.removeEntitlementTitle : texts.turnOffTitle}
        verb={isEntitlement ? texts.removeEntitlement : texts.turnOff}
        {...dialog}
        confirm={() => set.mutateAsync(isEntitlement ? { entitled: false } : { enabled: false })}
      >
        {isEntitlement && <p>{texts.entitlementEffect}</p>}
        <p>{texts.offEffect}</p>
      </Confirm>
    </Section>
  );
}
