import type { App, Job } from '@sluice/contracts';
import { useEffect, useRef } from 'react';
import { Button, LinkButton } from '../../../parts/button';
import { useJob } from '../../builds/data';
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
  const status = useJob(app, job).data?.status;
  // The form that held it is gone.
  useEffect(() => here.current?.focus(), []);
  return (
    <>
      <p ref={here} tabIndex={-1}>
        <strong>{build.version}</strong>, build #{build.id}, {fate(status, build.channel)}
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

function fate(status: Job['status'] | undefined, channel: string): string {
  switch (status) {
    case 'completed':
      return `is ready, and offered to devices of ${channel} from their next check on.`;
    case 'failed':
      return `was rejected. Nothing changes for devices of ${channel}.`;
    default:
      return `is on the server. It is being checked, and signed if the app has a signing key; then devices of ${channel} get it. You can close this: it continues without you.`;
  }
}
