import type { startSync, ReplyOf, SyncLog } from '@sluice/contracts';
import { Form, SelectField, TextField } from '../../parts/form';
import { Section } from '../../parts/page';
import { useForm } from '../../parts/send';
import { Loading } from '../../parts/states';
import { ApiError, hasFieldErrors } from '../../api/client';
import * as texts from '../../texts/listings/sync';
import { LastRun } from './last-run';
import { Logs } from './logs';
import { ConnectButton, ModuleError } from './module-error';
import { usePlane } from './plane';
import { Progress } from './progress';
import { ALL_SHOWN, useConnection, useOverview, useSyncStatus } from './queries';

export function Sync() {
  const status = useSyncStatus();
  const last = useOverview().data?.sync.last_run ?? null;
  if (status.isPending) return <Loading what={texts.loading} />;
  return (
    <>
      {status.isError && <ModuleError error={status.error} retry={() => void status.refetch()} />}
      {status.data?.running === true ? <Progress /> : <SyncNow />}
      {last !== null && last.status !== 'running' && <LastRun run={last} />}
      <Logs />
    </>
  );
}

type Choice = SyncLog['run_type'] | 'auto';

const CHOICES: readonly (readonly [Choice, string])[] = [
  ['auto', texts.sendChanges],
  ['full', texts.sendEverything],
  ['single', texts.sendOne],
];

function SyncNow() {
  const connection = useConnection();
  const plane = usePlane();
  const { draft, form, field } = useForm(
    { run_type: 'auto' as Choice, product_id: '' },
    ({ run_type: choice, product_id: product }) =>
      plane.post<ReplyOf<typeof startSync>>('/sync/now', {
        ...(choice !== 'auto' && { run_type: choice }),
        ...(choice === 'single' && { product_id: product }),
      }),
    { refresh: ALL_SHOWN, awaited: true, evenOnError: true },
  );
  if (connection.data?.connected === false) {
    return (
      <Section title={texts.syncNow}>
        <p>{texts.notConnected}</p>
        <ConnectButton />
      </Section>
    );
  }
  const { error } = form;
  const hasNextStep = error instanceof ApiError && !hasFieldErrors(error);
  return (
    <Section title={texts.syncNow}>
      <Form {...form} error={hasNextStep ? null : error} verb={texts.start}>
        <SelectField {...field('run_type')} label={texts.whatToSend} options={CHOICES} help={texts.whatToSendHelp} />
        {draft.run_type === 'single' && (
          <TextField {...field('product_id')} label={texts.productId} required help={texts.productIdHelp} />
        )}
      </Form>
      {hasNextStep && <ModuleError error={error} />}
    </Section>
  );
}
