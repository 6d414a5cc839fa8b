import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { useSessionEnded } from '../../api/ended-session';
import { show, useShown } from '../../parts/keys';
import { chosenByArrow } from '../../parts/menu-keys';
import { useIsTopmost } from '../../parts/modals';
import { Name } from '../../parts/name';
import * as texts from '../../texts/palette';
import { useEntries, type Entry } from './entries';
import { matching, MAX_SHOWN } from './matching';
import './palette.css';
import { Shortcuts } from './shortcuts';

/** Apps, builds, screens and actions by their names; or the list of keys. */
export default function Palette() {
  return useShown() === 'help' ? <Shortcuts /> : <Finder />;
}

const close = (): void => show(undefined);

function Finder() {
  const dialog = useRef<HTMLDialogElement>(null);
  useIsTopmost(true);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // The focus returns to where it was.
    return () => element?.close();
  }, []);
  // The sign-in would be behind it.
  const hasEnded = useSessionEnded();
  useEffect(() => {
    if (hasEnded) close();
  }, [hasEnded]);
  return (
    <dialog
      ref={dialog}
      className="palette"
      aria-label={texts.title}
      onClose={close}
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget) close();
      }}
    >
      <Combobox
        run={(entry) => {
          dialog.current?.close();
          close();
          entry.run();
        }}
      />
    </dialog>
  );
}

function Combobox({ run }: { readonly run: (entry: Entry) => void }) {
  const id = useId();
  const [wanted, setWanted] = useState('');
  /** Of an entry: more of them may load and come before it. */
  const [chosen, setChosen] = useState<string>();
  const { entries, isIncomplete } = useEntries(wanted);
  const all = matching(entries, wanted);
  const found = all.slice(0, MAX_SHOWN);
  const at = found.findIndex((entry) => entry.id === chosen);
  const current = at < 0 ? Math.min(0, found.length - 1) : at;
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [current, wanted]);
  const press = (event: KeyboardEvent): void => {
    const { key, ctrlKey, metaKey } = event;
    if (event.nativeEvent.isComposing) return;
    const [to, entry] = [chosenByArrow(key, current, found.length), found[current]];
    if (to !== undefined) setChosen(found[to]?.id);
    else if (/^Enter$/.test(key) && entry !== undefined) run(entry);
    else if ((ctrlKey || metaKey) && key.toLowerCase() === 'k') close();
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        type="text"
        role="combobox"
        aria-label={texts.hint}
        aria-expanded
        aria-autocomplete="list"
        aria-controls={`${id}list`}
        aria-activedescendant={current < 0 ? undefined : `${id}${current}`}
        placeholder={texts.hint}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        autoFocus
        value={wanted}
        onChange={({ target }) => {
          setWanted(target.value);
          setChosen(undefined);
        }}
        onKeyDown={press}
      />
      <ul role="listbox" id={`${id}list`} aria-label={texts.results} ref={list}>
        {found.map((entry, index) => (
          // Its keys are those of the field, which keeps the focus.
          <li
            key={entry.id}
            id={`${id}${index}`}
            role="option"
            aria-selected={index === current}
            className={entry.danger === true ? 'danger' : undefined}
            onPointerMove={() => setChosen(entry.id)}
            onClick={() => run(entry)}
          >
            <Name>{entry.name}</Name>
            <small>
              {entry.about !== undefined && <Name>{entry.about}</Name>} {texts.kinds[entry.kind]}
            </small>
          </li>
        ))}
      </ul>
      <p className="dim" role="status">
        {found.length === 0
          ? texts.none(wanted.trim())
          : all.length > found.length
            ? texts.cut(found.length, all.length)
            : texts.found(found.length)}
        {isIncomplete && ` ${texts.incomplete}`} <span className="by-mouse">{texts.help}</span>
      </p>
    </>
  );
}
