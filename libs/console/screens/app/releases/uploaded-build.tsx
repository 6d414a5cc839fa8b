import type { App } from '@sluice/contracts';
import { useEffect, useRef } from 'react';
import { Button, LinkButton } from '../../../parts/button';
import { JobLife } from './job-life';
import type { Accepted } from './use-upload';

/** What becomes of an upload once the server has it. */
export function UploadedBuild({
  app,
  accepted: { build, job_id: job },
  close,
}: {
  readonly app: App;
  readonly accepted: Accepted;
  readonly close: () => void;
}) {
  const here = useRef<HTMLParagraphElement>(null);
  // The form that held it is gone.
  useEffect(() => here.current?.focus(), []);
  return (
    <>
      <p ref={here} tabIndex={-1}>
        <strong>{build.version}</strong>, build #{build.id}, is on the server. It is checked now, and signed if the app
        has a signing key; devices of {build.channel} get it when it is ready. You can close this: it goes on by itself.
      </p>
      <JobLife app={app} id={job} version={build.version} />
      <footer className="buttons">
        <LinkButton to={`/apps/${app.id}/builds/${build.id}`}>To the build</LinkButton>
        <Button kind="primary" onClick={close}>
          Close
        </Button>
      </footer>
    </>
  );
}
