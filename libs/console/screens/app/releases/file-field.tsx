import { Field } from '@base-ui/react/field';
import { useId, useState, type DragEvent, type ReactNode } from 'react';
import { size } from '../../../parts/values';
import * as texts from '../../../texts/build-dialogs';
import './releases.css';

interface FileFieldProps {
  readonly label: string;
  readonly file: File | undefined;
  readonly change: (file: File | undefined) => void;
  /** As the `accept` of an input. */
  readonly accept?: string;
  /** The label of the button that chooses the first file. */
  readonly choose?: string;
  /** Shown below it. */
  readonly children?: ReactNode;
}

const ZIP = '.zip,application/zip';

/** A file, a zip unless stated otherwise, chosen by a button or dropped. */
export function FileField(props: FileFieldProps) {
  const { label, file, change, accept = ZIP, choose = texts.chooseZip, children } = props;
  const id = useId();
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const [dropped] = event.dataTransfer.files;
    if (dropped !== undefined) change(dropped);
  };
  return (
    <Field.Root name="file" data-faults-of="file" className="field">
      <span id={`${id}-what`}>{label}</span>
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
          accept={accept}
          aria-labelledby={`${id}-what ${id}-choose`}
          onClick={({ currentTarget }) => {
            // The same file can be chosen again.
            currentTarget.value = '';
          }}
          onChange={({ target }) => change(target.files?.[0])}
        />
        <label htmlFor={id} id={`${id}-choose`} className="button">
          {file === undefined ? choose : texts.chooseOther}
        </label>
        <span>
          {file === undefined ? (
            <span className="dim by-mouse">{texts.orDrop}</span>
          ) : (
            <>
              <strong>{file.name}</strong> <span className="dim">{size(file.size)}</span>
            </>
          )}
        </span>
      </div>
      {children}
      <Field.Error className="fault" role="alert" />
    </Field.Root>
  );
}
