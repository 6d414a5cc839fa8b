import { kinds } from '../../texts/palette';

interface Findable {
  readonly kind: keyof typeof kinds;
  readonly name: string;
  readonly about?: string;
  /** Further words that find it. */
  readonly words?: string;
  /** Listed only when a person looks for it. */
  readonly hidden?: true;
}

/** More would take longer to read than another letter to type. */
export const MAX_SHOWN = 50;

/** Those that contain each word, the names that begin with the text first. The palette shows the first `MAX_SHOWN`. */
export function matching<Of extends Findable>(entries: readonly Of[], wanted: string): readonly Of[] {
  const text = wanted.trim().toLowerCase();
  if (text === '') return entries.filter(({ hidden }) => hidden !== true);
  const words = text.split(/\s+/);
  const rank = ({ name }: Of): number => {
    const at = name.toLowerCase().indexOf(text);
    return at === 0 ? 0 : at > 0 ? 1 : 2;
  };
  return entries
    .filter(({ name, about = '', words: further = '', kind }) => {
      const all = `${name} ${about} ${further} ${kinds[kind]}`.toLowerCase();
      return words.every((word) => all.includes(word));
    })
    .sort((a, b) => rank(a) - rank(b));
}
