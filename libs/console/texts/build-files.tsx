/** The texts of the page of a build about its files. */
import type { ReactNode } from 'react';
import { counted } from './shared';

type Sum = readonly [files: number, size: string];

export const title = 'What changed';
export const loading = 'the files';
export const total = (files: number, size: string): string => `${counted(files, 'file', 'files')}, ${size} unpacked.`;
export const first = 'There is no earlier build of its channel that it can be compared with.';
/** `build`: a link. */
export const comparedWith = (build: ReactNode, size: string): ReactNode => (
  <>
    Compared with {build}, which has {size}:
  </>
);
export const same = 'All files are the same.';
export const summary = ({ added, changed, removed }: Readonly<Record<'added' | 'changed' | 'removed', Sum>>): string =>
  `${added[0].toLocaleString()} added (${added[1]}), ${changed[0].toLocaleString()} changed (${changed[1]}), ${removed[0].toLocaleString()} removed (${removed[1]})`;
export const changes = 'Changed files, biggest first';
export const moreChanges = 'Further changed files';
/** `unlisted`: not in the response. */
export const more = (count: number, unlisted: number): string =>
  `${counted(count, 'more changed file', 'more changed files')}${unlisted > 0 ? `, and ${unlisted.toLocaleString()} smaller ones that are not listed` : ''}`;
export const biggest = 'Biggest files';
export const file = 'File';
export const change = 'Change';
export const changeNames = { added: 'Added', removed: 'Removed', changed: 'Changed' };
export const fileSize = 'Size';
export const sizeBefore = 'Before';
