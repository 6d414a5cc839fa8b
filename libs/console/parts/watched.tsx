import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../api/client';
import { type Scope, useGet } from '../api/queries';
import * as texts from '../texts/parts';
import { Button } from './button';
import { Confirm, type ConfirmProps, type DialogState } from './dialog';
import { showToast } from './toasts';

/** Something that others may change while a person does. The server rejects a change of another revision. */
interface Revised {
  readonly revision: number;
  /** Another one: the thing was deleted, and another one has its name. */
  readonly id?: number | string;
}

/** Where to find a thing, and how to show its changes. */
export interface WatchedKind<Thing> {
  readonly path: string;
  readonly scope: Scope;
  /** The thing in a sentence, such as `The channel beta`. */
  readonly name: string;
  /** What a person can change, with its name and its value as text. */
  readonly fields: readonly (readonly [member: keyof Thing, name: string, words: (thing: Thing) => string])[];
}

/** A thing that a person is about to change, as they saw it and as it is now. */
export interface Watched<Thing> extends Pick<WatchedKind<Thing>, 'name' | 'fields'> {
  /** A request sends the revision of this one. */
  readonly seen: Thing;
  readonly current: Thing;
  /** Marks the current one as seen, or the one that the person has just saved. */
  readonly accept: (saved?: Thing) => void;
  /** Hides an error that only reports the change that is shown already. */
  readonly judge: (error: Error | null) => Error | null;
}

/**
 * Watches a thing while a dialog is open, unless the dialog itself is changing it. If the thing is deleted elsewhere, the
 * dialog closes with a message.
 */
export function useWatched<Thing extends Revised>(
  opened: Thing,
  { path, scope, name, fields }: WatchedKind<Thing>,
  { open, busy, close }: DialogState & { readonly busy: boolean },
): Watched<Thing> {
  const [seen, setSeen] = useState(opened);
  const isWatching = open && !busy;
  const { data: now, error } = useGet<Thing>(path, scope, { enabled: isWatching });
  const isGone = isWatching && (hasStatus(error, 404) || (now !== undefined && now.id !== seen.id));
  useEffect(() => {
    if (!isGone) return;
    showToast(texts.deletedMeanwhile(name));
    close();
  }, [isGone, name, close]);
  const current = isWatching && now !== undefined && now.revision > seen.revision ? now : seen;
  const isOther = fields.some(([, , words]) => words(current) !== words(seen));
  return {
    ...{ name, fields, current },
    // A change of what is not shown here overwrites nothing.
    seen: isOther ? seen : current,
    accept: (thing = current) => setSeen(thing),
    judge: (failed) => (hasStatus(failed, 412) && isOther ? null : failed),
  };
}

function hasStatus(error: Error | null, status: number): boolean {
  return error instanceof ApiError && error.status === status;
}

/** The draft of a form, and the draft that it begins with. */
interface Drafted<Thing, Draft> {
  readonly draft: Draft;
  readonly draftOf: (thing: Thing) => Draft;
  readonly change: (draft: Partial<Draft>) => void;
  /** The draft as members of the thing. */
  readonly mine: Partial<Thing>;
}

interface ConcurrentChangesProps<Thing, Draft> {
  readonly of: Watched<Thing>;
  /** Left out where there is no form. */
  readonly form?: Drafted<Thing, Draft>;
}

/**
 * The changes of others to a thing since the person saw it: both values, and the person's own. Until the person chooses,
 * the server rejects their request. What the person did not change in the form always takes the current value.
 */
export function ConcurrentChanges<Thing extends Revised, Draft extends object>({
  of: { name, fields, seen, current, accept },
  form,
}: ConcurrentChangesProps<Thing, Draft>) {
  const note = useRef<HTMLDivElement>(null);
  const isChanged = current !== seen;
  // A long form would hide it.
  useEffect(() => {
    // Some browsers return a promise, which is no clean-up.
    note.current?.scrollIntoView({ block: 'nearest' });
  }, [isChanged]);
  if (!isChanged) return null;
  const mine = form?.mine ?? {};
  const own = { ...seen, ...mine };
  const changed = fields.filter(([, , words]) => words(current) !== words(seen));
  return (
    <div ref={note} className="note warn" role="alert">
      <p>
        <strong>{texts.changedElsewhere(name)}</strong>
      </p>
      <ul>
        {changed.map(([member, field, words]) => (
          <li key={field}>
            {texts.valueNow(
              field,
              words(current),
              words(seen),
              member in mine && words(own) !== words(seen) ? words(own) : undefined,
            )}
          </li>
        ))}
      </ul>
      <div className="buttons">
        {form !== undefined && (
          <Button
            onClick={() => {
              form.change(form.draftOf(current));
              accept();
            }}
          >
            {texts.useTheirs}
          </Button>
        )}
        <Button
          onClick={() => {
            form?.change(untouched(form.draft, form.draftOf(seen), form.draftOf(current)));
            accept();
          }}
        >
          {form === undefined ? texts.proceed : texts.keepMine}
        </Button>
      </div>
    </div>
  );
}

/** The members of `current` that the draft still has as they were. */
function untouched<Draft extends object>(draft: Draft, before: Draft, current: Draft): Partial<Draft> {
  const members = Object.keys(current) as (keyof Draft)[];
  const left = members.filter((member) => asText(draft[member]) === asText(before[member]));
  return Object.fromEntries(left.map((member) => [member, current[member]])) as Partial<Draft>;
}

const asText = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (part instanceof Set ? [...part].sort() : part));

interface ConfirmChangeProps<Thing> extends Omit<ConfirmProps, 'confirm'> {
  readonly thing: Thing;
  readonly kind: WatchedKind<Thing>;
  /** Sends the action with the revision that the person has seen. */
  readonly confirm: (revision: number) => Promise<unknown>;
}

/** Asks before an action on a thing, and shows what others change of it meanwhile. */
export function ConfirmChange<Thing extends Revised>({
  thing,
  kind,
  confirm,
  children,
  ...dialog
}: ConfirmChangeProps<Thing>) {
  const [busy, setBusy] = useState(false);
  const watched = useWatched(thing, kind, { ...dialog, busy });
  const send = async (): Promise<void> => {
    setBusy(true);
    try {
      await confirm(watched.seen.revision);
    } catch (error) {
      // Loads and shows the change in the meantime.
      setBusy(false);
      throw error;
    }
  };
  return (
    <Confirm {...dialog} confirm={send}>
      {children}
      <ConcurrentChanges of={watched} />
    </Confirm>
  );
}
