import type { App, Build } from '@sluice/contracts';
import { useRef, useState } from 'react';
import { upload, type Sent } from '../../../api/client';
import { showToast } from '../../../parts/toasts';
import { uploadCancelled } from '../../../texts/build-dialogs';

/** A bundle that the server has accepted, and whose job is queued. */
export interface Accepted {
  readonly job_id: string;
  readonly build: Pick<Build, 'id' | 'version' | 'channel' | 'status'>;
}

/** How much of a bundle is sent, and since when, in milliseconds since the epoch. */
export type Sending = Sent & { readonly version: string; readonly since: number };
export type Upload = ReturnType<typeof useUpload>;

/** One upload of a bundle, from the form to its acceptance. `accepted`: called once the server has accepted it. */
export function useUpload(app: App, accepted: () => void) {
  const [sending, setSending] = useState<Sending>();
  const [answer, setAnswer] = useState<Accepted>();
  const [error, setError] = useState<Error | null>(null);
  const abort = useRef<AbortController>(undefined);

  const send = (form: FormData, version: string): void => {
    const controller = new AbortController();
    abort.current = controller;
    const begun = { version, since: Date.now() };
    setError(null);
    setSending({ bytes: 0, of: 0, ...begun });
    const progress = (sent: Sent): void => setSending({ ...sent, ...begun });
    upload<Accepted>(`/apps/${app.id}/builds`, form, { progress, signal: controller.signal }).then(
      (data) => {
        setSending(undefined);
        setAnswer(data);
        accepted();
      },
      (fault: unknown) => {
        // The form must be rendered again before it can show the error.
        setSending(undefined);
        if (controller.signal.aborted) showToast(uploadCancelled);
        else setError(fault as Error);
      },
    );
  };

  return {
    /** Undefined when nothing is being sent. */
    sending,
    accepted: answer,
    error,
    send,
    /** Clears the error, because the form has changed. */
    forget: (): void => setError(null),
    cancel: (): void => abort.current?.abort(),
  };
}
