import { useEffect, useId, useRef } from 'react';
import { Button } from '../../../parts/button';

/** How much of a file is sent; at the end the server may still be storing it. `part`: 0 to 1. */
export function Sending({ part, cancel }: { readonly part: number; readonly cancel: () => void }) {
  const here = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    here.current?.scrollIntoView({ block: 'nearest' });
    // The button that was pressed can't hold it any more.
    here.current?.focus();
  }, []);
  const percent = Math.floor(part * 100);
  return (
    <div className="form" ref={here} tabIndex={-1}>
      <div className="sending">
        <label htmlFor={id}>{part < 1 ? 'Sending' : 'Sent; the server is storing it'}</label>
        <span>{percent} %</span>
        <progress id={id} value={percent} max={100} />
      </div>
      <div>
        <Button onClick={cancel}>Cancel the upload</Button>
      </div>
    </div>
  );
}
