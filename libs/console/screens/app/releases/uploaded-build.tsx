import type { App } from '@sluice/contracts';
import { useEffect, useRef } from 'react';
import { Button, LinkButton } from '../../../parts/button';
import * as texts from '../../../texts/build-dialogs';
import { useJob } from '../../builds/data';
import { JobLife } from './job-life';
import type { Accepted } from './use-upload';

/** The progress of a build after its upload. */
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
  const describe = status === 'completed' ? texts.isReady : status === 'failed' ? texts.isRejected : texts.isChecked;
  // The form that had the focus is gone.
  useEffect(() => here.current?.focus(), []);
  return (
    <>
      <p ref={here} tabIndex={-1}>
        {describe(build.version, build.id, build.channel)}
      </p>
      <JobLife app={app} id={job} version={build.version} />
      <footer className="buttons">
        <LinkButton to={`/apps/${app.id}/builds/${build.id}`}>{texts.viewBuild}</LinkButton>
        <Button kind="primary" onClick={close}>
          {texts.close}
        </Button>
      </footer>
    </>
  );
}
