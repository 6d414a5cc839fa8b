import type { App, Channel } from '@sluice/contracts';
import { useState } from 'react';

/** How a person has arranged the channels of an app, saved in the browser. */
interface Arrangement {
  readonly order: readonly Channel[];
  readonly collapsed: Readonly<Record<Channel, boolean>>;
}

/** Until a person expands them, further ones are collapsed. */
const OPEN_AT_FIRST = 6;

const keyOf = (app: number): string => `sluice.channels.${app}`;

function read(app: number): Arrangement {
  try {
    const { order, collapsed } = JSON.parse(localStorage.getItem(keyOf(app)) ?? '{}') as Partial<Arrangement>;
    return { order: Array.isArray(order) ? order : [], collapsed: collapsed ?? {} };
  } catch {
    return { order: [], collapsed: {} };
  }
}

/** In the saved order; those that it lacks come last, as they are given. */
export function arranged(channels: readonly Channel[], order: readonly Channel[]): readonly Channel[] {
  const saved = order.filter((channel) => channels.includes(channel));
  return [...saved, ...channels.filter((channel) => !saved.includes(channel))];
}

/** With one channel at the place of another. */
export function moved(channels: readonly Channel[], channel: Channel, to: Channel): readonly Channel[] {
  const others = channels.filter((each) => each !== channel);
  return others.toSpliced(channels.indexOf(to), 0, channel);
}

/** The columns of channels, in the order and with the state that a person chose. */
export function useColumns({ id }: Pick<App, 'id'>, channels: readonly Channel[]) {
  const [{ order, collapsed }, setArrangement] = useState(() => read(id));
  const shown = arranged(channels, order);
  const save = (changes: Partial<Arrangement>): void => {
    const arrangement = { ...read(id), ...changes };
    localStorage.setItem(keyOf(id), JSON.stringify(arrangement));
    setArrangement(arrangement);
  };
  return shown.map((channel, index) => ({
    channel,
    isCollapsed: collapsed[channel] ?? index >= OPEN_AT_FIRST,
    before: shown[index - 1],
    after: shown[index + 1],
    collapse: (is: boolean): void => save({ collapsed: { ...collapsed, [channel]: is } }),
    // With the saved places of channels that are not loaded yet.
    moveTo: (other: Channel): void => save({ order: [...new Set([...moved(shown, channel, other), ...order])] }),
    /** Undoes a move. */
    moveBack: (): void => save({ order }),
  }));
}

export type Column = ReturnType<typeof useColumns>[number];
