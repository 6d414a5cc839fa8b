import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { DeadLetter } from '@sluice/contracts';
import { useState } from 'react';
import { api, query } from '../../api/client';
import { Button } from '../../parts/button';
import { Confirm, Modal } from '../../parts/dialog';
import { Facts, numbers, Section, Table } from '../../parts/page';
import { Pager } from '../../parts/pager';
import { ErrorNote, Loading } from '../../parts/states';
import { say } from '../../parts/toasts';
import { Copyable, Time } from '../../parts/values';
import { LISTINGS } from './queries';

/** Deliveries that were given up. */
export function DeadLetters() {
  const [page, setPage] = useState(1);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [shown, setShown] = useState<DeadLetter>();
  const [asked, setAsked] = useState(false);
  const client = useQueryClient();
  const letters = useQuery({
    queryKey: [LISTINGS, null, 'dead-letters', page],
    queryFn: () => api.list<DeadLetter>(`/listings/webhook/dead-letters${query({ page, per_page: 20 })}`),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
  const settled = () => {
    setChosen(new Set());
    return client.invalidateQueries({ queryKey: [LISTINGS] });
  };
  const resend = useMutation({
    mutationFn: (ids?: readonly string[]) =>
      api.post<{ readonly resent: number }>('/listings/webhook/dead-letters/resend', ids === undefined ? {} : { ids }),
    onSuccess: ({ resent }) => {
      say(`${resent.toLocaleString()} will be tried again.`);
      return settled();
    },
  });
  const clear = useMutation({
    mutationFn: () => api.delete('/listings/webhook/dead-letters'),
    onSuccess: settled,
  });
  const choose = (id: string, yes: boolean): void =>
    setChosen((before) => new Set(yes ? [...before, id] : [...before].filter((each) => each !== id)));
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
            <Button kind="danger" onClick={() => setAsked(true)}>
              Clear
            </Button>
          </>
        )
      }
    >
      <p className="dim">Hooks that nobody took after every try. They go by themselves after 30 days.</p>
      {letters.isPending && <Loading what="the dead letters" />}
      {letters.isError && <ErrorNote error={letters.error} again={() => void letters.refetch()} />}
      {resend.error !== null && <ErrorNote error={resend.error} />}
      {letters.data !== undefined && total === 0 && <p>There is none.</p>}
      {letters.data !== undefined && letters.data.data.length > 0 && (
        <Table
          label="Deliveries that were given up"
          head={[{ name: 'Chosen', kind: 'unseen' }, 'Hook', 'Happened', 'Given up', numbers('Tries'), 'Last error']}
        >
          {letters.data.data.map((letter) => (
            <tr key={letter.id}>
              <td>
                <input
                  type="checkbox"
                  aria-label={`Choose ${letter.id}`}
                  checked={chosen.has(letter.id)}
                  onChange={({ target }) => choose(letter.id, target.checked)}
                />
              </td>
              <td>
                <button type="button" className="row-opener" onClick={() => setShown(letter)}>
                  <code>{letter.hook}</code>
                </button>
              </td>
              <td>
                <Time at={letter.occurred_at} />
              </td>
              <td>
                <Time at={letter.failed_at} />
              </td>
              <td className="number">{letter.attempts}</td>
              <td>{letter.last_error}</td>
            </tr>
          ))}
        </Table>
      )}
      {letters.data !== undefined && <Pager meta={letters.data.meta} turn={setPage} />}
      <Modal title={shown?.hook ?? ''} open={shown !== undefined} close={() => setShown(undefined)}>
        {shown !== undefined && (
          <>
            <Facts
              facts={[
                ['Id', shown.id],
                ['Last error', shown.last_error],
              ]}
            />
            <Copyable block text={JSON.stringify(shown.payload, undefined, 2)} label="the payload" />
          </>
        )}
      </Modal>
      <Confirm
        title="Clear the dead letters?"
        verb="Clear them"
        open={asked}
        close={() => setAsked(false)}
        confirm={() => clear.mutateAsync()}
      >
        <p>All {total.toLocaleString()} are deleted and can’t be sent again.</p>
      </Confirm>
    </Section>
  );
}
