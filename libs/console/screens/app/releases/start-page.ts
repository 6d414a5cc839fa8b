import { useEffect, useState } from 'react';
import * as texts from '../../../texts/build-dialogs';

/** The longest end record of a zip: 22 bytes and a comment. */
const MAX_END_BYTES = 22 + 0xffff;
const END = 0x06054b50;
const ENTRY = 0x02014b50;
const START_PAGE = 'index.html';

/** A warning about a bundle without index.html at the top: the server accepts it, but most apps need that file. */
export function useStartPageWarning(file: File | undefined): string | undefined {
  const [known, setKnown] = useState<{ readonly of: File; readonly warning: string | undefined }>();
  useEffect(() => {
    if (file === undefined) return undefined;
    let isOver = false;
    const warn = (warning: string | undefined) => {
      if (!isOver) setKnown({ of: file, warning });
    };
    // The server reports a file that can't be read here.
    namesInZip(file).then(
      (names) => warn(names && warningOf(names)),
      () => warn(undefined),
    );
    return () => {
      isOver = true;
    };
  }, [file]);
  return known?.of === file ? known?.warning : undefined;
}

function warningOf(names: readonly string[]): string | undefined {
  if (names.some((name) => name.replace(/^(\.\/)+/, '') === START_PAGE)) return undefined;
  const inside = names.find((name) => name.endsWith(`/${START_PAGE}`));
  return inside === undefined ? texts.noStartPage : texts.startPageIn(inside.slice(0, -START_PAGE.length));
}

/** The names in its central directory; undefined if it is a zip64 or no zip. */
async function namesInZip(file: File): Promise<string[] | undefined> {
  const tail = new DataView(await file.slice(-MAX_END_BYTES).arrayBuffer());
  let end = tail.byteLength - 22;
  while (end >= 0 && tail.getUint32(end, true) !== END) end -= 1;
  if (end < 0) return undefined;
  const [bytes, offset] = [tail.getUint32(end + 12, true), tail.getUint32(end + 16, true)];
  if (offset + bytes > file.size) return undefined;

  const directory = new DataView(await file.slice(offset, offset + bytes).arrayBuffer());
  const names: string[] = [];
  let at = 0;
  while (at + 46 <= directory.byteLength && directory.getUint32(at, true) === ENTRY) {
    const [name, extra, comment] = [28, 30, 32].map((field) => directory.getUint16(at + field, true)) as [
      number,
      number,
      number,
    ];
    names.push(new TextDecoder().decode(new Uint8Array(directory.buffer, at + 46, name)));
    at += 46 + name + extra + comment;
  }
  return names;
}
