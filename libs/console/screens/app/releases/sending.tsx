import { Progress } from '@base-ui/react/progress';
import { useEffect, useRef } from 'react';
import { Button } from '../../../parts/button';

/** How much of a file is sent; at the end the server may still be storing it. `part`: 0 to 1. */
export function Sending({ part, cancel }: { readonly part: number; readonly cancel: () => void }) {
  const here = useRef<HTMLDivElement>(null);
  useEffect(() => {
    here.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div className="form" ref={here}>
      <Progress.Root value={Math.floor(part * 100)} className="sending">
        <Progress.Label>{part < 1 ? 'Sending' : 'Sent; the server is storing it'}</Progress.Label>
        <Progress.Value />
        <Progress.Track className="bar-meter">
          <Progress.Indicator />
        </Progress.Track>
      </Progress.Root>
      <div>
        <Button onClick={cancel}>Cancel the upload</Button>
      </div>
    </div>
  );
}
