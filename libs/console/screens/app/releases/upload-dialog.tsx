import type { Channel } from '@sluice/contracts';
import { useState } from 'react';
import { Modal } from '../../../parts/dialog';
import { coming } from '../../../texts/build-dialogs';
import { uploadTo } from '../../../texts/releases';
import type { DialogProps } from './dialog-props';
import { SendingProgress } from './sending';
import { UploadForm } from './upload-form';
import { UploadedBuild } from './uploaded-build';
import { useUpload } from './use-upload';

interface UploadDialogProps extends DialogProps {
  readonly channel: Channel;
  readonly file: File | undefined;
}

/** The form of an upload, then the progress of the upload, then that of the check. */
export function UploadDialog({ app, channel, file, open, close, refresh }: UploadDialogProps) {
  const upload = useUpload(app, refresh);
  const [chosen, setChosen] = useState(channel);
  const leave = (): void => {
    upload.cancel();
    close();
  };
  return (
    <Modal
      title={uploadTo(chosen)}
      wide={upload.sending === undefined && upload.accepted === undefined}
      stays={upload.sending !== undefined}
      keeps={upload.accepted === undefined}
      open={open}
      close={leave}
    >
      {upload.accepted !== undefined ? (
        <UploadedBuild app={app} accepted={upload.accepted} close={close} />
      ) : (
        <>
          {/* Stays mounted, because an error shows it again. */}
          <div hidden={upload.sending !== undefined}>
            <UploadForm app={app} channel={chosen} setChannel={setChosen} file={file} upload={upload} cancel={leave} />
          </div>
          {upload.sending !== undefined && (
            <SendingProgress
              what={coming(upload.sending.version, chosen)}
              sending={upload.sending}
              cancel={upload.cancel}
            />
          )}
        </>
      )}
    </Modal>
  );
}
