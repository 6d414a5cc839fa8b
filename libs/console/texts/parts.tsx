import type { ReactNode } from 'react';
import { counted } from './shared';

/** The texts of the parts that all screens share: dialogs, forms, lists, notes and values. */

export const loading = (what: string): string => `Loading ${what}…`;
export const tryAgain = 'Try again';
export const tryAgainIn = (seconds: number): string =>
  `Try again in ${seconds < 120 ? counted(seconds, 'second', 'seconds') : counted(Math.ceil(seconds / 60), 'minute', 'minutes')}.`;
export const notFound = 'Page not found';
export const notFoundHelp = 'This page doesn’t exist, or was deleted.';
export const toApps = 'Back to apps';

export const cancel = 'Cancel';
export const close = 'Close';
export const discardQuestion = 'Discard changes?';
export const discard = 'Discard';
export const keepEditing = 'Keep editing';
export const typeToConfirm = (typed: string): ReactNode => (
  <>
    Type <code>{typed}</code> to confirm
  </>
);

export const deletedMeanwhile = (thing: string): string => `${thing} was deleted in the meantime.`;
export const changedElsewhere = (thing: string): string => `${thing} was changed elsewhere in the meantime.`;
export const valueNow = (field: string, now: string, before: string, mine: string | undefined): string =>
  `${field}: was ${before}, is now ${now}${mine === undefined ? '' : `. You entered ${mine}`}`;
export const useTheirs = 'Use theirs';
export const keepMine = 'Keep mine';
export const proceed = 'Continue';

export const dismiss = 'Dismiss';
export const undo = 'Undo';
export const undone = 'Undone.';
export const undoFailed = (reason: string): string => `Undo failed. ${reason}`;

export const pages = 'Pages';
export const page = 'Page';
export const pageOf = (number: number, last: number, total: number): string =>
  `Page ${number.toLocaleString()} of ${last.toLocaleString()} · ${total.toLocaleString()} in total`;
export const previous = 'Previous';
export const next = 'Next';
export const go = 'Go';

export const never = 'never';
export const justNow = 'just now';
export const bytes = (count: number): string => counted(count, 'byte', 'bytes');
/** Each 1,024 times the one before. */
export const largerUnits = ['KiB', 'MiB', 'GiB'] as const;

export const copy = 'Copy';
export const copyWhat = (what: string): string => `Copy ${what}`;
export const copied = 'Copied';
export const copyFailed = 'Copy failed: select and copy the text';
export const copyNow = (what: string): ReactNode => (
  <>
    <strong>Copy {what} now.</strong> You won’t be able to see it again.
  </>
);
export const haveCopied = 'I have copied it';
