import { Field } from '@base-ui/react/field';
import { useId, useState, type DragEvent } from 'react';
import { size } from '../../../parts/values';
import * as texts from '../../../texts/build-dialogs';
import { useStartPageWarning } from './start-page';

interface FileFieldProps {
  readonly file: File | undefined;
  readonly change: (file: File | undefined) => void;
}

/** A bundle, chosen by a button or dropped. */
export function FileField({ file, change }: FileFieldProps) {
  const id = useId();
  const [isOver, setOver] = useState(false);
  const warning = useStartPageWarning(file);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const [dropped] = event.dataTransfer.files;
    if (dropped !== undefined) change(dropped);
  };
  return (
    <Field.Root name="file" data-faults-of="file" className="field">
      <span>{texts.bundle}</span>
      <div
        className={isOver ? 'file-drop over' : 'file-drop'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <input
          id={id}
          className="visually-hidden"
          type="file"
          accept=".zip,application/zip"
          onChange={({ target }) => change(target.files?.[0])}
        />
        <label htmlFor={id} className="button">
          {file === undefined ? texts.chooseZip : texts.chooseOther}
        </label>
        <span>
          {file === undefined ? (
            <span className="dim">{texts.orDrop}</span>
          ) : (
            <>
              <strong>{file.name}</strong> <span className="dim">{size(file.size)}</span>
            </>
          )}
        </span>
      </div>
      {warning !== undefined && (
        <p className="note warn" role="status">
          {warning}
        </p>
      )}
      <Field.Error className="fault" role="alert" />
    </Field.Root>
  );
}
