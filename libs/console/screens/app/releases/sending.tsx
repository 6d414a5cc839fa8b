import { useEffect, useId, useRef } from 'react';
import { Button } from '../../../parts/button';
import { size } from '../../../parts/values';
import * as texts from '../../../texts/build-dialogs';
import type { Sending } from './use-upload';

/** Before this time the speed allows no estimate. */
const SETTLED_MS = 3_000;

/** How much of a file is sent, and how long the rest takes. At the end the server may still be storing it. */
export function SendingProgress({
  what,
  sending: { bytes, of, since },
  cancel,
}: {
  /** The build, such as `1.2.0 to staging`. */
  readonly what: string;
  readonly sending: Sending;
  readonly cancel: () => void;
}) {
  const here = useRef<HTMLDivElement>(null);
  const id = useId();
  // It replaces the form with the button that had the focus.
  useEffect(() => here.current?.focus(), []);
  const isSent = of > 0 && bytes === of;
  return (
    <div className="form" ref={here} tabIndex={-1}>
      <div className="sending">
        <label htmlFor={id}>{isSent ? texts.storing(what) : texts.sending(what)}</label>
        <span>{of === 0 ? '' : texts.percent(Math.floor((100 * bytes) / of))}</span>
        <progress id={id} value={bytes} max={Math.max(1, of)} />
        <span className="dim">
          {of > 0 && texts.sentOf(size(bytes), size(of))}
          {!isSent && timeLeft({ bytes, of, since })}
        </span>
      </div>
      <footer className="buttons">
        <Button onClick={cancel}>{texts.cancelUpload}</Button>
      </footer>
    </div>
  );
}

function timeLeft({ bytes, of, since }: Omit<Sending, 'version'>): string {
  const elapsed = Date.now() - since;
  if (bytes === 0 || elapsed < SETTLED_MS) return '';
  const seconds = Math.ceil(((of - bytes) * elapsed) / bytes / 1_000);
  return seconds < 60 ? texts.secondsLeft(seconds) : texts.minutesLeft(Math.ceil(seconds / 60));
}
