/** Longer names may be cut on the screen and are shown whole on hover. Screen readers get the whole name. */
const SHORT = 24;

/** A name that a person chose, cut if it does not fit. */
export function Name({ children: name }: { readonly children: string }) {
  return (
    <span className="name" {...(name.length > SHORT && { title: name })}>
      {name}
    </span>
  );
}
