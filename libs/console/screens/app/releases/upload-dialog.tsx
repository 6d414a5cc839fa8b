import type { Channel } from '@sluice/contracts';
import { useState } from 'react';
import { Modal } from '../../../parts/dialog';
import type { DialogProps } from './dialog-props';
import { Sending } from './sending';
import { UploadForm } from './upload-form';
import { UploadedBuild } from './uploaded-build';
import { useUpload } from './use-upload';

/** From a file to a build that devices get: what it is, the sending, and the job's life. */
export function UploadDialog({
  app,
  channel,
  file,
  open,
  close,
  refresh,
}: DialogProps & { readonly channel: Channel; readonly file: File | undefined }) {
  const upload = useUpload(app, refresh);
  const [chosen, setChosen] = useState(channel);
  const isSending = upload.sent !== undefined && upload.accepted === undefined;
  const leave = (): void => {
    upload.cancel();
    close();
  };
  return (
    <Modal
      title={`Upload a build to ${chosen}`}
      stays={isSending}
      keeps={upload.accepted === undefined}
      open={open}
      close={leave}
    >
      {upload.accepted !== undefined ? (
        <UploadedBuild app={app} accepted={upload.accepted} close={close} />
      ) : (
        <>
          <UploadForm
            app={app}
            channel={chosen}
            setChannel={(next) => {
              setChosen(next);
              upload.forget();
            }}
            file={file}
            busy={isSending}
            error={upload.error}
            send={upload.send}
            forget={upload.forget}
            cancel={leave}
          />
          {upload.sent !== undefined && <Sending part={upload.sent} cancel={upload.cancel} />}
        </>
      )}
    </Modal>
  );
}
