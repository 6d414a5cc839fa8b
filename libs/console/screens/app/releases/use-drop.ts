import type { Build, Channel } from '@sluice/contracts';
import { useRef, useState, type DragEvent } from 'react';

/** `ready`: it accepts the dragged build; `over`: the pointer is above it; `rejected`: it does not accept the build. */
export type DropState = '' | 'ready' | 'over' | 'rejected';

/** A channel as a drop target for files and builds. */
export function useDrop(
  channel: Channel,
  dragged: Build | undefined,
  take: { readonly file: (file: File) => void; readonly build: (build: Build) => void },
) {
  const [isOver, setOver] = useState(false);
  // The event of entering a child precedes that of leaving its parent.
  const depth = useRef(0);
  const takes = (event: DragEvent): boolean =>
    dragged === undefined ? event.dataTransfer.types.some((type) => /^Files$/.test(type)) : dragged.channel !== channel;
  const end = (): void => {
    depth.current = 0;
    setOver(false);
  };
  const handlers = {
    onDragEnter: (event: DragEvent): void => {
      depth.current += 1;
      if (takes(event)) setOver(true);
    },
    onDragOver: (event: DragEvent): void => {
      if (!takes(event)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
    },
    onDragLeave: (): void => {
      depth.current -= 1;
      if (depth.current <= 0) end();
    },
    onDrop: (event: DragEvent): void => {
      if (!takes(event)) return;
      event.preventDefault();
      end();
      const [file] = event.dataTransfer.files;
      if (dragged !== undefined) take.build(dragged);
      else if (file !== undefined) take.file(file);
    },
  };
  const state: DropState = isOver
    ? 'over'
    : dragged === undefined
      ? ''
      : dragged.channel === channel
        ? 'rejected'
        : 'ready';
  return { state, handlers };
}
