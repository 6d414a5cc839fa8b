import type { App, Build } from '@sluice/contracts';
import { useRef, useState } from 'react';
import { upload } from '../../../api/client';
import { say } from '../../../parts/toasts';

/** A bundle that the server has taken, and whose job is queued. */
export interface Accepted {
  readonly job_id: string;
  readonly build: Pick<Build, 'id' | 'version' | 'channel' | 'status'>;
}

/** One upload of a bundle, from the form to its acceptance. `accepted`: what changed is to be shown. */
export function useUpload(app: App, accepted: () => void) {
  const [sent, setSent] = useState<number>();
  const [answer, setAnswer] = useState<Accepted>();
  const [error, setError] = useState<Error | null>(null);
  const abort = useRef<AbortController>(undefined);

  const send = (form: FormData): void => {
    const controller = new AbortController();
    abort.current = controller;
    setError(null);
    setSent(0);
    upload<Accepted>(`/apps/${app.id}/builds`, form, { progress: setSent, signal: controller.signal })
      .then(
        (data) => {
          setAnswer(data);
          accepted();
        },
        (fault: unknown) => {
          if (controller.signal.aborted) say('The upload was cancelled. Nothing of it was kept.');
          else setError(fault as Error);
        },
      )
      .finally(() => setSent(undefined));
  };

  return {
    /** Which part of the bytes is on its way, 0 to 1; undefined when nothing is being sent. */
    sent,
    accepted: answer,
    error,
    send,
    /** The refusal was of something else than what the form holds now. */
    forget: (): void => setError(null),
    cancel: (): void => abort.current?.abort(),
  };
}
