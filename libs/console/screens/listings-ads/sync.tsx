import type { startSync, ReplyOf, SyncLog } from '@sluice/contracts';
import { Form, SelectField, TextField } from '../../parts/form';
import { Section } from '../../parts/page';
import { useForm } from '../../parts/send';
import { Loading } from '../../parts/states';
import { ApiError, isOfFields } from '../../api/client';
import { LastRun } from './last-run';
import { Logs } from './logs';
import { usePlane } from './plane';
import { Progress } from './progress';
import { ALL_SHOWN, useConnection, useOverview, useSyncStatus } from './queries';
import { ConnectButton, Refused } from './refused';

export function Sync() {
  const status = useSyncStatus();
  const last = useOverview().data?.sync.last_run ?? null;
  if (status.isPending) return <Loading what="the syncs" />;
  return (
    <>
      {status.isError && <Refused error={status.error} again={() => void status.refetch()} />}
      {status.data?.running === true ? <Progress /> : <SyncNow />}
      {last !== null && last.status !== 'running' && <LastRun run={last} />}
      <Logs />
    </>
  );
}

type Choice = SyncLog['run_type'] | 'auto';

const CHOICES: readonly (readonly [Choice, string])[] = [
  ['auto', 'What changed (everything the first time)'],
  ['full', 'Everything, changed or not'],
  ['single', 'One product'],
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
    { refresh: ALL_SHOWN, awaited: true, evenRefused: true },
  );
  if (connection.data?.connected === false) {
    return (
      <Section title="Sync now">
        <p>A sync needs a merchant account to push to, and the store is not connected to one.</p>
        <ConnectButton />
      </Section>
    );
  }
  const { error } = form;
  const stopped = error instanceof ApiError && !isOfFields(error);
  return (
    <Section title="Sync now">
      <Form {...form} error={stopped ? null : error} verb="Start the sync">
        <SelectField
          {...field('run_type')}
          label="What to push"
          options={CHOICES}
          help="Products that left the store are taken back too, unless one product is pushed alone."
        />
        {draft.run_type === 'single' && (
          <TextField
            {...field('product_id')}
            label="Product"
            required
            help="Its id in the store. A variable product goes with all its variations."
          />
        )}
      </Form>
      {stopped && <Refused error={error} />}
    </Section>
  );
}
