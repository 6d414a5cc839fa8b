import { useState } from 'react';

/** The members that differ from what was saved. */
export function changed<Settings extends object>(saved: Settings, wanted: Settings): Partial<Settings> {
  const names = Object.keys(wanted) as (keyof Settings)[];
  const differing = names.filter((name) => JSON.stringify(wanted[name]) !== JSON.stringify(saved[name]));
  return Object.fromEntries(differing.map((name) => [name, wanted[name]])) as Partial<Settings>;
}

/**
 * A draft of saved settings. When the settings are saved elsewhere, the draft follows unless it has been changed here.
 */
export function useDraft<Saved, Draft>(saved: Saved, draftOf: (saved: Saved) => Draft) {
  const [state, setState] = useState(() => ({ from: saved, draft: draftOf(saved), touched: false }));
  if (state.from !== saved && !state.touched) setState({ from: saved, draft: draftOf(saved), touched: false });
  return {
    draft: state.draft,
    /** The settings from which the draft was made. */
    from: state.from,
    touched: state.touched,
    change: (changes: Partial<Draft>): void =>
      setState((before) => ({ ...before, draft: { ...before.draft, ...changes }, touched: true })),
    /** Starts again from saved settings. */
    restart: (now: Saved): void => setState({ from: now, draft: draftOf(now), touched: false }),
  };
}
