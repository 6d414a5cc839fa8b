import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { bind } from './bind';
import { showToast } from './toasts';

/** What happens after a request. */
export interface After<Made> {
  /** Queries to load again after a success. */
  readonly refresh?: readonly QueryKey[];
  /** The request is busy until they are loaded. */
  readonly awaited?: boolean;
  /** Also after an error. */
  readonly evenOnError?: boolean;
  /** The text of a toast after a success. */
  readonly toast?: string | undefined;
  /** `always`: without a network it fails, rather than wait for one. */
  readonly networkMode?: 'online' | 'always';
  readonly done?: (made: Made) => void;
}

/** A request that changes something. */
export function useSend<Made, Input = void>(
  send: (input: Input) => Promise<Made>,
  { refresh = [], awaited = false, evenOnError = false, toast, done, networkMode = 'online' }: After<Made> = {},
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    networkMode,
    // A response may hold a secret, which no cache may keep.
    gcTime: 0,
    onSuccess: (made) => {
      if (toast !== undefined) showToast(toast);
      done?.(made);
    },
    onSettled: async (_made, error) => {
      if (error !== null && !evenOnError) return;
      const shown = refresh.map((queryKey) => client.invalidateQueries({ queryKey }));
      if (awaited) await Promise.all(shown);
    },
  });
}

/** The input of a form, and the request that sends it. */
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
    /** Binds a field to the member of its name. */
    field: bind(draft, change),
    /** Binds a form to its request. */
    form: { submit: () => mutate(), busy: isPending, error },
    /** Removes the error. */
    reset,
  };
}

/** Whether a dialog is open, and what it is about. */
export function useDialog<About = true>() {
  const [about, setAbout] = useState<About>();
  const close = (): void => setAbout(undefined);
  return { about, show: setAbout as (about: About) => void, close, dialog: { open: about !== undefined, close } };
}

/** As useDialog, but each opening has a key of its own, so that it mounts a dialog without the input of the one before. */
export function useFreshDialog<About>() {
  const [shown, setShown] = useState<{ readonly key: number; readonly about?: About; readonly open: boolean }>({
    ...{ key: 0, open: false },
  });
  return {
    shown,
    show: (about: About): void => setShown(({ key }) => ({ key: key + 1, about, open: true })),
    dialog: { open: shown.open, close: (): void => setShown((before) => ({ ...before, open: false })) },
  };
}
