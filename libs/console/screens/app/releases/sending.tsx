import { useEffect, useId, useRef } from 'react';
import { Button } from '../../../parts/button';
import { size } from '../../../parts/values';
import type { Sending } from './use-upload';

/** How long it takes until the speed allows an estimate. */
const SETTLED_MS = 3_000;

/** How much of a file is sent, and how long the rest takes; at the end the server may still be storing it. */
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
  // The form, and the button that was pressed, give way to it.
  useEffect(() => here.current?.focus(), []);
  const isSent = of > 0 && bytes === of;
  return (
    <div className="form" ref={here} tabIndex={-1}>
      <div className="sending">
        <label htmlFor={id}>{isSent ? `Sent ${what}; the server is storing it` : `Sending ${what}`}</label>
        <span>{of === 0 ? '' : `${Math.floor((100 * bytes) / of)} %`}</span>
        <progress id={id} value={bytes} max={Math.max(1, of)} />
        <span className="dim">
          {of > 0 && `${size(bytes)} of ${size(of)}`}
          {!isSent && timeLeft({ bytes, of, since })}
        </span>
      </div>
      <footer className="buttons">
        <Button onClick={cancel}>Cancel the upload</Button>
      </footer>
    </div>
  );
}

function timeLeft({ bytes, of, since }: Omit<Sending, 'version'>): string {
  const elapsed = Date.now() - since;
  if (bytes === 0 || elapsed < SETTLED_MS) return '';
  const seconds = Math.ceil(((of - bytes) * elapsed) / bytes / 1_000);
  return seconds < 60 ? `, about ${seconds} s left` : `, about ${Math.ceil(seconds / 60)} min left`;
}
