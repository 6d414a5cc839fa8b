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
import { showToast } from '../../parts/toasts';
import { toggled } from '../../parts/toggled';
import { Copyable, Time } from '../../parts/values';
import * as texts from '../../texts/listings/webhook';
import { LISTINGS } from './queries';

/** Deliveries that failed after all retries. */
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
        showToast(texts.resent(resent));
        setChosen(new Set());
      },
    },
  );
  const total = letters.data?.meta.total ?? 0;
  return (
    <Section
      title={texts.deadLetters}
      actions={
        total > 0 && (
          <>
            <Button busy={resend.isPending} onClick={() => resend.mutate(chosen.size === 0 ? undefined : [...chosen])}>
              {chosen.size === 0 ? texts.resendAll : texts.resend(chosen.size)}
            </Button>
            <Button kind="danger" onClick={() => clearing.show(true)}>
              {texts.deleteAll}
            </Button>
          </>
        )
      }
    >
      <p className="dim">{texts.deadLettersHelp}</p>
      {resend.error !== null && <ErrorNote error={resend.error} />}
      <Listed of={letters} turn={turn} what={texts.loadingLetters} empty={<p>{texts.noLetters}</p>}>
        {(rows) => (
          <Table
            stacks
            label={texts.deadLetters}
            rows={rows}
            columns={[
              [
                unseen(texts.selection),
                ({ id }) => (
                  <input
                    type="checkbox"
                    aria-label={texts.select(id)}
                    checked={chosen.has(id)}
                    onChange={({ target }) => setChosen((before) => toggled(before, id, target.checked))}
                  />
                ),
              ],
              [texts.hook, (letter) => <RowOpener name={letter.hook} open={() => show(letter)} />],
              [texts.occurred, (letter) => <Time at={letter.occurred_at} />],
              [texts.failed, (letter) => <Time at={letter.failed_at} />],
              [numbers(texts.attempts), ({ attempts }) => attempts],
              [texts.lastError, (letter) => letter.last_error],
            ]}
          />
        )}
      </Listed>
      <Modal title={shown?.hook ?? ''} {...dialog}>
        {shown !== undefined && (
          <>
            <Facts
              facts={{
                [texts.id]: shown.id,
                [texts.lastError]: shown.last_error,
              }}
            />
            <Copyable block text={JSON.stringify(shown.payload, undefined, 2)} label={texts.payload} />
          </>
        )}
      </Modal>
      <Confirm
        title={texts.deleteAllTitle}
        verb={texts.deleteAll}
        {...clearing.dialog}
        confirm={() => api.delete('/listings/webhook/dead-letters').then(() => setChosen(new Set()))}
        refresh={[[LISTINGS]]}
      >
        <p>{texts.deleteAllEffect(total)}</p>
      </Confirm>
    </Section>
  );
}
