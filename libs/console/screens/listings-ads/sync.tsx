import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { startSync, ReplyOf, SyncLog } from '@sluice/contracts';
import { useState } from 'react';
import { Form, SelectField, TextField } from '../../parts/form';
import { Section } from '../../parts/page';
import { Loading } from '../../parts/states';
import { ApiError } from '../../api/client';
import { LastRun } from './last-run';
import { Logs } from './logs';
import { usePlane } from './plane';
import { Progress } from './progress';
import { refresh, useConnection, useOverview, useSyncStatus } from './queries';
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
  const [choice, setChoice] = useState<Choice>('auto');
  const [product, setProduct] = useState('');
  const plane = usePlane();
  const client = useQueryClient();
  const start = useMutation({
    mutationFn: () =>
      plane.post<ReplyOf<typeof startSync>>('/sync/now', {
        ...(choice !== 'auto' && { run_type: choice }),
        ...(choice === 'single' && { product_id: product }),
      }),
    onSettled: () => refresh(client),
  });
  if (connection.data?.connected === false) {
    return (
      <Section title="Sync now">
        <p>A sync needs a merchant account to push to, and the store is not connected to one.</p>
        <ConnectButton />
      </Section>
    );
  }
  const stopped = start.error instanceof ApiError && Object.keys(start.error.fields).length === 0;
  return (
    <Section title="Sync now">
      <Form
        submit={() => start.mutate()}
        busy={start.isPending}
        error={stopped ? null : start.error}
        verb="Start the sync"
      >
        <SelectField
          name="run_type"
          label="What to push"
          value={choice}
          change={setChoice}
          options={CHOICES}
          help="Products that left the store are taken back too, unless one product is pushed alone."
        />
        {choice === 'single' && (
          <TextField
            name="product_id"
            label="Product"
            required
            value={product}
            change={setProduct}
            help="Its id in the store. A variable product goes with all its variations."
          />
        )}
      </Form>
      {start.error !== null && stopped && <Refused error={start.error} />}
    </Section>
  );
}
