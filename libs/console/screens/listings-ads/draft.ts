import { useState } from 'react';

/** The members that differ from what was saved. */
export function changed<Settings extends object>(saved: Settings, wanted: Settings): Partial<Settings> {
  const names = Object.keys(wanted) as (keyof Settings)[];
  const differing = names.filter((name) => JSON.stringify(wanted[name]) !== JSON.stringify(saved[name]));
  return Object.fromEntries(differing.map((name) => [name, wanted[name]])) as Partial<Settings>;
}

/**
 * What a person is writing, made of what is saved. Settings that somebody else saves meanwhile are taken
 * over as long as nothing was written here.
 */
export function useDraft<Saved, Draft>(saved: Saved, draftOf: (saved: Saved) => Draft) {
  const [state, setState] = useState(() => ({ from: saved, draft: draftOf(saved), touched: false }));
  if (state.from !== saved && !state.touched) setState({ from: saved, draft: draftOf(saved), touched: false });
  return {
    draft: state.draft,
    /** What the draft was made of. */
    from: state.from,
    touched: state.touched,
    change: (changes: Partial<Draft>): void =>
      setState((before) => ({ ...before, draft: { ...before.draft, ...changes }, touched: true })),
    /** Begins again with the saved values. */
    restart: (now: Saved): void => setState({ from: now, draft: draftOf(now), touched: false }),
  };
}
