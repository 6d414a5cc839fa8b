import { keepPreviousData } from '@tanstack/react-query';
import type { DeadLetter } from '@sluice/contracts';
import { useState } from 'react';
import { api } from '../../api/client';
import { usePaged } from '../../api/queries';
import { Button } from '../../parts/button';
import { Confirm, Modal } from '../../parts/dialog';
import { Facts, numbers, RowOpener, Section, Table, unseen } from '../../parts/page';
import { Listed } from '../../parts/pager';
import { useDialog, useSend } from '../../parts/send';
import { ErrorNote } from '../../parts/states';
import { say } from '../../parts/toasts';
import { toggled } from '../../parts/toggled';
import { Copyable, Time } from '../../parts/values';
import { LISTINGS } from './queries';

/** Deliveries that were given up. */
export function DeadLetters() {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { about: shown, show, dialog } = useDialog<DeadLetter>();
  const clearing = useDialog();
  const { list: letters, turn } = usePaged<DeadLetter>('/listings/webhook/dead-letters', [LISTINGS, null], {
    perPage: 20,
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
  const resend = useSend(
    (ids: readonly string[] | undefined) =>
      api.post<{ readonly resent: number }>('/listings/webhook/dead-letters/resend', ids === undefined ? {} : { ids }),
    {
      refresh: [[LISTINGS]],
      awaited: true,
      done: ({ resent }) => {
        say(`${resent.toLocaleString()} will be tried again.`);
        setChosen(new Set());
      },
    },
  );
  const total = letters.data?.meta.total ?? 0;
  return (
    <Section
      title="Dead letters"
      actions={
        total > 0 && (
          <>
            <Button busy={resend.isPending} onClick={() => resend.mutate(chosen.size === 0 ? undefined : [...chosen])}>
              {chosen.size === 0 ? 'Send all again' : `Send ${chosen.size} again`}
            </Button>
            <Button kind="danger" onClick={() => clearing.show(true)}>
              Clear
            </Button>
          </>
        )
      }
    >
      <p className="dim">Hooks that could not be delivered after every retry. They are deleted after 30 days.</p>
      {resend.error !== null && <ErrorNote error={resend.error} />}
      <Listed of={letters} turn={turn} what="the dead letters" empty={<p>There is none.</p>}>
        {(rows) => (
          <Table
            label="Deliveries that were given up"
            rows={rows}
            columns={[
              [
                unseen('Chosen'),
                ({ id }) => (
                  <input
                    type="checkbox"
                    aria-label={`Choose ${id}`}
                    checked={chosen.has(id)}
                    onChange={({ target }) => setChosen((before) => toggled(before, id, target.checked))}
                  />
                ),
              ],
              ['Hook', (letter) => <RowOpener name={letter.hook} open={() => show(letter)} />],
              ['Happened', (letter) => <Time at={letter.occurred_at} />],
              ['Given up', (letter) => <Time at={letter.failed_at} />],
              [numbers('Tries'), ({ attempts }) => attempts],
              ['Last error', (letter) => letter.last_error],
            ]}
          />
        )}
      </Listed>
      <Modal title={shown?.hook ?? ''} {...dialog}>
        {shown !== undefined && (
          <>
            <Facts
              facts={{
                Id: shown.id,
                'Last error': shown.last_error,
              }}
            />
            <Copyable block text={JSON.stringify(shown.payload, undefined, 2)} label="the payload" />
          </>
        )}
      </Modal>
      <Confirm
        title="Clear the dead letters?"
        verb="Clear them"
        {...clearing.dialog}
        confirm={() => api.delete('/listings/webhook/dead-letters').then(() => setChosen(new Set()))}
        refresh={[[LISTINGS]]}
      >
        <p>All {total.toLocaleString()} are deleted and can’t be sent again.</p>
      </Confirm>
    </Section>
  );
}
