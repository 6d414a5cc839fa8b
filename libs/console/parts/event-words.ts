import { events } from '../texts/timeline';

/** The text of an event type; without one, its name in words: `BuildPaused` as “Build paused”. */
export function eventWords(type: string): string {
  const spaced = type.replace(/(?<=.)([A-Z])/g, ' $1').toLowerCase();
  return events[type] ?? spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
