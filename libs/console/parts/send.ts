import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { bind } from './bind';
import { say } from './toasts';

/** What comes after a success. */
export interface After<Made> {
  /** Queries that show something else by now. */
  readonly refresh?: readonly QueryKey[];
  /** The request continues until they show it. */
  readonly awaited?: boolean;
  /** A refusal refreshes them too. */
  readonly evenRefused?: boolean;
  readonly said?: string | undefined;
  /** `always`: without a network it fails, rather than wait for one. */
  readonly networkMode?: 'online' | 'always';
  readonly done?: (made: Made) => void;
}

/** A request that changes something. */
export function useSend<Made, Wish = void>(
  send: (wish: Wish) => Promise<Made>,
  { refresh = [], awaited = false, evenRefused = false, said, done, networkMode = 'online' }: After<Made> = {},
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    networkMode,
    // An answer may hold a secret, which stays in no cache.
    gcTime: 0,
    onSuccess: (made) => {
      if (said !== undefined) say(said);
      done?.(made);
    },
    onSettled: async (_made, error) => {
      if (error !== null && !evenRefused) return;
      const shown = refresh.map((queryKey) => client.invalidateQueries({ queryKey }));
      if (awaited) await Promise.all(shown);
    },
  });
}

/** What a person writes into a form, and the request that takes it. */
export function useForm<Draft extends object, Made>(
  first: Draft | (() => Draft),
  send: (draft: Draft) => Promise<Made>,
  after?: After<Made>,
) {
  const [draft, setDraft] = useState(first);
  const change = (changes: Partial<Draft>): void => setDraft((before) => ({ ...before, ...changes }));
  const { mutate, isPending, error, reset } = useSend(() => send(draft), after);
  return {
    draft,
    change,
    /** What binds a field to the member of its name. */
    field: bind(draft, change),
    /** What binds a form to its request. */
    form: { submit: () => mutate(), busy: isPending, error },
    /** Forgets a refusal. */
    reset,
  };
}

/** Whether a dialog is open, and what it is about. */
export function useDialog<About = true>() {
  const [about, setAbout] = useState<About>();
  const close = (): void => setAbout(undefined);
  return { about, show: setAbout as (about: About) => void, close, dialog: { open: about !== undefined, close } };
}
