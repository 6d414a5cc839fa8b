/** Longer names may be shortened, and are shown whole on hover; for a screen reader they are never shortened. */
const SHORT = 24;

/** A name that a person gave, cut where its place is too small for it. */
export function Name({ children: name }: { readonly children: string }) {
  return (
    <span className="name" {...(name.length > SHORT && { title: name })}>
      {name}
    </span>
  );
}
